import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rampDays, setRamp } from '../../db/queries/domains/ramps.ts';
import { setSendingDomain } from '../../db/queries/domains/sending-domains.ts';
import type { Taken } from '../../db/queries/sends/allowance-days.ts';
import type { Ramp } from '../../domain/sends/allowance.ts';
import { createAllowance } from '../../sending/allowances/allowance.ts';
import { type Allowances, createAllowances } from '../../sending/allowances/allowances.ts';
import { createRamps } from '../../sending/allowances/ramps.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const FIRST_DAY = new Date('2026-03-05T18:00:00Z');

/** A clock of the test's own, which stands. */
function days() {
  let at = FIRST_DAY;
  return {
    now: () => at,
    pass: (count: number) => {
      at = new Date(at.getTime() + count * 86_400_000);
    },
  };
}

async function domainWithRamp(ramp: Ramp): Promise<{ readonly id: string; readonly domain: string }> {
  const [id, domain] = [uuidv7(), `d${uuidv7()}.example`];
  await setSendingDomain(em, { id, projectId: project.id, domain, verified: true });
  await setRamp(em, id, ramp);
  return { id, domain };
}

/** How many of so many mails may go, all asked for at once. */
async function taken(allowances: readonly Allowances[], count: number, isBulk = true): Promise<number> {
  const asked = Array.from({ length: count }, (_, n) => (allowances[n % allowances.length] as Allowances).take(isBulk));
  return (await Promise.all(asked)).filter((held) => held === undefined).length;
}

const STEPS = { steps: [5, 30], from: '2026-03-05' };

test('campaigns of all processes together get the step of the day; a day without mail is no step, and after the last there is no limit', async () => {
  const { domain } = await domainWithRamp(STEPS);
  const clock = days();
  const processes = [createRamps({ em, now: clock.now }), createRamps({ em, now: clock.now })];
  const allowances = (await Promise.all(processes.map((ramps) => ramps.of(project.id, domain)))) as Allowances[];
  expect(await taken(allowances, 12)).toBe(5);
  expect(await allowances[0]?.take(true)).toMatchObject({
    outcome: 'later',
    message: `today's allowance of ${domain} is used; it goes on at 00:00 UTC`,
    retryAfterSeconds: 6 * 3_600,
    heldBy: 'allowance',
    allowance: { of: 'domain', name: domain },
  });
  clock.pass(3);
  expect(await taken(allowances, 50)).toBe(30);
  clock.pass(1);
  expect(await taken(allowances, 200)).toBe(200);
});

test('mails of calls and sequences are never held, and leave campaigns so much less', async () => {
  const { domain } = await domainWithRamp(STEPS);
  const allowances = (await createRamps({ em, now: days().now }).of(project.id, domain)) as Allowances;
  expect(await taken([allowances], 3, false)).toBe(3);
  expect(await taken([allowances], 5)).toBe(2);
  expect(await taken([allowances], 40, false)).toBe(40);
  expect(await taken([allowances], 1)).toBe(0);
});

test('what was taken and did not go may go again, and what a process has left when it ends is free for others', async () => {
  const { domain } = await domainWithRamp({ steps: [500] });
  const { now } = days();
  const [one, other] = [createRamps({ em, now }), createRamps({ em, now })];
  const [mine, theirs] = [(await one.of(project.id, domain)) as Allowances, (await other.of(project.id, domain)) as Allowances];
  expect(await taken([mine], 7)).toBe(7);
  mine.giveBack(true);
  await one.close();
  expect(await taken([theirs], 600)).toBe(494);
});

test('what a process has taken and nobody asks it for is given back by itself', async () => {
  const { id, domain } = await domainWithRamp({ steps: [10_000] });
  const allowances = (await createRamps({ em, now: days().now }).of(project.id, domain)) as Allowances;
  const counted = async () => (await rampDays(em, [id], '2026-03-05')).get(id)?.today;
  expect(await taken([allowances], 3)).toBe(3);
  expect(await counted()).toBe(101);
  await eventually(async () => (await counted()) === 3);
  expect(await taken([allowances], 2)).toBe(2);
});

test('a ramp that is changed, or set anew, holds what every process has taken by the one before; a new one holds at once', async () => {
  const { id, domain } = await domainWithRamp({ steps: [50_000] });
  const processes = [createRamps({ em, now: days().now }), createRamps({ em, now: days().now })];
  const all = async () => {
    for (const ramps of processes) ramps.forget(project.id);
    return (await Promise.all(processes.map((ramps) => ramps.of(project.id, domain)))) as Allowances[];
  };
  expect(await taken(await all(), 6)).toBe(6);
  await setRamp(em, id, { steps: [10] });
  expect(await taken(await all(), 20)).toBe(4);
  await setRamp(em, id, null);
  expect(await all()).toEqual([undefined, undefined]);
  await setRamp(em, id, { steps: [11] });
  expect(await taken(await all(), 20)).toBe(1);
});

test('what comes from the database by a limit that has changed meanwhile is given back', async () => {
  const [before, after] = [Promise.withResolvers<Taken>(), Promise.withResolvers<Taken>()];
  const answers = [before.promise, after.promise];
  const returned: number[] = [];
  const allowance = createAllowance({
    ...{ holder: { of: 'domain', name: 'acme.example' }, lookAgainMs: 0, now: days().now },
    take: () => answers.shift() as Promise<Taken>,
    returned: async (_, count) => void returned.push(count),
  });
  const asked = allowance.take();
  await allowance.leave();
  before.resolve({ count: 5, limit: 500 });
  after.resolve({ count: 0, limit: 3 });
  expect(await asked).toMatchObject({ outcome: 'later', heldBy: 'allowance' });
  expect(returned).toEqual([5]);
});

test('a day on which nothing went after all is no step', async () => {
  const { domain } = await domainWithRamp(STEPS);
  const clock = days();
  const first = createRamps({ em, now: clock.now });
  const allowances = (await first.of(project.id, domain)) as Allowances;
  expect(await taken([allowances], 1)).toBe(1);
  allowances.giveBack(true);
  await first.close();
  clock.pass(1);
  const next = (await createRamps({ em, now: clock.now }).of(project.id, domain)) as Allowances;
  expect(await taken([next], 12)).toBe(5);
});

test('a domain below one with a ramp obeys it, unless it has one of its own; others have none', async () => {
  const { domain } = await domainWithRamp({ steps: [4] });
  const ramps = createRamps({ em, now: days().now });
  expect(await taken([(await ramps.of(project.id, `mail.${domain}`)) as Allowances], 3)).toBe(3);
  expect(await taken([(await ramps.of(project.id, domain)) as Allowances], 3)).toBe(1);
  expect(await ramps.of(project.id, project.domain)).toBeUndefined();
});

test('the ramp of a provider holds campaigns, and its daily limit everybody', async () => {
  const { now } = days();
  const name = `p-${uuidv7()}`;
  const provider = createAllowances({
    ...{ em, holder: { of: 'provider', name }, of: { provider: name }, limits: () => ({ daily: 8, ramp: { steps: [5] } }) },
    ...{ hasRamp: true, hasDaily: true, lookAgainMs: 10_000, now },
  });
  expect(await taken([provider], 10)).toBe(5);
  expect(await taken([provider], 10, false)).toBe(3);
});
