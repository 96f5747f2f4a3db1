import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { insertScheduled } from '../../db/queries/sends/scheduled-sends.ts';
import { row, rows } from '../../db/rows.ts';
import { sha256 } from '../../domain/projects/crypto.ts';
import type { ScheduledRequest } from '../../sending/sources/scheduled.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
const openSending = sendingsOfFile();

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

/** As a worker has it that has taken it: its row says that it is due. */
async function taken(): Promise<ScheduledRequest> {
  const [id, to] = [uuidv7(), project.address()];
  const waiting = {
    ...{ id, project_id: project.id, due_at: new Date(Date.now() - 1_000), call: { template: 'receipt', to }, caller: {} as never },
    ...{
      contact_id: null,
      to_email: to,
      template: 'receipt',
      type: 'transactional' as const,
      brand_id: project.slug,
      subject: '',
      sandboxed: false,
      idempotency_key: null,
      request_hash: null,
    },
  };
  await em.fork().transactional(async (tx) => {
    await insertScheduled(tx, project.id, [waiting]);
    // Nobody else takes it, whoever finds that it waits.
    await row(tx, sql`update scheduled_sends set available_at = now() + interval '1 hour' where id = ${id}`);
  });
  const key = `scheduled/${id}`;
  return { ...(await mailRequest(project, to)), sendId: id, identity: { by: 'key', key, requestHash: sha256(key) }, overdueMs: 0 };
}

const hasRow = async (id: string) => (await rows(em, sql`select 1 from sends where id = ${id}`)).length > 0;

test.each([
  ['cancelled', (id: string) => sql`delete from scheduled_sends where id = ${id}`],
  ['moved', (id: string) => sql`update scheduled_sends set due_at = now() + interval '1 day' where id = ${id}`],
])('a scheduled mail that was %s after a worker had taken it neither goes nor has a row', async (_, change) => {
  const { sending, submitted } = await openSending();
  const [withdrawn, other] = [await taken(), await taken()];
  await row(em, change(withdrawn.sendId));
  expect(await sending.sendScheduled([withdrawn, other])).toMatchObject([{ value: { state: 'withdrawn' } }, { value: { state: 'sent' } }]);
  expect(submitted.map(({ sendId }) => sendId)).toEqual([other.sendId]);
  expect([await hasRow(withdrawn.sendId), await hasRow(other.sendId)]).toEqual([false, true]);
});

test('a scheduled mail that is taken again after its outcome was recorded does not go again', async () => {
  const { sending, submitted } = await openSending();
  const request = await taken();
  expect(await sending.sendScheduled([request])).toMatchObject([{ value: { state: 'sent' } }]);
  expect(await sending.sendScheduled([request])).toMatchObject([{ value: { state: 'sent' } }]);
  expect(submitted).toHaveLength(1);
});
