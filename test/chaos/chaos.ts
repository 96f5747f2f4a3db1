import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { check, PROMISES } from './check.ts';
import { carryOut, type Fault, planFaults } from './faults.ts';
import { startSmtpMailServer } from './mail-server.ts';
import { inWords, runMillion } from './million.ts';
import type { Observed, Violation } from './observed.ts';
import { type Random, seededRandom } from './random.ts';
import { startResendMailServer } from './resend-mail-server.ts';
import { type Side, startSide } from './side.ts';
import { startChaosStack } from './stack.ts';

/**
 * API, worker, PostgreSQL and Temporal are killed and stopped at random under a load of all features; then every promise is checked from
 * outside. Half of the load goes over an SMTP server, half over a provider that honours idempotency keys, cuts, refuses and loses answers.
 * Prints a JSON summary; exit code 1 when a promise was not kept.
 *
 * CHAOS_SEED: the same faults as in that run. CHAOS_MINUTES: of the load, 5 unless told. --check FILE: check what an earlier run has observed.
 *
 * --million [--recipients 1000000] [--kills 20]: one campaign to so many, and kills of everything in the middle of it, instead.
 */
const { values } = parseArgs({
  options: {
    check: { type: 'string' },
    million: { type: 'boolean', default: false },
    recipients: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '20' },
  },
});
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
if (values.million) process.exit((await million()) ? 0 : 1);
progress(`CHAOS_SEED=${SEED}, ${MINUTES} minutes, logs in ${folder}`);
setTimeout(() => {
  progress(`not over after ${HARD_BOUND_MS / 1000} s; the logs are in ${folder}`);
  process.exit(1);
}, HARD_BOUND_MS).unref();

const isKept = await run();
process.exit(isKept ? 0 : 1);

/** Each use has its own numbers, so that the faults are the same whatever else happens. */
function randomOf(use: number): Random {
  return seededRandom(SEED * 31 + use);
}

async function million(): Promise<boolean> {
  const [recipients, kills] = [Number(values.recipients), Number(values.kills)];
  if (!(recipients >= 1_000 && kills >= 0)) throw new Error('--recipients is a number from 1000 on, --kills one from 0 on');
  progress(`CHAOS_SEED=${SEED}, ${recipients} recipients, ${kills} kills, logs in ${folder}`);
  const report = await runMillion({ recipients, kills, folder, randomOf, progress });
  process.stdout.write(`${JSON.stringify({ seed: SEED, ...report }, null, 2)}\n`);
  process.stderr.write(`${inWords(report)}\n`);
  const isKept = report.broken.length === 0;
  if (isKept) await rm(folder, { recursive: true, force: true });
  else progress(`the logs are in ${folder}`);
  return isKept;
}

async function run(): Promise<boolean> {
  const providers = [
    { name: 'smtp', mailServer: await startSmtpMailServer(), deduplicates: false },
    { name: 'resend', mailServer: await startResendMailServer(randomOf(1)), deduplicates: true },
  ] as const;
  const ends: (() => Promise<void>)[] = providers.map(
    ({ mailServer }) =>
      () =>
        mailServer.stop(),
  );
  let isKept = false;
  try {
    const stack = await startChaosStack({
      folder,
      providers: providers.map(({ name, mailServer }) => ({ name, providerUrl: mailServer.providerUrl })),
      settings: { WEBHOOK_RETRY_BASE_SECONDS: String(RETRY_BASE_SECONDS) },
      progress,
    });
    ends.push(() => stack.stop());
    const sides: Side[] = [];
    for (const [index, provider] of providers.entries()) {
      const side = await startSide({
        ...provider,
        ...{ installation: stack.installations[index]!, share: 1 / providers.length, retryBaseSeconds: RETRY_BASE_SECONDS, deadline },
        randomOf: (use) => randomOf(10 * (index + 1) + use),
      });
      sides.push(side);
      ends.push(() => side.stop());
    }
    progress('the load begins');
    const durationMs = MINUTES * 60_000;
    const until = Date.now() + durationMs;
    const members = [...stack.members, providers[1].mailServer.member];
    const plan = planFaults(
      randomOf(2),
      members.map(({ name }) => name),
      durationMs,
    );
    const faults = carryOut(plan, members, progress);
    const loads = Promise.all(sides.map((side) => side.load(until)));
    const done = await faults;
    progress('everybody runs; waiting until all is settled');
    for (const side of sides) side.heal();
    await loads;
    const unsettled = async () => (await Promise.all(sides.map((side) => side.unsettled()))).flat();
    let left = await unsettled();
    for (; left.length > 0 && Date.now() < deadline; left = await unsettled()) {
      progress(`not settled yet: ${left.join(', ')}`);
      await sleep(LOOK_EVERY_MS);
    }
    const seen = await Promise.all(sides.map(look));
    report(seen, done, left);
    isKept = seen.every(({ violated }) => violated.length === 0);
    return isKept;
  } finally {
    for (const end of ends.toReversed()) await end();
    if (isKept) await rm(folder, { recursive: true, force: true });
    else progress(`the logs are in ${folder}`);
  }
}

