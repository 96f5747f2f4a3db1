import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { inParallel } from '../platform/in-parallel.ts';
import { eventually } from '../test/support/eventually.ts';
import { callApi } from './support/api-call.ts';
import { type BenchProject, startBenchStack } from './support/bench-stack.ts';
import { startMeter } from './support/cpu.ts';
import { measureEmpty, measureStarts } from './support/empty-workflows.ts';
import { LETTER } from './support/letter.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report, spread } from './support/report.ts';
import { numbersBelow, timed } from './support/timed.ts';

/**
 * Enrollments of a sequence of one mail and of a drip of three, from POST /events to `completed`; single events on an idle machine; and a bulk
 * enroll with another project's events beside it. Beside them empty workflows with one local activity on the same Temporal server:
 * node bench/enrollments.ts [--count 1000] [--at-once 50] [--alone 200] [--bulk 20000] [--shards N] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '50' },
    alone: { type: 'string', default: '200' },
    bulk: { type: 'string', default: '20000' },
    shards: { type: 'string' },
    profile: { type: 'string' },
  },
});
const COUNT = Number(values.count);
const AT_ONCE = Number(values['at-once']);
const ALONE = Number(values.alone);
const BULK = Number(values.bulk);
const WARM_UP = 100;
/** docs/limits.md */
const BULK_CALL = 5_000;
const ALONE_EVERY_MS = 100;
const BESIDE_EVERY_MS = 200;
const PATIENCE = { timeoutMs: 1_800_000, everyMs: 50 };
const MAIL = { template: LETTER };
const WAIT = { ...MAIL, delayMinutes: 2 / 60 };
const GOALS = {
  oneMail: { ofEmptyWorkflows: 0.8 },
  drip: { cpuOfOneMail: 2.2 },
  alone: { p50Ms: 60, p99Ms: 150 },
  bulk: { answerSeconds: 2, startsOfBareClient: 0.8, otherP99Ms: 1_000 },
};

const shards = values.shards === undefined ? undefined : Number(values.shards);
const stack = await startBenchStack({ template: LETTER, workflows: true, apiProcesses: 1, shards, profileDir: values.profile, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  const other = await stack.addProject('other');
  for (const [project, key, steps] of [
    [stack, 'one', [MAIL]],
    [stack, 'drip', [MAIL, WAIT, WAIT]],
    [other, 'one', [MAIL]],
  ] as const)
    await callApi(project, 'POST', '/sequences', { key, name: key, status: 'active', trigger: key, steps });
  progress('empty workflows');
  const empty = await measureEmpty(stack, { count: COUNT, atOnce: AT_ONCE });
  progress('sequences of one mail');
  const oneMail = await measureRuns('one');
  progress('drips of three mails');
  const drip = await measureRuns('drip');
  progress('single events');
  const alone = ALONE > 0 ? await measureAlone() : undefined;
  progress(`a bulk enroll of ${BULK}`);
  const bulk = BULK > 0 ? await measureBulk(other) : undefined;
  report('enrollments', {
    goals: GOALS,
    ...{ count: COUNT, atOnce: AT_ONCE, temporal: shards === undefined ? 'development server' : `PostgreSQL, ${shards} shards` },
    empty,
    oneMail: { ...oneMail, ofEmptyWorkflows: ratio(oneMail.perSecond, empty.perSecond) },
    drip: { ...drip, cpuOfOneMail: ratio(drip.cpuSecondsPer1000.total!, oneMail.cpuSecondsPer1000.total!) },
    alone,
    bulk,
  });
} finally {
  await database.end();
  await stack.stop();
}

function ratio(one: number, other: number): number {
  return Number((one / other).toFixed(2));
}

async function completed(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "select count(*)::integer as count from enrollments where status = 'completed' and project_id = $1",
    [stack.projectId],
  );
  return rows[0]!.count;
}

