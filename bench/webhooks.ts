import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Client } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { createVault } from '../domain/projects/crypto.ts';
import { sealedOf } from '../domain/projects/sealed.ts';
import { inParallel } from '../platform/in-parallel.ts';
import { callApi } from './support/api-call.ts';
import { type BenchProject, startBenchStack } from './support/bench-stack.ts';
import { startMeter } from './support/cpu.ts';
import { measureEmpty } from './support/empty-workflows.ts';
import { type Received, startReceiver } from './support/receiver.ts';
import { percentile, progress, report } from './support/report.ts';
import { numbersBelow } from './support/timed.ts';

/**
 * Events from the call that makes them to the answer of a local receiver: 500 spread over 50 endpoints, beside empty workflows; a burst for
 * one endpoint, beside a bare loop that signs and posts; the events of a third endpoint beside bursts while another endpoint hangs; and
 * those of another one while the second attempts of a burst that was refused are made:
 * node bench/webhooks.ts [--spread 500] [--burst 20000] [--hanging 1000] [--rounds 3] [--refused 1000] [--retry-seconds 120]
 *   [--parts spread,burst,third,refused] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    spread: { type: 'string', default: '500' },
    burst: { type: 'string', default: '20000' },
    hanging: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    refused: { type: 'string', default: '1000' },
    'retry-seconds': { type: 'string', default: '120' },
    parts: { type: 'string', default: 'spread,burst,third,refused' },
    profile: { type: 'string' },
  },
});
const SPREAD = Number(values.spread);
const BURST = Number(values.burst);
const HANGING = Number(values.hanging);
const ROUNDS = Number(values.rounds);
const REFUSED = Number(values.refused);
const PARTS = new Set(values.parts.split(','));
const ENDPOINTS = 50;
const PAGE = 1_000;
const AT_ONCE = 50;
const EVERY_MS = 200;

const GOAL = { ofEmptyWorkflows: 0.5, ofBareLoop: 0.35, thirdP99Ms: 1_000, besideRefusedP99Ms: 1_000 };
/** Octets of the body of contact.subscribed here. */
const BODY_OCTETS = 700;

const stack = await startBenchStack({
  workflows: true,
  apiProcesses: 1,
  settings: { WEBHOOK_ALLOW_PRIVATE: '1', WEBHOOK_RETRY_BASE_SECONDS: values['retry-seconds'] },
  profileDir: values.profile,
  progress,
});
const database = new Client({ connectionString: stack.databaseUrl });
const receiver = await startReceiver(stack.folder);
try {
  await database.connect();
  report('webhooks', {
    goal: 'at least 0.5 of the rate of empty workflows; a burst at least 0.35 of a bare loop; a third endpoint, and one beside a burst that is refused, within 1 s at p99',
    ...(PARTS.has('spread') ? { spread: await spread() } : {}),
    ...(PARTS.has('burst') ? { burst: await burst() } : {}),
    ...(PARTS.has('third') ? { third: await thirdEndpoint() } : {}),
    ...(PARTS.has('refused') ? { refused: await besideRefused() } : {}),
    peakMemoryMb: await stack.peakMemory(),
  });
} finally {
  await database.end().catch(() => undefined);
  await receiver.process.stop();
  await stack.stop();
}

/** The first round warms up. */
async function rounds<T>(name: string, run: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`${name}, round ${round}`);
    const result = await run(round);
    if (round > 0) results.push(result);
  }
  return results;
}

async function spread(): Promise<object> {
  progress('empty workflows');
  const empty = await measureEmpty(stack, { count: 2 * SPREAD, atOnce: AT_ONCE });
  const perSecond = await rounds('spread', async (round) => (await spreadEvents(round)).perSecond);
  return {
    deliveries: SPREAD,
    endpoints: ENDPOINTS,
    perSecond,
    emptyPerSecond: empty.perSecond,
    ratio: ratio(median(perSecond), empty.perSecond, GOAL.ofEmptyWorkflows),
  };
}

