import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { inParallel } from '../../platform/in-parallel.ts';
import type { BenchStack } from './bench-stack.ts';
import { cpuBetween } from './cpu.ts';
import { EMPTY_QUEUE } from './empty-worker.ts';
import { numbersBelow, timed } from './timed.ts';

const WARM_UP = 100;

/** Empty workflows with one local activity on the stack's Temporal server, by a worker of their own. */
export async function measureEmpty(
  { temporalAddress, cpu }: BenchStack,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
): Promise<{ perSecond: number; cpuSeconds: object }> {
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./empty-worker.ts', import.meta.url)), temporalAddress], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    await once(worker.stdout, 'data');
    const client = new Client({ connection });
    const run = (index: number): Promise<void> =>
      client.workflow.execute('empty', { workflowId: `empty/${index}`, taskQueue: EMPTY_QUEUE, args: [] });
    await inParallel(atOnce, numbersBelow(WARM_UP), (index) => run(-1 - index));
    const before = await cpu();
    const seconds = await timed(() => inParallel(atOnce, numbersBelow(count), run));
    return { perSecond: Math.round(count / seconds), cpuSeconds: cpuBetween(before, await cpu()) };
  } finally {
    await connection.close();
    await ended(worker);
  }
}

async function ended(worker: ChildProcess): Promise<void> {
  worker.kill('SIGTERM');
  if (worker.exitCode === null) await once(worker, 'exit');
}
