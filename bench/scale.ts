import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { inParallel } from '../platform/in-parallel.ts';
import { composeService } from '../test/support/compose.ts';
import { eventually } from '../test/support/eventually.ts';
import { callApi } from './support/api-call.ts';
import { type BenchStack, type BenchStackOptions, startBenchStack } from './support/bench-stack.ts';
import { campaignEnds, importedAudience, startCampaign } from './support/campaigns.ts';
import { type CpuUsed, startMeter } from './support/cpu.ts';
import { measureEmpty } from './support/empty-workflows.ts';
import { LETTER } from './support/letter.ts';
import { runLoad } from './support/load.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';
import { numbersBelow, timed } from './support/timed.ts';

/**
 * What a thousand mails, enrollments and workflows cost each process when Temporal runs as in docker-compose.yml: with more workers, and with
 * fewer and more history shards. node bench/scale.ts [--workers 1,2,3] [--shards 1,4,64] [--recipients 10000] [--enrollments 500]
 */
const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,3' },
    shards: { type: 'string', default: '1,4,64' },
    recipients: { type: 'string', default: '10000' },
    enrollments: { type: 'string', default: '500' },
  },
});
const RECIPIENTS = Number(values.recipients);
const ENROLLMENTS = Number(values.enrollments);
const WARM_UP = 50;
const AT_ONCE = 20;
const PATIENCE = { timeoutMs: 300_000, everyMs: 100 };
const SHARDS = Number(composeService('temporal', { POSTGRES_PASSWORD: 'not used' }).environment.NUM_HISTORY_SHARDS);

const workers: object[] = [];
for (const count of numbers(values.workers)) {
  progress(`== ${count} workers`);
  workers.push({ workers: count, ...(await withStack({ workers: count, shards: SHARDS }, measureWorkers)) });
}
const shards: object[] = [];
for (const count of numbers(values.shards)) {
  progress(`== ${count} shards`);
  shards.push({ shards: count, ...(await withStack({ shards: count, api: false }, measureShards)) });
}
report('scale', { shardsOfWorkers: SHARDS, workers, shards });

function numbers(list: string): number[] {
  return list.split(',').filter(Boolean).map(Number);
}

async function withStack<T>(options: Partial<BenchStackOptions>, measure: (stack: BenchStack, database: Client) => Promise<T>): Promise<T> {
  const stack = await startBenchStack({ template: LETTER, workflows: true, apiProcesses: 1, progress, ...options });
  const database = new Client({ connectionString: stack.databaseUrl });
  try {
    await database.connect();
    return await measure(stack, database);
  } finally {
    await database.end();
    await stack.stop();
  }
}

async function measureWorkers(stack: BenchStack, database: Client): Promise<object> {
  await addRecipients(stack.databaseUrl, stack.projectId, RECIPIENTS);
  await startAndEnd(stack, { mode: 'people', emails: numbersBelow(500).map((n) => `warm-${n}@to.example`) });
  progress('a campaign');
  await stack.sink.reset();
  const audience = await importedAudience(stack);
  const campaign = await measured(stack, RECIPIENTS, () => startAndEnd(stack, audience));
  const { messages, duplicates } = await stack.sink.stats();
  if (messages !== RECIPIENTS || duplicates > 0) throw new Error(`${messages} mails arrived, ${duplicates} of them twice`);
  progress('enrollments');
  const steps = [{ template: 'receipt' }];
  await callApi(stack, 'PUT', '/templates/receipt', { enabled: true });
  await callApi(stack, 'POST', '/sequences', { key: 'bench', name: 'Bench', status: 'active', trigger: 'bench', steps });
  await enroll(stack, database, 'warm', WARM_UP, WARM_UP);
  const enrollments = await measured(stack, ENROLLMENTS, () => enroll(stack, database, 'person', ENROLLMENTS, WARM_UP + ENROLLMENTS));
  progress('single mails');
  const single = await singleMails(stack);
  return { campaign, enrollments, single, connections: await connections(database), peakMemoryMb: await stack.peakMemory() };
}

async function startAndEnd(stack: BenchStack, audience: object): Promise<void> {
  await campaignEnds(stack, (await startCampaign(stack, audience)).campaignId);
}

async function enroll(stack: BenchStack, database: Client, name: string, count: number, completed: number): Promise<void> {
  await inParallel(AT_ONCE, numbersBelow(count), async (n) => {
    await callApi(stack, 'POST', '/events', { type: 'bench', email: `${name}-${n}@to.example` });
  });
  await eventually(async () => {
    const { rows } = await database.query("select count(*)::integer as count from enrollments where status = 'completed'");
    return rows[0].count >= completed;
  }, PATIENCE);
}

async function singleMails(stack: BenchStack): Promise<object> {
  const load = (seconds: number) =>
    runLoad({
      url: `${stack.apiUrl}/api/v1/send`,
      authorization: `Bearer ${stack.key}`,
      body: { template: LETTER, type: 'transactional', to: 'single-{{n}}@to.example', data: { name: 'First{{n}}' } },
      numbers: 1_000_000,
      concurrency: 10,
      seconds,
    });
  await load(2);
  const meter = await startMeter(stack.cpu);
  const result = await load(5);
  const mails = result.answers[200] ?? 0;
  const { cpuSecondsPer1000, othersShare }: CpuUsed = await meter(async () => mails, result.clientCpuSeconds);
  return { perSecond: Math.round(mails / result.seconds), cpuSecondsPer1000, othersShare };
}

/** Empty workflows, which cost their server what any other does at least. */
async function measureShards(stack: BenchStack): Promise<object> {
  const { perSecond, cpuSeconds } = await measureEmpty(stack, { count: ENROLLMENTS, atOnce: AT_ONCE });
  const per1000 = Object.entries(cpuSeconds as Record<string, number>).map(([name, used]) => [
    name,
    Number(((used / ENROLLMENTS) * 1000).toFixed(2)),
  ]);
  return { emptyWorkflowsPerSecond: perSecond, cpuSecondsPer1000: Object.fromEntries(per1000) };
}

async function measured(stack: BenchStack, count: number, work: () => Promise<void>): Promise<object> {
  const meter = await startMeter(stack.cpu);
  const seconds = await timed(work);
  const { cpuSecondsPer1000, othersShare } = await meter(async () => count);
  return { perSecond: Math.round(count / seconds), cpuSecondsPer1000, othersShare };
}

/** Sessions of PostgreSQL by program; Temporal's have no name. */
async function connections(database: Client): Promise<Record<string, number>> {
  const { rows } = await database.query<{ name: string; count: number }>(
    `select case when application_name <> '' then application_name else datname end as name, count(*)::integer as count
     from pg_stat_activity where datname is not null and pid <> pg_backend_pid() group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
