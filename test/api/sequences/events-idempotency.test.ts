import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import type { Reply } from '../../support/api.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { eventually } from '../../support/eventually.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact, newSequence, type TestSequence } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

function post(body: object, key: string, from: TestProject = project): Promise<Reply> {
  return from.api.post('/events', body, { headers: { 'Idempotency-Key': key } });
}

async function countOf({ id }: TestSequence): Promise<number> {
  return (await rows(em, sql`select 1 from enrollments where sequence_id = ${id}`)).length;
}

test('an event repeated under its key is answered as a duplicate with zero counts, and nothing is done again', async () => {
  const sequence = await newSequence(project);
  const body = { type: sequence.trigger, email: project.address(), data: { n: 1 }, exitSequences: [sequence.key] };
  const first = must(await post(body, 'once'), 200);
  expect(first).toMatchObject({ enrolled: 1, exited: 0, duplicate: false });
  const again = await post(body, 'once');
  const { contactId } = first;
  expect({ status: again.status, body: again.body }).toEqual({
    status: 200,
    body: { ok: true, contactId, enrolled: 0, reArmed: 0, goals: 0, exited: 0, duplicate: true },
  });
  expect(await countOf(sequence)).toBe(1);
  expect(await rows(em, sql`select 1 from events where contact_id = ${contactId}`)).toHaveLength(1);
});

test('a payload with its fields in another order is the same payload, a list in another order is another', async () => {
  const email = project.address();
  const post = (text: string) => project.api.call('POST', '/events', text, { headers: { 'Idempotency-Key': 'order' } });
  const body = (data: string) => post(`{"type":"ordered","email":"${email}","data":${data}}`);
  must(await body('{"a":1,"b":{"c":[1,2],"d":null}}'), 200);
  expect(must(await body('{"b":{"d":null,"c":[1,2]},"a":1}'), 200)).toMatchObject({ duplicate: true });
  expect((await body('{"b":{"d":null,"c":[2,1]},"a":1}')).body.code).toBe('idempotency_key_reuse');
});

test('another payload under a used key is refused, and does nothing', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  must(await post({ type: sequence.trigger, email }, 'used'), 200);
  const others = [
    { type: 'other', email },
    { type: sequence.trigger, email, data: { n: 2 } },
    { type: sequence.trigger, email: project.address() },
  ];
  for (const body of others)
    expect(await post(body, 'used')).toMatchObject({ status: 422, body: { ok: false, code: 'idempotency_key_reuse' } });
  expect(await countOf(sequence)).toBe(1);
});

test('the key is that of the one project and route', async () => {
  const other = await newProject();
  const [mine, theirs] = [await newSequence(project), await newSequence(other)];
  const email = project.address();
  must(await post({ type: mine.trigger, email }, 'shared'), 200);
  expect(must(await post({ type: theirs.trigger, email }, 'shared', other), 200)).toMatchObject({ enrolled: 1, duplicate: false });
  const second = await newSequence(project);
  const enrolled = await project.api.post(`/sequences/${second.key}/enroll`, { email }, { headers: { 'Idempotency-Key': 'shared' } });
  expect(enrolled.status).toBe(200);
});

test('while a call with the key is not finished another one is told to come again', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  const contactId = await newContact(project, email);
  const body = { type: sequence.trigger, email };
  let first: Promise<Reply> | undefined;
  await em.transactional(async (tx) => {
    // The first call waits for the contact's row.
    await row(tx, sql`select 1 from contacts where id = ${contactId} for update`);
    first = post(body, 'slow');
    await eventually(() => row(tx, sql`select 1 from idempotency_keys where project_id = ${project.id} and key = 'slow'`));
    const { status, body: answer, headers } = await post(body, 'slow');
    expect({ status, code: answer.code }).toEqual({ status: 409, code: 'idempotency_in_progress' });
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(await post({ ...body, type: 'other' }, 'slow')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reuse' } });
  });
  expect(must(await first!, 200)).toMatchObject({ enrolled: 1, duplicate: false });
  expect(must(await post(body, 'slow'), 200)).toMatchObject({ contactId, duplicate: true });
});

