import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { inParallel } from '../../platform/in-parallel.ts';
import type { BenchStack } from './bench-stack.ts';
import { cpuBetween, cpuSeconds } from './cpu.ts';
import { EMPTY_QUEUE } from './empty-worker.ts';
import { numbersBelow, timed } from './timed.ts';

const WARM_UP = 100;

interface Many {
  readonly count: number;
  readonly atOnce: number;
}

/** Empty workflows with one local activity on the stack's Temporal server, by a worker of their own. */
export function measureEmpty(stack: BenchStack, { count, atOnce }: Many): Promise<{ perSecond: number; cpuSeconds: object }> {
  return withEmptyWorker(stack, async (client, worker) => {
    const run = (index: number): Promise<void> =>
      client.workflow.execute('empty', { workflowId: `empty/${index}`, taskQueue: EMPTY_QUEUE, args: [] });
    const cpu = async () => ({ ...(await stack.cpu()), worker: await cpuSeconds(worker.pid!) });
    await inParallel(atOnce, numbersBelow(WARM_UP), (index) => run(-1 - index));
    const before = await cpu();
    const seconds = await timed(() => inParallel(atOnce, numbersBelow(count), run));
    return { perSecond: Math.round(count / seconds), cpuSeconds: cpuBetween(before, await cpu()) };
  });
}

/** How many empty workflows a second a client starts that waits for no result, while their worker carries them out. */
export function measureStarts(stack: BenchStack, { count, atOnce }: Many): Promise<number> {
  return withEmptyWorker(stack, async (client) => {
    const start = async (index: number): Promise<void> =>
      void (await client.workflow.start('empty', { workflowId: `empty-start/${index}`, taskQueue: EMPTY_QUEUE, args: [] }));
    return Math.round(count / (await timed(() => inParallel(atOnce, numbersBelow(count), start))));
  });
}

async function withEmptyWorker<T>(
  { temporalAddress }: BenchStack,
  measure: (client: Client, worker: ChildProcess) => Promise<T>,
): Promise<T> {
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./empty-worker.ts', import.meta.url)), temporalAddress], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    await once(worker.stdout, 'data');
    return await measure(new Client({ connection }), worker);
  } finally {
    await connection.close();
    await ended(worker);
  }
}

async function ended(worker: ChildProcess): Promise<void> {
  worker.kill('SIGTERM');
  if (worker.exitCode === null) await once(worker, 'exit');
}
