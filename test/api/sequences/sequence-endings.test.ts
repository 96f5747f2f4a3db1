import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { RUNS_AT_ONCE } from '../../../db/queries/sequences/sequence-endings.ts';
import { findSequence } from '../../../db/queries/sequences/sequences.ts';
import { row, rows } from '../../../db/rows.ts';
import { enroll } from '../../../usecases/sequences/enroll.ts';
import { chain, MAIL } from '../../domain/sequences/graphs.ts';
import { stepOf } from '../../sending/steps.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually } from '../../support/eventually.ts';
import { newEventType, newFlow } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { newSending } from '../../support/sending.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentEnds,
  enrollmentOf,
  must,
  newContact,
  newSequence,
  type TestSequence,
} from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome');
});

/** More than a call ends itself. */
const MANY = 3 * RUNS_AT_ONCE;

/** So many runs that no workflow knows of. */
async function addRuns({ id }: TestSequence, count: number): Promise<void> {
  await row(
    em,
    sql`
      with added as (
        insert into contacts (id, project_id, email, status, brand_id)
        select uuid_v7(), ${project.id}, ${id} || '-' || n || '@many.example', 'subscribed', ${project.slug} from generate_series(1, ${count}) n
        returning id
      )
      insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id)
      select uuid_v7(), ${project.id}, ${id}, 1, id from added`,
  );
}

/** A run that no page of the others takes with it, whether pages go by an index (the newest first) or by the place in the table. */
async function addLastRun({ id: sequenceId }: TestSequence, contactId: string): Promise<string> {
  return eventually(async () => {
    const id = uuidv7();
    await row(
      em,
      sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, started_at)
          values (${id}, ${project.id}, ${sequenceId}, 1, ${contactId}, now() - interval '1 day')`,
    );
    const behind = sql`select 1 from enrollments r, enrollments o where r.id = ${id} and o.sequence_id = ${sequenceId} and o.ctid > r.ctid limit 1`;
    if ((await row(em, behind)) === undefined) return id;
    // Space that others left, in front of them: the next one finds less of it.
    await row(em, sql`update enrollments set status = 'completed' where id = ${id}`);
    return undefined;
  });
}

async function countRuns({ id }: TestSequence, status: string): Promise<number> {
  return (await row(
    em,
    sql<{ count: number }>`select count(*) as count from enrollments where sequence_id = ${id} and status = ${status}`,
  ))!.count;
}

const archive = ({ key }: TestSequence) =>
  project.api.put(`/sequences/${key}`, { name: 'Archived', status: 'archived', nodes: [], edges: [] });

test('a sequence with more runs than one call ends is archived by the answer, and a worker ends the others', async () => {
  const sequence = await newSequence(project);
  await addRuns(sequence, MANY);
  must(await archive(sequence), 200);
  expect(await countRuns(sequence, 'active')).toBeLessThanOrEqual(MANY - RUNS_AT_ONCE);
  await eventually(async () => (await countRuns(sequence, 'active')) === 0, { timeoutMs: 30_000 });
  const reasons = await rows(em, sql`select distinct status, end_reason from enrollments where sequence_id = ${sequence.id}`);
  expect(reasons).toEqual([{ status: 'cancelled', end_reason: 'archived' }]);
  await eventually(async () => (await row(em, sql`select 1 from sequences where id = ${sequence.id} and not is_ending`)) !== undefined);
});

test('a deleted sequence is gone for everybody at once and its key is free, though a worker deletes most of its runs', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  await newContact(project, email);
  await addRuns(sequence, MANY);
  const last = await sequence.enroll(email);
  must(await project.api.delete(`/sequences/${sequence.key}`), 200);
  for (const [method, path] of [
    ['GET', `/sequences/${sequence.key}`],
    ['GET', `/enrollments/${last}`],
    ['DELETE', `/enrollments/${last}`],
    ['DELETE', `/sequences/${sequence.key}`],
  ] as const)
    expect(await project.api.call(method, path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  const keys = must(await project.api.get('/sequences'), 200).sequences.map(({ key }: { key: string }) => key);
  expect(keys).not.toContain(sequence.key);
  expect(must(await project.api.post('/events', { type: sequence.trigger, email }), 200).enrolled).toBe(0);
  const again = { key: sequence.key, name: 'Again', status: 'active', steps: [{ template: 'welcome', delayMinutes: DAY_MINUTES }] };
  must(await project.api.post('/sequences', again), 201);
  must(await project.api.post(`/sequences/${sequence.key}/enroll`, { email }), 200);
  await eventually(async () => (await row(em, sql`select 1 from sequences where id = ${sequence.id}`)) === undefined, {
    timeoutMs: 30_000,
  });
  expect(await rows(em, sql`select 1 from enrollments where sequence_id = ${sequence.id}`)).toEqual([]);
});

test('the answer to an archiving waits for a mail whose statement looked before it, also of a run that it did not end', async () => {
  const sequence = await newSequence(project);
  await addRuns(sequence, MANY);
  const contactId = await newContact(project, project.address());
  const enrollmentId = await addLastRun(sequence, contactId);
  let accept = (): void => {};
  const accepted = new Promise<void>((resolve) => {
    accept = resolve;
  });
  const sending = await newSending({ answer: () => accepted.then(() => ({ outcome: 'accepted', providerId: undefined }) as const) });
  try {
    let archiving: Promise<unknown> | undefined;
    let isAnswered = false;
    let sent: Promise<unknown> | undefined;
    await em.fork().transactional(async (tx) => {
      // The statement that writes the intent has looked at the sequence and waits for this row of the same visit.
      await row(
        tx,
        sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, enrollment_id, node_id, visit)
            values (${uuidv7()}, ${project.id}, ${project.slug}, 'held@example.com', 'welcome', 'transactional', 'sequence', ${enrollmentId}, 'send_1', 1)`,
      );
      sent = sending.sending.sendStep(await stepOf(project, { enrollmentId, contactId }, { sourceId: sequence.id }));
      await untilBlocked(tx);
      archiving = archive(sequence).then(() => {
        isAnswered = true;
      });
      await eventually(async () => (await countRuns(sequence, 'cancelled')) >= 2 * RUNS_AT_ONCE);
      await sleep(300);
      expect(isAnswered).toBe(false);
      await row(tx, sql`delete from sends where to_email = 'held@example.com'`);
    });
    await eventually(() => sending.submitted.length === 1);
    expect(isAnswered).toBe(false);
    accept();
    await archiving;
    expect(await sent).toMatchObject({ state: 'sent' });
  } finally {
    accept();
    await sending.close();
  }
});

