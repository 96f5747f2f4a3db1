import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { openDatabase } from '../db/orm.ts';
import { row } from '../db/rows.ts';
import { inParallel } from '../platform/in-parallel.ts';
import { eventually } from '../test/support/eventually.ts';
import { type BenchStack, startBenchStack } from './support/bench-stack.ts';
import { cpuBetween } from './support/cpu.ts';
import { measureEmpty } from './support/empty-workflows.ts';
import { progress, report } from './support/report.ts';
import { numbersBelow, timed } from './support/timed.ts';

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
  const empty = await measureEmpty(stack, { count: COUNT, atOnce: AT_ONCE });
  progress('enrollments');
  const enrollments = await measureEnrollments(stack);
  const ratio = Number((enrollments.perSecond / empty.perSecond).toFixed(2));
  report('enrollments', { goal: 'at least 0.6 of the rate of empty workflows', count: COUNT, atOnce: AT_ONCE, empty, enrollments, ratio });
} finally {
  await stack.stop();
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
    await inParallel(AT_ONCE, numbersBelow(WARM_UP), enroll('warm'));
    await eventually(async () => (await completed()) >= WARM_UP, PATIENCE);
    await sink.reset();
    const before = await cpu();
    const seconds = await timed(async () => {
      await inParallel(AT_ONCE, numbersBelow(COUNT), enroll('person'));
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
