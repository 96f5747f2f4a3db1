import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { check, PROMISES } from './check.ts';
import { createDriver } from './driver.ts';
import { carryOut, type Fault, planFaults } from './faults.ts';
import { createReader } from './gather.ts';
import { runLoad } from './load.ts';
import { startMailServer } from './mail-server.ts';
import type { Observed, Violation } from './observed.ts';
import { seededRandom } from './random.ts';
import { startChaosReceiver } from './receiver.ts';
import { startChaosStack } from './stack.ts';
import { makeWorld } from './world.ts';

/**
 * API, worker, PostgreSQL and Temporal are killed and stopped at random under a load of all features; then every promise is checked from
 * outside. Prints a JSON summary; exit code 1 when a promise was not kept.
 *
 * CHAOS_SEED: the same faults as in that run. CHAOS_MINUTES: of the load, 5 unless told. --check FILE: check what an earlier run has observed.
 */
const { values } = parseArgs({ options: { check: { type: 'string' } } });
const SEED = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));
const MINUTES = Number(process.env.CHAOS_MINUTES ?? 5);
/** Of everything. */
const HARD_BOUND_MS = 600_000;
/** For the last look and the end of the processes. */
const RESERVE_MS = 35_000;
const RETRY_BASE_SECONDS = 0.5;
const LOOK_EVERY_MS = 3_000;

const progress = (line: string): void => void process.stderr.write(`[chaos ${SEED}] ${line}\n`);

if (values.check !== undefined) {
  const observed = JSON.parse(await readFile(values.check, 'utf8')) as Observed;
  const violated = check(observed);
  process.stdout.write(`${JSON.stringify({ violated }, null, 2)}\n`);
  process.exit(violated.length === 0 ? 0 : 1);
}
if (!(SEED >= 0) || !(MINUTES > 0 && MINUTES <= 7)) throw new Error('CHAOS_SEED is a number, CHAOS_MINUTES one from 0 to 7');

const startedAt = Date.now();
const deadline = startedAt + HARD_BOUND_MS - RESERVE_MS;
const folder = await mkdtemp(join(tmpdir(), 'everpost-chaos-'));
progress(`CHAOS_SEED=${SEED}, ${MINUTES} minutes, logs in ${folder}`);
setTimeout(() => {
  progress(`not over after ${HARD_BOUND_MS / 1000} s; the logs are in ${folder}`);
  process.exit(1);
}, HARD_BOUND_MS).unref();

const isKept = await run();
process.exit(isKept ? 0 : 1);

/** Each use has its own numbers, so that the faults are the same whatever else happens. */
function randomOf(use: number) {
  return seededRandom(SEED * 31 + use);
}

async function run(): Promise<boolean> {
  const receiver = await startChaosReceiver(randomOf(1));
  const mailServer = await startMailServer();
  const ends: (() => Promise<void>)[] = [() => receiver.close(), () => mailServer.stop()];
  let isKept = false;
  try {
    const stack = await startChaosStack({ folder, smtpUrl: mailServer.smtpUrl, retryBaseSeconds: RETRY_BASE_SECONDS, progress });
    ends.push(() => stack.stop());
    const common = { apiUrls: stack.apiUrls, apiKey: stack.key, insistUntil: () => deadline };
    const besides = createDriver({ ...common, random: randomOf(2) });
    const world = await makeWorld(besides, receiver, stack.webhookSecret);
    const driver = createDriver({ ...common, random: randomOf(3) });
    progress('the load begins');
    const durationMs = MINUTES * 60_000;
    const until = Date.now() + durationMs;
    const names = stack.members.map(({ name }) => name);
    const faults = carryOut(planFaults(randomOf(4), names, durationMs), stack.members, progress);
    const load = runLoad({ driver, world, mailServer, random: randomOf(5), until });
    const done = await faults;
    progress('everybody runs; waiting until all is settled');
    receiver.heal();
    mailServer.heal();
    await load;
    const reader = createReader(besides);
    let left = await reader.unsettled(world);
    for (; left.length > 0 && Date.now() < deadline; left = await reader.unsettled(world)) {
      progress(`not settled yet: ${left.join(', ')}`);
      await sleep(LOOK_EVERY_MS);
    }
    // A mail in doubt has its row after a while, and what happened last its events.
    for (;;) {
      const observed: Observed = {
        ...{ retryBaseSeconds: RETRY_BASE_SECONDS, calls: driver.calls, mails: await mailServer.mails(), hooks: receiver.hooks },
        ...(await reader.everything(world)),
      };
      const violated = check(observed);
      if (violated.length > 0 && Date.now() < deadline) {
        progress(`${violated.length} cases are not as promised yet, like: ${violated[0]?.promise}: ${JSON.stringify(violated[0])}`);
        await sleep(2 * LOOK_EVERY_MS);
        continue;
      }
      if (violated.length > 0) await writeFile(join(folder, 'observed.json'), JSON.stringify(observed));
      report(observed, done, violated);
      isKept = violated.length === 0;
      return isKept;
    }
  } finally {
    for (const end of ends.toReversed()) await end();
    if (isKept) await rm(folder, { recursive: true, force: true });
    else progress(`the logs are in ${folder}`);
  }
}

function report(
  { calls, mails, hooks, sends, campaigns, enrollments, endpoints }: Observed,
  faults: readonly Fault[],
  violated: readonly Violation[],
): void {
  const countBy = <T>(items: readonly T[], key: (item: T) => string) =>
    Object.fromEntries([...Map.groupBy(items, key)].map(([name, same]) => [name, same.length]));
  const isKept = violated.length === 0;
  const deliveries = endpoints.flatMap((endpoint) => endpoint.deliveries);
  const summary = {
    seed: SEED,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    faults: countBy(faults, ({ kind, member }) => `${kind} ${member.split(' ')[0]}`),
    calls: { ...countBy(calls, ({ kind }) => kind), answers: countBy(calls, ({ status }) => String(status ?? 'none')) },
    mails: mails.length,
    duplicates: mails.length - new Set(mails.map(({ messageId }) => messageId)).size,
    inDoubt: sends.filter(({ error }) => error?.startsWith('outcome_unknown')).length,
    sends: countBy(sends, ({ status, source_type }) => `${source_type} ${status}`),
    campaigns: countBy(campaigns, ({ status }) => status),
    enrollments: countBy(enrollments, ({ status, end_reason }) => `${status} ${end_reason ?? ''}`.trim()),
    webhooks: { calls: hooks.length, deliveries: countBy(deliveries, ({ status }) => status) },
    promises: PROMISES.length,
    violated,
    ...(isKept ? {} : { logs: folder, again: `CHAOS_SEED=${SEED} CHAOS_MINUTES=${MINUTES} npm run test:chaos` }),
  };
  process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
}