test('of a call whose lease ran out and the one that took it over only that does the work, though the first goes on', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  const contactId = await newContact(project, email);
  const body = { type: sequence.trigger, email };
  const leased = () => row(em, sql`select 1 from idempotency_keys where project_id = ${project.id} and key = 'frozen'`);
  let calls: Promise<Reply>[] = [];
  await (await database()).transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where id = ${contactId} for update`);
    const first = post(body, 'frozen');
    await untilBlocked(tx);
    await eventually(leased);
    await row(
      em.fork(),
      sql`update idempotency_keys set leased_until = now() - interval '1 second' where project_id = ${project.id} and key = 'frozen'`,
    );
    calls = [first, post(body, 'frozen')];
    await untilBlocked(tx, 2);
  });
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([500, 200]);
  expect(await countOf(sequence)).toBe(1);
  expect(must(await post(body, 'frozen'), 200)).toMatchObject({ duplicate: true });
});

test('of twenty calls with one key at once exactly one does the work', async () => {
  const sequence = await newSequence(project);
  const body = { type: sequence.trigger, email: project.address(), exitSequences: [sequence.key] };
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, 'crowd')));
  const done = answers.filter(({ status, body: { duplicate } }) => status === 200 && duplicate === false);
  expect(done).toHaveLength(1);
  for (const { status, body: answer } of answers.filter((answer) => !done.includes(answer)))
    expect(answer.code ?? answer.duplicate).toBe(status === 409 ? 'idempotency_in_progress' : true);
  expect(await countOf(sequence)).toBe(1);
});

test('a refused call leaves its key free', async () => {
  const email = project.address();
  const contactId = await newContact(project, email, { status: 'unsubscribed' });
  expect((await post({ type: 't', email }, 'retried')).body.code).toBe('contact_unsubscribed');
  expect((await post({ type: 't' }, 'retried')).body.code).toBe('invalid_request');
  await newContact(project, email, { status: 'subscribed', resubscribe: true });
  expect(must(await post({ type: 't2', email }, 'retried'), 200)).toMatchObject({ contactId, duplicate: false });
});

test.each([
  ['empty', ''],
  ['of 201 characters', 'k'.repeat(201)],
  ['with a space inside', 'a b'],
  ['beyond ASCII', 'schl\u00fcssel'],
])('a key %s is refused before the body is looked at', async (_what, key) => {
  expect(await post({}, key)).toMatchObject({ status: 400, body: { ok: false, code: 'invalid_idempotency_key' } });
});

test('a key of 200 visible characters is taken', async () => {
  const key = `!~${'k'.repeat(198)}`;
  const body = { type: 't', email: project.address() };
  expect(must(await post(body, key), 200).duplicate).toBe(false);
  expect(must(await post(body, key), 200).duplicate).toBe(true);
});

test('a key that was answered is not taken over when its lease has run out: the answer is given for a day', async () => {
  const sequence = await newSequence(project);
  const body = { type: sequence.trigger, email: project.address() };
  must(await post(body, 'answered'), 200);
  const aged = (age: string) =>
    row(
      em,
      sql`update idempotency_keys set leased_until = now() - ${age}::interval + interval '10 minutes', created_at = now() - ${age}::interval
          where project_id = ${project.id} and key = 'answered'`,
    );
  await aged('23 hours 59 minutes');
  expect(must(await post(body, 'answered'), 200).duplicate).toBe(true);
  expect(await countOf(sequence)).toBe(1);
  await aged('24 hours 1 minute');
  expect(must(await post(body, 'answered'), 200).duplicate).toBe(false);
});

test('a lease that a crash left behind is taken over after its ten minutes', async () => {
  const sequence = await newSequence(project);
  const body = { type: sequence.trigger, email: project.address() };
  must(await post(body, 'crashed'), 200);
  const unanswered = (leasedUntil: string) =>
    row(
      em,
      sql`update idempotency_keys set response = null, response_status = null, leased_until = now() + ${leasedUntil}::interval
          where project_id = ${project.id} and key = 'crashed'`,
    );
  await unanswered('1 minute');
  expect((await post(body, 'crashed')).status).toBe(409);
  await unanswered('-1 second');
  expect(must(await post(body, 'crashed'), 200).duplicate).toBe(false);
});
