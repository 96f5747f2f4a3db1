import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { openDatabase } from '../db/orm.ts';
import { row } from '../db/rows.ts';
import { eventually } from '../test/support/eventually.ts';
import { type BenchStack, startBenchStack } from './support/bench-stack.ts';
import { cpuBetween } from './support/cpu.ts';
import { EMPTY_QUEUE } from './support/empty-worker.ts';
import { progress, report } from './support/report.ts';

/**
 * Enrollments a second from POST /events to `completed`, for a sequence of one mail, beside empty workflows with one local activity on the
 * same Temporal server: node bench/enrollments.ts [--count 1000] [--at-once 50] [--profile DIR]
 */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000' }, 'at-once': { type: 'string', default: '50' }, profile: { type: 'string' } },
});
const COUNT = Number(values.count);
const AT_ONCE = Number(values['at-once']);
const WARM_UP = 100;
const PATIENCE = { timeoutMs: 600_000, everyMs: 20 };

const stack = await startBenchStack({ template: 'receipt', workflows: true, apiProcesses: 1, profileDir: values.profile, progress });
try {
  progress('empty workflows');
  const empty = await measureEmpty(stack);
  progress('enrollments');
  const enrollments = await measureEnrollments(stack);
  const ratio = Number((enrollments.perSecond / empty.perSecond).toFixed(2));
  report('enrollments', { goal: 'at least 0.6 of the rate of empty workflows', count: COUNT, atOnce: AT_ONCE, empty, enrollments, ratio });
} finally {
  await stack.stop();
}

async function measureEmpty({ temporalAddress, cpu }: BenchStack): Promise<{ perSecond: number; cpuSeconds: object }> {
  const worker = spawn(process.execPath, [fileURLToPath(new URL('./support/empty-worker.ts', import.meta.url)), temporalAddress], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const connection = await Connection.connect({ address: temporalAddress });
  try {
    await once(worker.stdout, 'data');
    const client = new Client({ connection });
    const run = (index: number): Promise<void> =>
      client.workflow.execute('empty', { workflowId: `empty/${index}`, taskQueue: EMPTY_QUEUE, args: [] });
    await inParallel(WARM_UP, (index) => run(-1 - index));
    const before = await cpu();
    const seconds = await timed(() => inParallel(COUNT, run));
    return { perSecond: Math.round(COUNT / seconds), cpuSeconds: cpuBetween(before, await cpu()) };
  } finally {
    await connection.close();
    await ended(worker);
  }
}

async function measureEnrollments({
  apiUrl,
  key,
  databaseUrl,
  cpu,
  sink,
}: BenchStack): Promise<{ perSecond: number; mailsAtSink: number; cpuSeconds: object }> {
  const orm = await openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'everpost-bench' });
  try {
    const post = async (path: string, body: object): Promise<void> => {
      const answer = await fetch(`${apiUrl}/api/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      await answer.arrayBuffer();
    };
    const completed = async (): Promise<number> =>
      (await row(orm.em.fork(), sql<{ count: number }>`select count(*) as count from enrollments where status = 'completed'`))?.count ?? 0;
    const enroll = (prefix: string) => (index: number) => post('/events', { type: 'bench', email: `${prefix}-${index}@to.example` });
    await post('/sequences', { key: 'bench', name: 'Bench', status: 'active', trigger: 'bench', steps: [{ template: 'receipt' }] });
    await inParallel(WARM_UP, enroll('warm'));
    await eventually(async () => (await completed()) >= WARM_UP, PATIENCE);
    await sink.reset();
    const before = await cpu();
    const seconds = await timed(async () => {
      await inParallel(COUNT, enroll('person'));
      await eventually(async () => (await completed()) >= WARM_UP + COUNT, PATIENCE);
    });
    const cpuSeconds = cpuBetween(before, await cpu());
    const { messages, duplicates } = await sink.stats();
    if (messages !== COUNT || duplicates > 0) throw new Error(`${messages} mails arrived, ${duplicates} of them twice`);
    return { perSecond: Math.round(COUNT / seconds), mailsAtSink: messages, cpuSeconds };
  } finally {
    await orm.close();
  }
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  const indexes = Array.from({ length: count }, (_, index) => index).values();
  const lane = async (): Promise<void> => {
    for (const index of indexes) await work(index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function ended(worker: ChildProcess): Promise<void> {
  worker.kill('SIGTERM');
  if (worker.exitCode === null) await once(worker, 'exit');
}