/** From the event that enrolls to the end of all of them. */
async function measureRuns(type: string) {
  const mails = type === 'drip' ? 3 : 1;
  const enrolled = async (prefix: string, count: number): Promise<void> => {
    const before = await completed();
    const enroll = (index: number) => callApi(stack, 'POST', '/events', { type, email: `${type}-${prefix}-${index}@to.example` });
    await inParallel(AT_ONCE, numbersBelow(count), enroll);
    await eventually(async () => (await completed()) >= before + count, PATIENCE);
  };
  await enrolled('warm', WARM_UP);
  await stack.sink.reset();
  const meter = await startMeter(stack.cpu);
  const seconds = await timed(() => enrolled('run', COUNT));
  const { cpuSecondsPer1000, othersShare } = await meter(async () => COUNT);
  const { messages, duplicates } = await stack.sink.stats();
  if (messages !== COUNT * mails || duplicates > COUNT * (mails - 1))
    throw new Error(`${messages} mails arrived, ${duplicates} of them more than once`);
  return { perSecond: Math.round(COUNT / seconds), cpuSecondsPer1000, othersShare };
}

/** Milliseconds from each request to the provider's answer to its mail. */
async function mailsOf(project: BenchProject, prefix: string, begun: readonly number[]): Promise<number[]> {
  return eventually(async () => {
    const { rows } = await database.query<{ n: number; at: number }>(
      `select substring(to_email from '-(\\d+)@')::integer as n, (extract(epoch from closed_at) * 1000)::float8 as at
       from sends where project_id = $1 and to_email like $2 and status = 'sent'`,
      [project.projectId, `${prefix}-%`],
    );
    return rows.length >= begun.length && rows.map(({ n, at }) => at - begun[n]!);
  }, PATIENCE);
}

async function eventsUntil(project: BenchProject, prefix: string, everyMs: number, isOver: (sent: number) => boolean): Promise<number[]> {
  const begun: number[] = [];
  const calls: Promise<unknown>[] = [];
  while (!isOver(begun.length)) {
    calls.push(callApi(project, 'POST', '/events', { type: 'one', email: `${prefix}-${begun.length}@to.example` }));
    begun.push(Date.now());
    await sleep(everyMs);
  }
  await Promise.all(calls);
  return mailsOf(project, prefix, begun);
}

async function measureAlone(): Promise<object> {
  await sleep(1_000);
  return spread(await eventsUntil(stack, 'alone', ALONE_EVERY_MS, (sent) => sent >= ALONE));
}

/** How long the calls take, how soon all are started, and what becomes of another project's events meanwhile. */
async function measureBulk(other: BenchProject): Promise<object> {
  const bare = await measureStarts(stack, { count: Math.min(BULK, 5_000), atOnce: AT_ONCE });
  await addRecipients(stack.databaseUrl, stack.projectId, BULK);
  const before = await completed();
  let isOver = false;
  const beside = eventsUntil(other, 'beside', BESIDE_EVERY_MS, () => isOver);
  const meter = await startMeter(stack.cpu);
  let answerSeconds = 0;
  const startSeconds = await timed(async () => {
    answerSeconds = await timed(async () => {
      for (let from = 0; from < BULK; from += BULK_CALL) {
        const emails = numbersBelow(Math.min(BULK_CALL, BULK - from)).map((n) => `person-${from + n}@to.example`);
        await callApi(stack, 'POST', '/sequences/one/enroll/bulk', { emails });
      }
    });
    await eventually(async () => (await waitingStarts()) === 0, PATIENCE);
  });
  const endSeconds =
    startSeconds + (await timed(async () => void (await eventually(async () => (await completed()) >= before + BULK, PATIENCE))));
  const { cpuSecondsPer1000, othersShare } = await meter(async () => BULK);
  isOver = true;
  const startsPerSecond = Math.round(BULK / startSeconds);
  return {
    count: BULK,
    calls: Math.ceil(BULK / BULK_CALL),
    answerSeconds: Number(answerSeconds.toFixed(2)),
    startsPerSecond,
    bareStartsPerSecond: bare,
    startsOfBareClient: ratio(startsPerSecond, bare),
    endedPerSecond: Math.round(BULK / endSeconds),
    cpuSecondsPer1000,
    othersShare,
    otherProject: spread(await beside),
  };
}

async function waitingStarts(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "select count(*)::integer as count from outbox where message ->> 'kind' = 'start'",
  );
  return rows[0]!.count;
}
