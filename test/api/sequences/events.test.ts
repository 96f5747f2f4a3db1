import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, enrollmentOf, must, newContact, newSequence, type TestSequence } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const post = (body: object) => project.api.post('/events', body);

async function enrollmentsOf({
  id,
}: TestSequence): Promise<{ id: string; status: string; end_reason: string | null; event_id: string | null }[]> {
  return rows(em, sql<never>`select id, status, end_reason, event_id from enrollments where sequence_id = ${id} order by started_at, id`);
}

async function eventsOf(contactId: string): Promise<{ type: string; data: unknown }[]> {
  return rows(em, sql<never>`select type, data from events where contact_id = ${contactId} order by created_at, id`);
}

test('an event makes its unknown contact, is kept, and enrolls into every active sequence that it triggers', async () => {
  const first = await newSequence(project);
  const { trigger } = first;
  const second = await newSequence(project, { trigger });
  const resting = await Promise.all(['draft', 'paused', 'archived'].map((status) => newSequence(project, { trigger, status })));
  const elsewhere = await newProject();
  const foreign = await newSequence(elsewhere, { trigger });
  const email = project.address();
  const { status, body } = await post({ type: trigger, email: email.toUpperCase(), data: { plan: 'pro' }, later: 1 });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      ok: true,
      contactId: expect.any(String),
      enrolled: 2,
      reArmed: 0,
      goals: 0,
      exited: 0,
      duplicate: false,
      warnings: [{ path: 'later', message: expect.any(String) }],
    },
  });
  expect((await project.api.get(`/contacts/${body.contactId}`)).body.contact).toMatchObject({
    email,
    status: 'subscribed',
    source: 'event',
  });
  expect(await eventsOf(body.contactId)).toEqual([{ type: trigger, data: { plan: 'pro' } }]);
  for (const sequence of [first, second]) expect(await enrollmentsOf(sequence)).toMatchObject([{ status: 'active' }]);
  for (const sequence of [...resting, foreign]) expect(await enrollmentsOf(sequence)).toEqual([]);
});

test('a trigger matches the whole type exactly', async () => {
  const { trigger } = await newSequence(project, { trigger: `Signed up ${randomUUID()}` });
  for (const type of [trigger.toLowerCase(), `${trigger} `, trigger.slice(0, -1), '%'])
    expect(must(await post({ type, email: project.address() }), 200).enrolled).toBe(0);
  expect(must(await post({ type: trigger, email: project.address() }), 200).enrolled).toBe(1);
});

test('a type of 1000 characters beyond ASCII triggers too', async () => {
  const { trigger } = await newSequence(project, { trigger: `${randomUUID()}${'ü'.repeat(964)}` });
  expect(must(await post({ type: trigger, email: project.address() }), 200).enrolled).toBe(1);
  expect((await post({ type: `${trigger}ü`, email: project.address() })).status).toBe(422);
});

test('an event nobody waits for still makes the contact', async () => {
  const email = project.address();
  const { contactId, ...counts } = must(await post({ type: 'nobody waits', email, data: null, exitSequences: null }), 200);
  expect(counts).toEqual({ ok: true, enrolled: 0, reArmed: 0, goals: 0, exited: 0, duplicate: false });
  expect(must(await post({ type: 'nobody waits', contactId }), 200).contactId).toBe(contactId);
  expect(await eventsOf(contactId)).toHaveLength(2);
});

test('the contact may be named by its id, which goes before an address', async () => {
  const email = project.address();
  const contactId = await newContact(project, email);
  const unknown = project.address('unknown');
  expect(must(await post({ type: 'by id', contactId, email: unknown }), 200).contactId).toBe(contactId);
  expect((await project.api.get(`/contacts?q=${unknown}`)).body.totalCount).toBe(0);
  const elsewhere = await newProject();
  const foreign = await newContact(elsewhere, elsewhere.address());
  for (const id of [randomUUID(), foreign])
    expect(await post({ type: 'by id', contactId: id })).toMatchObject({ status: 404, body: { ok: false, code: 'not_found' } });
});

const contact = { email: 'somebody@valid.example' };
const invalid: [what: string, body: object, path: string][] = [
  ['no type', contact, 'type'],
  ['an empty type', { ...contact, type: '' }, 'type'],
  ['a type that is no text', { ...contact, type: 5 }, 'type'],
  ['neither email nor contactId', { type: 't' }, 'email'],
  ['both null', { type: 't', email: null, contactId: null }, 'email'],
  ['a bad address', { type: 't', email: 'somebody@' }, 'email'],
  ['a bad id', { type: 't', contactId: '123' }, 'contactId'],
  ['data that is a list', { ...contact, type: 't', data: [] }, 'data'],
  ['data that is a text', { ...contact, type: 't', data: 'x' }, 'data'],
  ['exitSequences that is a text', { ...contact, type: 't', exitSequences: 'key' }, 'exitSequences'],
  ['an exit that is no text', { ...contact, type: 't', exitSequences: ['a', 5] }, 'exitSequences[1]'],
  ['a NUL in the type', { ...contact, type: 'a\0b' }, 'type'],
];

test.each(invalid)('%s is invalid_request and names the field', async (_what, body, path) => {
  const answer = await post(body);
  expect(answer).toMatchObject({ status: 422, body: { ok: false, code: 'invalid_request' } });
  expect(answer.body.issues).toContainEqual({ path, message: expect.any(String) });
});