test('a run that was over when its sequence was archived stays over, whatever the sequence became before its row said so', async () => {
  const type = newEventType();
  const flow = await newFlow(
    project,
    chain({ id: 'w', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } }, MAIL),
  );
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await flow.enroll(email);
  await eventually(async () => (await enrollmentOf(em, id)).waiting_for !== null);
  // Archived and made active again, with its rows still to be ended.
  await row(em, sql`update sequences set archived_at = now() where id = ${flow.id}`);
  const event = { type, email, exitSequences: [flow.key] };
  expect(must(await project.api.post('/events', event), 200)).toMatchObject({ reArmed: 0, exited: 0 });
  const sending = await newSending();
  const sent = await sending.sending
    .sendStep(await stepOf(project, { enrollmentId: id, contactId }, { sourceId: flow.id }))
    .finally(() => sending.close());
  expect(sent).toEqual({ state: 'ended' });
  await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).signal('changed');
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'archived' });
});

const DELETED = { 'and gone': 'delete from sequences', 'and still to go': `update sequences set deleted_at = now(), status = 'archived'` };

test.each([
  ['enroll', 'and gone'],
  ['enroll', 'and still to go'],
  ['enroll/bulk', 'and gone'],
  ['enroll/bulk', 'and still to go'],
] as const)('to a call to %s that waits for its contact a sequence deleted meanwhile, %s, is not found', async (call, how) => {
  const sequence = await newSequence(project);
  const email = project.address();
  await newContact(project, email);
  const body = call === 'enroll' ? { email } : { emails: [email] };
  const entering = await em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where email = ${email} for update`);
    const enrolling = project.api.post(`/sequences/${sequence.key}/${call}`, body);
    await untilBlocked(tx);
    await row(em, sql`${sql.raw(DELETED[how])} where id = ${sequence.id}`);
    return { enrolling };
  });
  expect(await entering.enrolling).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('a sequence does not go while a transaction is entering it', async () => {
  const { key } = await newSequence(project);
  const sequence = (await findSequence(em, project.id, key))!;
  const deleting = await em.fork().transactional(async (tx) => {
    await enroll(tx, { project, sequence, contacts: [], eventId: null, isBulk: false, isSandboxed: false, newId: uuidv7 });
    const deleted = project.api.delete(`/sequences/${key}`);
    await untilBlocked(tx);
    return { deleted };
  });
  expect((await deleting.deleted).status).toBe(200);
});

test('an event enters the other sequences that it triggers when one of them is deleted on the way', async () => {
  const type = newEventType();
  const first = await newSequence(project, { trigger: type });
  const second = await newSequence(project, { trigger: type });
  const email = project.address();
  await newContact(project, email);
  const entering = await em.fork().transactional(async (tx) => {
    // The event has found both and cannot enter the first.
    await row(tx, sql`select 1 from sequences where id = ${first.id} for update`);
    const happening = project.api.post('/events', { type, email });
    await untilBlocked(tx);
    must(await project.api.delete(`/sequences/${second.key}`), 200);
    expect(await rows(em, sql`select 1 from sequences where id = ${second.id}`)).toEqual([]);
    return { happening };
  });
  expect(must(await entering.happening, 200)).toMatchObject({ enrolled: 1 });
});
