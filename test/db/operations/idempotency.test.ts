import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { type KeyClaim, leaseKey, releaseKey, storeAnswer } from '../../../db/queries/operations/idempotency.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

const MINUTE_MS = 60_000;

let em: EntityManager;
let projectId: string;

beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  projectId = (await bareProject(em)).id;
});

/** A call whose process was frozen for longer than its lease, and the same call made again, which has taken the lease over. */
async function takenOver(): Promise<{ frozen: KeyClaim; present: KeyClaim; later: KeyClaim }> {
  const begun = Date.now();
  const call = { projectId, route: '/events', key: uuidv7(), requestHash: randomBytes(32) };
  const at = (minutes: number): KeyClaim => ({ ...call, now: new Date(begun + minutes * MINUTE_MS) });
  const [frozen, early, present, later] = [at(0), at(9), at(11), at(12)];
  expect(await leaseKey(em, frozen)).toEqual({ state: 'leased' });
  expect(await leaseKey(em, early)).toMatchObject({ state: 'in_progress' });
  expect(await leaseKey(em, present)).toEqual({ state: 'leased' });
  return { frozen, present, later };
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
  expect(await leaseKey(em, later)).toEqual({ state: 'leased' });
});

test('an answer that is stored is not taken back by a call that fails after it', async () => {
  const { present, later } = await takenOver();
  await storeAnswer(em, present, 200, { by: 'present' });
  await releaseKey(em, present);
  expect(await leaseKey(em, later)).toMatchObject({ state: 'completed', body: { by: 'present' } });
});

test('of a key that two projects use, each at two routes, each call is answered as itself', async () => {
  const other = (await bareProject(em)).id;
  const [key, now] = [uuidv7(), new Date()];
  const calls = [projectId, other].flatMap((of) =>
    ['/events', '/campaigns'].map((route): KeyClaim => ({ projectId: of, route, key, requestHash: randomBytes(32), now })),
  );
  for (const call of calls) expect(await leaseKey(em, call)).toEqual({ state: 'leased' });
  for (const call of calls) expect(await leaseKey(em, call)).toMatchObject({ state: 'in_progress' });
  for (const call of calls) await storeAnswer(em, call, 200, { of: call.projectId, at: call.route });
  for (const call of calls)
    expect(await leaseKey(em, call)).toEqual({ state: 'completed', status: 200, body: { of: call.projectId, at: call.route } });
});