interface Looked {
  readonly name: string;
  readonly observed: Observed;
  readonly violated: readonly Violation[];
}

/** Until all is as promised, or the time is over: a mail of unknown outcome has its row after a while, and what happened last its events. */
async function look(side: Side): Promise<Looked> {
  const { name } = side;
  for (;;) {
    const observed = await side.observe();
    const violated = check(observed);
    if (violated.length === 0 || Date.now() > deadline) {
      if (violated.length > 0) await writeFile(join(folder, `observed-${name}.json`), JSON.stringify(observed));
      return { name, observed, violated };
    }
    const [first] = violated;
    progress(`${violated.length} cases of ${name} are not as promised yet, like: ${first?.promise}: ${JSON.stringify(first)}`);
    await sleep(2 * LOOK_EVERY_MS);
  }
}

/** `left`: what was still under way when the time was over; what was seen of it may be half of what happens. */
function report(seen: readonly Looked[], faults: readonly Fault[], left: readonly string[]): void {
  const isKept = seen.every(({ violated }) => violated.length === 0);
  const summary = {
    seed: SEED,
    seconds: Math.round((Date.now() - startedAt) / 1000),
    faults: countBy(faults, ({ kind, member }) => `${kind} ${member.split(' ')[0]}`),
    promises: PROMISES.length,
    ...(left.length > 0 ? { notSettled: left } : {}),
    ...Object.fromEntries(seen.map(({ name, observed, violated }) => [name, { ...summaryOf(observed), violated }])),
    ...(isKept ? {} : { logs: folder, again: `CHAOS_SEED=${SEED} CHAOS_MINUTES=${MINUTES} npm run test:chaos` }),
  };
  process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
}

function summaryOf({ calls, mails, hooks, sends, outcomeUnknown, campaigns, enrollments, endpoints }: Observed): object {
  const deliveries = endpoints.flatMap((endpoint) => endpoint.deliveries);
  return {
    calls: { ...countBy(calls, ({ kind }) => kind), answers: countBy(calls, ({ status }) => String(status ?? 'none')) },
    mails: mails.length,
    // Each mail of the load has a recipient or a subject of its own.
    duplicates: mails.length - new Set(mails.map(({ to, subject }) => `${to} ${subject}`)).size,
    outcomeUnknown: sends.filter(({ error }) => error?.startsWith('outcome_unknown')).length,
    withoutOutcome: outcomeUnknown.length,
    sends: countBy(sends, ({ status, source_type }) => `${source_type} ${status}`),
    campaigns: countBy(campaigns, ({ status }) => status),
    enrollments: countBy(enrollments, ({ status, end_reason }) => `${status} ${end_reason ?? ''}`.trim()),
    webhooks: { calls: hooks.length, deliveries: countBy(deliveries, ({ status }) => status) },
  };
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Readonly<Record<string, number>> {
  return Object.fromEntries([...Map.groupBy(items, key)].map(([name, same]) => [name, same.length]));
}
