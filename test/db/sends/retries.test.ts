import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { claimRetry, followerOf, releaseRetry } from '../../../db/queries/sends/retries.ts';
import { row, rows } from '../../../db/rows.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

test('who takes a claim of a retry back late does not free that of another, who has it since', async () => {
  const em = (await ownDatabase()).em.fork();
  const project = await bareProject(em);
  const send = await bareSend(em, project, { status: 'failed', error: 'provider_unavailable: away' });
  const [frozen, other] = [uuidv7(), uuidv7()];
  expect(await claimRetry(em, send, frozen)).toBeUndefined();
  expect(await claimRetry(em, send, other)).toEqual({ id: frozen, hasRow: false });
  await rows(em, sql`update sends set retried_at = retried_at - interval '1 hour' where id = ${send.id}`);
  expect(await claimRetry(em, send, other)).toBeUndefined();
  await releaseRetry(em, send.id, frozen);
  expect(await followerOf(em, project.id, send.id)).toEqual({ id: other, hasRow: false });
  await releaseRetry(em, send.id, other);
  expect(await followerOf(em, project.id, send.id)).toEqual({ id: null, hasRow: false });
});

test('a claim has been taken back when the answer to that is there, and whoever cannot take it back is told', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const project = await bareProject(em);
  const send = await bareSend(em, project, { status: 'failed', error: 'provider_unavailable: away' });
  const as = uuidv7();
  expect(await claimRetry(em, send, as)).toBeUndefined();
  let isOver = false;
  const released = await orm.em.fork().transactional(async (tx) => {
    await row(tx, sql`select from sends where id = ${send.id} for update`);
    const release = releaseRetry(em, send.id, as).finally(() => {
      isOver = true;
    });
    await untilBlocked(tx);
    expect(isOver).toBe(false);
    return { release };
  });
  await released.release;
  expect(await followerOf(em, project.id, send.id)).toEqual({ id: null, hasRow: false });
  await expect(releaseRetry(em, send.id, 'no id')).rejects.toThrow();
});