async function burst(): Promise<object> {
  const bare: number[] = [];
  const runs = await rounds('burst', async (round) => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      fileURLToPath(new URL('./support/signed-load.ts', import.meta.url)),
      ...[receiver.url, `/bare-${round}`, String(BURST), String(AT_ONCE), String(BODY_OCTETS)],
    ]);
    bare.push(Math.round(BURST / Number(stdout)));
    return burstOfEvents(`burst-${round}`);
  });
  return {
    deliveries: BURST,
    bareLoopPerSecond: bare,
    runs,
    ratio: ratio(median(runs.map(({ perSecond }) => perSecond)), median(bare), GOAL.ofBareLoop),
  };
}

/** A few events that each go to fifty endpoints: a workflow each. */
async function spreadEvents(round: number): Promise<{ perSecond: number }> {
  const project = await stack.addProject(`spread-${round}`);
  for (let index = 0; index < ENDPOINTS; index++) await addEndpoint(project, `/spread-${round}-${index}`);
  const begun = Date.now();
  await inParallel(2, numbersBelow(SPREAD / ENDPOINTS), (index) => addContacts(project, 1, `s${index}`));
  const paths = Array.from({ length: ENDPOINTS }, (_, index) => `/spread-${round}-${index}`);
  await delivered(project, SPREAD, paths);
  const ends = await Promise.all(paths.map((path) => receiver.received(path)));
  agree(ends, SPREAD);
  return { perSecond: Math.round(SPREAD / ((Math.max(...ends.map(({ lastMs }) => lastMs)) - begun) / 1000)) };
}

/** Events for one endpoint, as fast as they can be made. */
async function burstOfEvents(
  path: string,
): Promise<{ perSecond: number; whileDelivering: number; atOnce: number; recordedAfterMs: number; cpu: object }> {
  const project = await stack.addProject(path);
  await addEndpoint(project, `/${path}`);
  const meter = await startMeter(() => stack.cpu());
  const begun = Date.now();
  await inParallel(2, numbersBelow(BURST / PAGE), (index) => addContacts(project, PAGE, `b${index}`));
  await delivered(project, BURST, [`/${path}`]);
  const recorded = Date.now();
  const end = await receiver.received(`/${path}`);
  agree([end], BURST);
  return {
    perSecond: Math.round(BURST / ((end.lastMs - begun) / 1000)),
    whileDelivering: Math.round(BURST / ((end.lastMs - end.firstMs) / 1000)),
    atOnce: end.atOnce,
    recordedAfterMs: Math.round(recorded - end.lastMs),
    cpu: await meter(async () => BURST),
  };
}

/** The events of one project, a few a second, while one endpoint has a burst and another hangs on every call. */
async function thirdEndpoint(): Promise<object> {
  progress('a third endpoint beside a burst and one that hangs');
  const [hanging, third] = [await stack.addProject('hanging'), await stack.addProject('third')];
  await addEndpoint(hanging, '/hang');
  await addEndpoint(third, '/keep');
  await addContacts(third, 1, 'warm');
  await delivered(third, 1, ['/keep']);
  await addContacts(hanging, HANGING, 'h');
  await sleep(3_000);
  let isOver = false;
  const bursts = async (): Promise<void> => {
    for (let round = 1; round <= ROUNDS; round++) await burstOfEvents(`burst-beside-${round}`);
  };
  const beside = bursts().finally(() => {
    isOver = true;
  });
  let events = 1;
  while (!isOver) {
    await sleep(EVERY_MS);
    await addContacts(third, 1, `t-${Date.now()}`);
    events++;
  }
  await beside;
  await delivered(third, events, ['/keep']);
  const { calls, atOnce } = await receiver.received('/hang');
  const took = await timesOf('/keep');
  return { ...took, hangingCalls: calls, hangingAtOnce: atOnce, met: took.p99Ms < GOAL.thirdP99Ms };
}

