import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enrollmentBecomes, enrollmentOf, must, newContact, newSequence, type TestSequence } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

async function countOf(sequence: TestSequence, status = 'active'): Promise<number> {
  const found = await rows(em, sql`select 1 from enrollments where sequence_id = ${sequence.id} and status = ${status}`);
  return found.length;
}

/** Changes what an enrollment is judged by: the re-entry policy of the sequence's graph. */
async function setReentry(sequence: TestSequence, policy: { reentry?: string; cooldownHours?: number }): Promise<void> {
  await row(em, sql`update sequence_versions set graph = graph || ${JSON.stringify(policy)}::jsonb where sequence_id = ${sequence.id}`);
}

async function setStatus(sequence: TestSequence, status: string): Promise<void> {
  await row(em, sql`update sequences set status = ${status} where id = ${sequence.id}`);
}

const refused = (reason: string) => ({ status: 422, body: { ok: false, code: 'enroll_failed', reason } });

test('a contact is enrolled by its address, however written, or by its id', async () => {
  const sequence = await newSequence(project);
  const [first, second] = [project.address('first'), project.address('second')];
  const ids = [await newContact(project, first), await newContact(project, second)];
  const byEmail = await project.api.post(`/sequences/${sequence.key}/enroll`, { email: ` ${first.toUpperCase()} ` });
  const byId = await project.api.post(`/sequences/${sequence.key}/enroll`, { contactId: ids[1]!.toUpperCase() });
  for (const [n, { status, body }] of [byEmail, byId].entries()) {
    expect({ status, body }).toEqual({ status: 200, body: { ok: true, enrollmentId: expect.any(String) } });
    expect(await enrollmentOf(em, body.enrollmentId)).toMatchObject({
      contact_id: ids[n],
      sequence_id: sequence.id,
      status: 'active',
      event_id: null,
    });
  }
});

test('neither address nor id, or a bad one, is invalid_request; an unknown one is not found', async () => {
  const { key } = await newSequence(project);
  const other = await newProject();
  const foreign = await newContact(other, other.address());
  const call = (body: object) => project.api.post(`/sequences/${key}/enroll`, body);
  for (const body of [{}, { email: null, contactId: null }, { email: 'nobody' }, { email: 5 }, { contactId: 'no-uuid' }])
    expect(await call(body)).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [expect.anything()] } });
  for (const body of [{ email: project.address() }, { contactId: randomUUID() }, { contactId: foreign }])
    expect(await call(body)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await project.api.post('/sequences/unknown/enroll', { email: project.address() })).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});

test('the reasons against an enrollment are tried in their order', async () => {
  const sequence = await newSequence(project);
  await setReentry(sequence, { reentry: 'once_ever', cooldownHours: 1 });
  const email = project.address();
  const contactId = await newContact(project, email);
  const call = () => project.api.post(`/sequences/${sequence.key}/enroll`, { email });
  const { enrollmentId } = (await call()).body;
  await project.api.post(`/contacts/${contactId}/unsubscribe`);
  // Everything speaks against it now; one reason after the other is taken away.
  for (const status of ['draft', 'paused']) {
    await setStatus(sequence, status);
    expect(await call()).toMatchObject(refused('sequence_not_active'));
  }
  await setStatus(sequence, 'active');
  expect(await call()).toMatchObject(refused('contact_unsubscribed'));
  await newContact(project, email, { status: 'subscribed', resubscribe: true });
  expect(await call()).toMatchObject(refused('already_enrolled'));
  await project.api.delete(`/enrollments/${enrollmentId}`);
  expect(await call()).toMatchObject(refused('already_completed'));
  await setReentry(sequence, { reentry: 'once_active' });
  expect(await call()).toMatchObject(refused('cooldown'));
  await row(em, sql`update enrollments set started_at = started_at - interval '1 hour' where id = ${enrollmentId}`);
  expect((await call()).status).toBe(200);
});

test('an archived sequence enrolls nobody', async () => {
  const sequence = await newSequence(project, { status: 'archived' });
  const email = project.address();
  await newContact(project, email);
  expect(await project.api.post(`/sequences/${sequence.key}/enroll`, { email })).toMatchObject(refused('sequence_not_active'));
});

test('once_ever counts a cancelled run too; always lets a contact in again while it is in', async () => {
  const email = project.address();
  await newContact(project, email);
  const once = await newSequence(project);
  await setReentry(once, { reentry: 'once_ever' });
  await project.api.delete(`/enrollments/${await once.enroll(email)}`);
  expect(await project.api.post(`/sequences/${once.key}/enroll`, { email })).toMatchObject(refused('already_completed'));
  const always = await newSequence(project);
  await setReentry(always, { reentry: 'always' });
  expect(await always.enroll(email)).not.toBe(await always.enroll(email));
  expect(await countOf(always)).toBe(2);
});

test('a bounced and a pending contact are enrolled', async () => {
  const sequence = await newSequence(project);
  for (const status of ['bounced', 'pending']) {
    const email = project.address(status);
    await newContact(project, email, { status });
    expect(await sequence.enroll(email)).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test('twenty enrollments of one contact at once make one', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  await newContact(project, email);
  const answers = await Promise.all(Array.from({ length: 20 }, () => project.api.post(`/sequences/${sequence.key}/enroll`, { email })));
  expect(answers.map(({ status, body }) => body.reason ?? status).toSorted()).toEqual([200, ...Array(19).fill('already_enrolled')]);
  expect(await countOf(sequence)).toBe(1);
});

test('an enrollment with the same key is answered as before and made once; the key is that of the one sequence and project', async () => {
  const [one, two] = [await newSequence(project), await newSequence(project)];
  const email = project.address();
  await newContact(project, email);
  const call = (key: string, body: object = { email }) =>
    project.api.post(`/sequences/${key}/enroll`, body, { headers: { 'Idempotency-Key': 'enroll-1' } });
  const first = await call(one.key);
  const again = await call(one.key);
  expect(first.status).toBe(200);
  expect(first.headers.get('Idempotent-Replayed')).toBeNull();
  expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
  expect(again.headers.get('Idempotent-Replayed')).toBe('true');
  expect(await countOf(one)).toBe(1);
  expect((await call(two.key)).body.enrollmentId).not.toBe(first.body.enrollmentId);
  expect(await call(one.key, { email: project.address() })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reuse' } });
});

test('a refused enrollment does not occupy its key', async () => {
  const sequence = await newSequence(project, { status: 'paused' });
  const email = project.address();
  await newContact(project, email);
  const call = () => project.api.post(`/sequences/${sequence.key}/enroll`, { email }, { headers: { 'Idempotency-Key': 'later' } });
  expect(await call()).toMatchObject(refused('sequence_not_active'));
  await setStatus(sequence, 'active');
  expect((await call()).status).toBe(200);
});

test('an enrollment says which key cancelled it, and when its trace is not kept any more', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  await newContact(project, email);
  const id = await sequence.enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  const { key } = must(await project.api.get('/me'), 200);
  await project.api.delete(`/enrollments/${id}`);
  const read = async () => must(await project.api.get(`/enrollments/${id}`), 200).enrollment;
  const before = await read();
  expect(before).toMatchObject({ status: 'cancelled', steps_pruned: false, cancelled_by_key_id: key.id });
  expect(before.steps).not.toEqual([]);
  await row(em, sql`delete from enrollment_steps where enrollment_id = ${id}`);
  expect(await read()).toEqual({ ...before, steps: [], steps_pruned: true });
});
