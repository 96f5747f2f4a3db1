import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { type HeldKey, type KeyClaim, leaseKey, releaseKey, storeAnswer } from '../../../db/queries/operations/idempotency.ts';
import { row } from '../../../db/rows.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const MINUTE_MS = 60_000;

let em: EntityManager;
let projectId: string;

beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  projectId = (await bareProject(em)).id;
});

async function lease(claim: KeyClaim): Promise<HeldKey> {
  const leased = await leaseKey(em, claim);
  if (leased.state !== 'leased') throw new Error(`the key is not free: ${leased.state}`);
  return { ...claim, since: leased.since };
}

/** So many minutes pass for what the key stands on. Answers with the lease as it is known then. */
async function pass(minutes: number, held: HeldKey): Promise<HeldKey> {
  const ago = sql`make_interval(mins => ${minutes})`;
  await row(
    em,
    sql`update idempotency_keys set leased_until = leased_until - ${ago}, created_at = created_at - ${ago} where key = ${held.key}`,
  );
  return { ...held, since: new Date(held.since.getTime() - minutes * MINUTE_MS) };
}

/** A call whose process was frozen for longer than its lease, and the same call made again, which has taken the lease over. */
async function takenOver(): Promise<{ frozen: HeldKey; present: HeldKey; later: KeyClaim }> {
  const call = { projectId, route: '/events', key: uuidv7(), requestHash: randomBytes(32) };
  const early = await pass(9, await lease(call));
  expect(await leaseKey(em, call)).toMatchObject({ state: 'in_progress' });
  const frozen = await pass(2, early);
  return { frozen, present: await lease(call), later: call };
}

test('a call whose lease was taken over stores no answer, so nothing that it wrote stands; that of the present one does', async () => {
  const { frozen, present, later } = await takenOver();
  await expect(storeAnswer(em, frozen, 200, { by: 'frozen' })).rejects.toThrow('the lease of an idempotency key was lost');
  await storeAnswer(em, present, 200, { by: 'present' });
  await expect(storeAnswer(em, frozen, 200, { by: 'frozen' })).rejects.toThrow('the lease of an idempotency key was lost');
  expect(await leaseKey(em, later)).toMatchObject({ state: 'completed', body: { by: 'present' } });
});

test('a call whose lease was taken over does not free the key when it fails', async () => {
  const { frozen, present, later } = await takenOver();
  await releaseKey(em, frozen);
  expect(await leaseKey(em, later)).toMatchObject({ state: 'in_progress' });
  await releaseKey(em, present);
  expect(await leaseKey(em, later)).toMatchObject({ state: 'leased' });
});

test('an answer that is stored is not taken back by a call that fails after it', async () => {
  const { present, later } = await takenOver();
  await storeAnswer(em, present, 200, { by: 'present' });
  await releaseKey(em, present);
  expect(await leaseKey(em, later)).toMatchObject({ state: 'completed', body: { by: 'present' } });
});

test('of a key that two projects use, each at two routes, each call is answered as itself', async () => {
  const other = (await bareProject(em)).id;
  const key = uuidv7();
  const calls = [projectId, other].flatMap((of) =>
    ['/events', '/campaigns'].map((route): KeyClaim => ({ projectId: of, route, key, requestHash: randomBytes(32) })),
  );
  const held: HeldKey[] = [];
  for (const call of calls) held.push(await lease(call));
  for (const call of calls) expect(await leaseKey(em, call)).toMatchObject({ state: 'in_progress' });
  for (const one of held) await storeAnswer(em, one, 200, { of: one.projectId, at: one.route });
  for (const call of calls)
    expect(await leaseKey(em, call)).toEqual({ state: 'completed', status: 200, body: { of: call.projectId, at: call.route } });
});