/** The events of one project while the second attempts are made of a burst that the endpoint of another has refused. */
async function besideRefused(): Promise<object> {
  progress('beside a burst that is refused');
  const [refusing, other] = [await stack.addProject('refusing'), await stack.addProject('beside-refusing')];
  await addEndpoint(refusing, '/refuse');
  await addEndpoint(other, '/keep-beside-refused');
  await addContacts(other, 1, 'warm');
  await delivered(other, 1, ['/keep-beside-refused']);
  for (let made = 0; made < REFUSED; made += PAGE) await addContacts(refusing, Math.min(PAGE, REFUSED - made), `r${made}`);
  const callsAre = async (count: number): Promise<void> => {
    while ((await receiver.received('/refuse')).calls < count) await sleep(20);
  };
  await callsAre(REFUSED + 1);
  progress('the second attempts have begun');
  const begunAt = Date.now();
  let isOver = false;
  const second = callsAre(2 * REFUSED).then(() => {
    isOver = true;
    return Date.now() - begunAt;
  });
  const made: Promise<void>[] = [];
  while (!isOver) {
    made.push(addContacts(other, 1, `t-${Date.now()}`));
    await sleep(EVERY_MS);
  }
  await Promise.all(made);
  await delivered(other, made.length + 1, ['/keep-beside-refused']);
  const took = await timesOf('/keep-beside-refused');
  return { refused: REFUSED, secondAttemptsTookMs: await second, ...took, met: took.p99Ms < GOAL.besideRefusedP99Ms };
}

/** From the call that made each event, whose address tells when that was, to its arrival at this path. */
async function timesOf(path: string): Promise<{ events: number; p50Ms: number; p99Ms: number; maxMs: number }> {
  const { arrivals = [] } = await receiver.received(path);
  const took = arrivals.flatMap(({ atMs, body }) => {
    const at = /"email":"t-(\d+)-0@/.exec(body)?.[1];
    return at === undefined ? [] : [atMs - Number(at)];
  });
  return { events: took.length, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), maxMs: percentile(took, 1) };
}

async function addEndpoint(project: BenchProject, path: string): Promise<void> {
  const id = uuidv7();
  const vault = createVault(Buffer.from(stack.env.SECRET_KEY ?? '', 'base64'));
  const secret = vault.seal(Buffer.from(`whsec_${randomBytes(32).toString('base64')}`), sealedOf.endpointSecret(id));
  await database.query('insert into webhook_endpoints (id, project_id, url, events, sealed_secret) values ($1, $2, $3, $4, $5)', [
    id,
    project.projectId,
    `${receiver.url}${path}`,
    ['contact.subscribed'],
    secret,
  ]);
}

async function addContacts(project: BenchProject, count: number, name: string): Promise<void> {
  await callApi(
    project,
    'POST',
    '/contacts',
    Array.from({ length: count }, (_, index) => ({ email: `${name}-${index}@to.example` })) as object,
  );
}

/** Until so many came to these paths and are recorded as delivered. */
async function delivered(project: BenchProject, count: number, paths: readonly string[]): Promise<void> {
  // The receiver is asked first: it costs less than a look at the rows.
  for (;;) {
    const came = await Promise.all(paths.map((path) => receiver.received(path)));
    if (came.reduce((sum, { calls }) => sum + calls, 0) >= count) break;
    await sleep(100);
  }
  for (;;) {
    const { rows } = await database.query(
      "select count(*) filter (where status = 'delivered')::integer as delivered, count(*) filter (where status = 'failed')::integer as failed from webhook_deliveries where project_id = $1",
      [project.projectId],
    );
    if (rows[0].failed > 0) throw new Error(`${rows[0].failed} deliveries failed`);
    if (rows[0].delivered >= count) return;
    await sleep(50);
  }
}

/** Each event came, and came once. */
function agree(ends: readonly Received[], count: number): void {
  const sum = (of: 'calls' | 'distinct'): number => ends.reduce((total, end) => total + end[of], 0);
  if (sum('calls') !== count || sum('distinct') !== count)
    throw new Error(`${sum('calls')} calls with ${sum('distinct')} ids came for ${count} deliveries`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function ratio(ours: number, theirs: number, goal: number): { ratio: number; goal: number; met: boolean } {
  const value = Number((ours / theirs).toFixed(2));
  return { ratio: value, goal, met: value >= goal };
}