test('without a brand no contact can be made', async () => {
  const { api, address } = await newProject({ noBrand: true });
  expect(await api.post('/events', { type: 't', email: address() })).toMatchObject({ status: 422, body: { code: 'no_brand' } });
});

test('for an unsubscribed contact the event is refused and nothing at all is written', async () => {
  const [triggered, running] = [await newSequence(project), await newSequence(project)];
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await running.enroll(email);
  await project.api.post(`/contacts/${contactId}/unsubscribe`);
  const before = (await project.api.get(`/contacts/${contactId}`)).body.contact;
  for (const who of [{ email }, { contactId }]) {
    const answer = await post({ type: triggered.trigger, ...who, exitSequences: [running.key] });
    expect(answer).toMatchObject({ status: 422, body: { ok: false, code: 'contact_unsubscribed' } });
  }
  expect(await enrollmentsOf(triggered)).toEqual([]);
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active' });
  expect(await eventsOf(contactId)).toEqual([]);
  expect((await project.api.get(`/contacts/${contactId}`)).body.contact).toEqual(before);
});

test('a bounced contact is accepted and stays bounced', async () => {
  const { trigger } = await newSequence(project);
  const email = project.address();
  const contactId = await newContact(project, email, { status: 'bounced' });
  expect(must(await post({ type: trigger, email }), 200)).toMatchObject({ contactId, enrolled: 1 });
  expect((await project.api.get(`/contacts/${contactId}`)).body.contact.status).toBe('bounced');
});

test('an event leaves what is known of its contact as it is', async () => {
  const email = project.address();
  const contactId = await newContact(project, email, { firstName: 'Ada', status: 'pending', source: 'import', tags: ['a'] });
  await post({ type: 't', email });
  const { body } = await project.api.get(`/contacts/${contactId}`);
  expect(body.contact).toMatchObject({ first_name: 'Ada', status: 'pending', source: 'import', tags: ['a'] });
});

test('exitSequences cancels this contact in these sequences only; unknown and foreign keys are passed over', async () => {
  const [left, kept] = [await newSequence(project), await newSequence(project)];
  const [email, other] = [project.address('mine'), project.address('other')];
  for (const address of [email, other]) await newContact(project, address);
  const mine = [await left.enroll(email), await kept.enroll(email)];
  const theirs = await left.enroll(other);
  const elsewhere = await newProject();
  const foreign = await newSequence(elsewhere);
  const exits = [left.key, left.key, foreign.key, 'no-such-key', '%'];
  expect(must(await post({ type: 'left', email, exitSequences: exits }), 200)).toMatchObject({ enrolled: 0, exited: 1 });
  expect(await enrollmentOf(em, mine[0]!)).toMatchObject({ status: 'cancelled', end_reason: 'exit_sequences' });
  for (const id of [mine[1]!, theirs]) expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active' });
  expect(must(await post({ type: 'left', email, exitSequences: exits }), 200)).toMatchObject({ exited: 0 });
});

test('an event that exits the sequence it triggers starts it afresh', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  const call = () => post({ type: sequence.trigger, email, exitSequences: [sequence.key] });
  expect(must(await call(), 200)).toMatchObject({ enrolled: 1, exited: 0 });
  expect(must(await call(), 200)).toMatchObject({ enrolled: 1, exited: 1 });
  expect(await enrollmentsOf(sequence)).toMatchObject([{ status: 'cancelled', end_reason: 'exit_sequences' }, { status: 'active' }]);
});

test('twenty events at once for one new contact make one contact and one enrollment, and the counts add up', async () => {
  const [one, two] = [await newSequence(project), await newSequence(project)];
  const email = project.address();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => post({ type: n % 2 ? one.trigger : two.trigger, email })));
  const bodies = answers.map((answer) => must(answer, 200));
  expect(new Set(bodies.map(({ contactId }) => contactId)).size).toBe(1);
  expect(bodies.reduce((sum, { enrolled }) => sum + enrolled, 0)).toBe(2);
  expect(await enrollmentsOf(one)).toHaveLength(1);
  expect(await enrollmentsOf(two)).toHaveLength(1);
  expect(await eventsOf(bodies[0].contactId)).toHaveLength(20);
});

test('twenty restarts at once end all but one enrollment, and the counts say exactly that', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post({ type: sequence.trigger, email, exitSequences: [sequence.key] })),
  );
  const bodies = answers.map((answer) => must(answer, 200));
  expect(bodies.reduce((sum, { enrolled }) => sum + enrolled, 0)).toBe(20);
  expect(bodies.reduce((sum, { exited }) => sum + exited, 0)).toBe(19);
  const all = await enrollmentsOf(sequence);
  expect(all.map(({ status }) => status).toSorted()).toEqual(['active', ...Array(19).fill('cancelled')]);
});

test('the data of the event that enrolls is there in the mails of the run', async () => {
  await enableTemplates(project, 'welcome');
  const steps = [{ template: 'welcome', subject: 'The {{ event.plan.name }} plan' }];
  const { trigger } = await newSequence(project, { steps });
  const email = project.address();
  must(await post({ type: trigger, email, data: { plan: { name: 'Pro' } } }), 200);
  const [mail] = await mailTo(email);
  expect(mail?.raw).toMatch(/^subject: The Pro plan\r?$/im);
});
