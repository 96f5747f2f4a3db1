import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { inParallel } from '../platform/in-parallel.ts';
import { eventually } from '../test/support/eventually.ts';
import { callApi } from './support/api-call.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { startMeter } from './support/cpu.ts';
import { LETTER } from './support/letter.ts';
import { progress, report, spread } from './support/report.ts';
import { numbersBelow, timed } from './support/timed.ts';

/**
 * Mails of POST /send that go later: what a worker holds while very many wait, how soon after its time a single one is submitted beside them,
 * and how fast those go that are due together:
 * node bench/scheduled.ts [--waiting 1000000] [--due 20000] [--alone 100]
 */
const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '1000000' },
    due: { type: 'string', default: '20000' },
    alone: { type: 'string', default: '100' },
  },
});
const [WAITING, DUE, ALONE] = [Number(values.waiting), Number(values.due), Number(values.alone)];
const PATIENCE = { timeoutMs: 600_000, everyMs: 50 };
const ALONE_EVERY_MS = 50;

const stack = await startBenchStack({ template: LETTER, workflows: true, apiProcesses: 1, progress });
const database = new Client({ connectionString: stack.databaseUrl });
try {
  await database.connect();
  await measureAlone('warm', 20);
  const before = await stack.peakMemory();
  progress(`writing ${WAITING} mails that wait`);
  await write('waiting', WAITING, '30 days');
  const alone = await measureAlone('alone', ALONE);
  const beside = await stack.peakMemory();
  progress(`sending ${DUE} that are due together`);
  await write('due', DUE, '0');
  const meter = await startMeter(stack.cpu);
  const seconds = await timed(async () => {
    // Due before all others, so that the workflow is told.
    await later('first', new Date(Date.now() - 60_000));
    await eventually(async () => (await sent('due')) >= DUE, PATIENCE);
  });
  const cpu = await meter(async () => DUE);
  report('scheduled', {
    waiting: WAITING,
    workerPeakMemoryMb: { before: before.worker, beside: beside.worker, afterDue: (await stack.peakMemory()).worker },
    alone,
    due: { count: DUE, perSecond: Math.round(DUE / seconds), ...cpu },
  });
} finally {
  await database.end();
  await stack.stop();
}

async function later(name: string, sendAt: Date): Promise<void> {
  await callApi(stack, 'POST', '/send', {
    template: LETTER,
    type: 'transactional',
    to: `${name}@to.example`,
    sendAt: sendAt.toISOString(),
  });
}

/** As so many calls would have written them. */
async function write(name: string, count: number, interval: string): Promise<void> {
  await database.query(
    `insert into scheduled_sends (id, project_id, due_at, available_at, call, caller, to_email, template, type, brand_id, subject)
     select uuid_v7(), p.id, now() + $4::interval, now() + $4::interval,
            jsonb_build_object('template', $3::text, 'type', 'transactional', 'to', $5::text || '-' || n || '@to.example'), '{}', $5::text || '-' || n || '@to.example', $3::text,
            'transactional', b.slug, ''
     from projects p join brands b on b.project_id = p.id, generate_series(0, $2::integer - 1) n where p.id = $1`,
    [stack.projectId, count, LETTER, interval, name],
  );
  await database.query('vacuum analyze scheduled_sends');
}

async function sent(name: string): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::integer as count from sends where to_email like $1 and status = 'sent'`,
    [`${name}-%`],
  );
  return rows[0]!.count;
}

/** Milliseconds from the time of each to its row's outcome; they are due one after the other. */
async function measureAlone(name: string, count: number): Promise<object> {
  const first = Date.now() + 2_000;
  const times = numbersBelow(count).map((n) => first + n * ALONE_EVERY_MS);
  await inParallel(10, times, (at) => later(`${name}-${at}`, new Date(at)));
  await eventually(async () => (await sent(name)) >= count, PATIENCE);
  const { rows } = await database.query<{ late: number }>(
    `select (extract(epoch from closed_at) * 1000 - substring(to_email from '-(\\d+)@')::float8)::float8 as late from sends where to_email like $1`,
    [`${name}-%`],
  );
  return spread(rows.map(({ late }) => late));
}
