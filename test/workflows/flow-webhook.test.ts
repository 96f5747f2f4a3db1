import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callWebhook } from '../../activities/webhook-node.ts';
import { type EntityManager, openDatabase } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { createVault } from '../../domain/projects/crypto.ts';
import { createSafeHttp } from '../../platform/http/safe-http.ts';
import { FairSlots } from '../../webhooks/fair-slots.ts';
import { chain, TRIGGER } from '../domain/sequences/graphs.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { enrollmentIn, eventTrigger, happens, newEventType, newFlow, type TestFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enrollmentEnds, must, newContact, traceOf } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';
import { stateOf } from '../support/webhooks.ts';

let em: EntityManager;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  receiver = await startHttpReceiver();
});

afterAll(() => receiver?.close());

/** A flow that calls a path of its own; `data` is the payload of the event that enrolls. */
async function calls(
  config: object,
  data: object = {},
  contact: object = {},
): Promise<{ id: string; email: string; path: string; flow: TestFlow }> {
  const type = newEventType();
  const path = `/${type}`;
  const node = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}`, ...config } };
  const flow = await newFlow(project, { ...chain(node), triggers: eventTrigger(type) });
  const email = project.address();
  await newContact(project, email, contact);
  await happens(project, { type, email, data });
  return { id: await enrollmentIn(em, flow.id, email), email, path, flow };
}

test('a call carries contact, event and enrollment, signed with the secret of the project', async () => {
  const { id, email, path, flow } = await calls({}, { plan: 'pro' }, { firstName: 'Ada', attributes: { n: 1 } });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook called', 'exit ended']);
  const [call, ...more] = receiver.calls(path);
  expect(more).toEqual([]);
  expect(call).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json', 'webhook-id': `${id}.hook.1` } });
  const { contact, ...rest } = new Webhook(project.webhookSecret).verify(call!.body, call!.headers as Record<string, string>) as {
    contact: Record<string, unknown>;
  };
  expect(rest).toEqual({ event: { plan: 'pro' }, enrollment: { id, sequence_key: flow.key, node_id: 'hook' } });
  const { suppressed: _, ...listed } = (await project.api.get(`/contacts?q=${encodeURIComponent(email)}`)).body.contacts[0];
  expect(contact).toEqual(listed);
  expect(contact).toMatchObject({ email, first_name: 'Ada', attributes: { n: 1 } });
});

test('a call whose visit has its outcome is not made again, as after a reset', async () => {
  const { id, path } = await calls({});
  const { steps } = (await enrollmentEnds(em, id)) && (await project.api.get(`/enrollments/${id}`)).body.enrollment;
  expect(steps[1]).toMatchObject({ outcome: 'called', detail: 'answered 200' });
  await row(em, sql`update enrollments set status = 'active' where id = ${id}`);
  const deps = {
    em,
    http: createSafeHttp({ allowPrivate: true }),
    slots: undefined as never,
    vault: undefined as never,
    calls: undefined as never,
    triesBefore: 0,
    triesMade: 0,
    now: () => new Date(),
    nextTryAt: () => null,
  };
  expect(await callWebhook(deps, { enrollmentId: id, step: 2 })).toEqual({ step: 2, outcome: 'called', detail: 'answered 200' });
  expect(receiver.calls(path)).toHaveLength(1);
});

test('a call that was taken is not made again though the database would not record it', async () => {
  const { id, path } = await calls({});
  await enrollmentEnds(em, id);
  const { databaseUrl, secretKey } = testEnvironment();
  const limits = { lock: 100 };
  const impatient = await openDatabase({ url: databaseUrl, poolSize: 1, patience: 30_000, applicationName: 'everpost-test', limits });
  const deps = {
    em: impatient.em.fork(),
    http: createSafeHttp({ allowPrivate: true }),
    slots: new FairSlots({ total: 100, perEndpoint: 10, mostWaiting: 10 }),
    vault: createVault(Buffer.from(secretKey, 'base64')),
    calls: { called: () => undefined, givenUp: () => undefined },
    triesBefore: 0,
    triesMade: 0,
    now: () => new Date(),
    nextTryAt: () => null,
  };
  try {
    // Again where reconcile has ended the run meanwhile, whose workflow is over: no call is made then.
    const report = await eventually(async () => {
      // As it stood before the call.
      await row(em, sql`update enrollments set status = 'active' where id = ${id}`);
      await row(em, sql`update enrollment_steps set outcome = null, detail = null where enrollment_id = ${id} and step = 2`);
      return em.fork().transactional(async (tx) => {
        await row(tx, sql`select 1 from enrollment_steps where enrollment_id = ${id} and step = 2 for update`);
        return callWebhook(deps, { enrollmentId: id, step: 2 });
      });
    });
    expect(report).toEqual({ step: 2, outcome: 'called', detail: 'answered 200' });
    expect(receiver.calls(path)).toHaveLength(2);
  } finally {
    await impatient.close();
  }
});

test.each([
  ['is answered', 200, 'hook called'],
  ['is refused', 500, 'hook failed'],
])('a call in flight when its run is cancelled that %s is told so in the trace', async (_what, status, visit) => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  const path = `/${newEventType('held')}`;
  receiver.holdUp(path, mayAnswer);
  receiver.answer(path, status);
  const { id } = await calls({ url: `${receiver.url}${path}` });
  await eventually(() => receiver.calls(path).length === 1);
  must(await project.api.delete(`/enrollments/${id}`), 200);
  // Its workflow is gone before the answer comes.
  await expect((await temporalClient()).workflow.getHandle(`enrollment/${id}`).result()).rejects.toThrow();
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook null']);
  answer();
  await eventually(async () => (await traceOf(em, id))[1] !== 'hook null');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', visit]);
  expect(receiver.calls(path)).toHaveLength(1);
});

test('the texts of address, headers and body are Liquid, and other values stay as they are', async () => {
  const path = `/${newEventType('liquid')}`;
  const { id } = await calls(
    {
      url: `${receiver.url}${path}/{{ event.plan }}?to={{ contact.first_name | url_encode }}`,
      method: 'PUT',
      headers: { 'x-plan': '{{ event.plan }}' },
      body: { plan: '{{ event.plan }}', list: [1, null, '{{ enrollment.node_id }}'], on: true },
    },
    { plan: 'pro' },
    { firstName: 'Ada & Co' },
  );
  await enrollmentEnds(em, id);
  const [call] = receiver.calls(path);
  expect(call).toMatchObject({ method: 'PUT', path: `${path}/pro?to=Ada+%26+Co`, headers: { 'x-plan': 'pro' } });
  expect(JSON.parse(call!.body)).toEqual({ plan: 'pro', list: [1, null, 'hook'], on: true });
});

test('a GET has no body, and is signed all the same', async () => {
  const { id, path } = await calls({ method: 'GET' });
  await enrollmentEnds(em, id);
  const [call] = receiver.calls(path);
  expect(call).toMatchObject({ method: 'GET', body: '', headers: { 'webhook-signature': expect.stringMatching(/^v1,/) } });
});

test('a call that is refused is tried again under the same id until it is taken', async () => {
  const type = newEventType();
  const path = `/${type}`;
  receiver.answer(path, 500, 404, 429);
  const node = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}` } };
  const flow = await newFlow(project, chain(node));
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook called', 'exit ended']);
  expect(receiver.calls(path).map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill(`${id}.hook.1`));
});

/** Everything but 2xx, five times. */
async function refused(config: object): Promise<{ id: string; path: string }> {
  const path = `/${newEventType('refused')}`;
  receiver.answer(path, ...[500, 500, 302, 500, 500, 500]);
  const { id } = await calls({ url: `${receiver.url}${path}`, ...config });
  return { id, path };
}

test('after five tries a call is given up and the run goes on', async () => {
  const { id, path } = await refused({});
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook failed', 'exit ended']);
  expect(receiver.calls(path)).toHaveLength(5);
  const { steps } = (await project.api.get(`/enrollments/${id}`)).body.enrollment;
  expect(steps[1]).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('answered 500') });
});

test('where a failed call is to end the run, it is cancelled as failed', async () => {
  const { id, path } = await refused({ onError: 'fail' });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'failed' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook failed']);
  expect(receiver.calls(path)).toHaveLength(5);
  const client = await temporalClient();
  await client.workflow.getHandle(`enrollment/${id}`).result();
  expect(await stateOf(client, `enrollment/${id}`)).toBe('failed');
});

test('a header that no request can carry fails the call, not the run', async () => {
  const { id, path } = await calls({ headers: { 'x-name': '{{ event.name }}' } }, { name: 'a\r\nx-more: 1' });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(receiver.calls(path).filter(({ headers }) => headers['x-more'] !== undefined)).toEqual([]);
});

test('a body of more than 1 MB fails the step, and nothing is called', async () => {
  const { id, path } = await calls({ body: '{% for i in (1..1100) %}{{ event.text }}{% endfor %}' }, { text: 'x'.repeat(1000) });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(receiver.calls(path)).toEqual([]);
  const { steps } = (await project.api.get(`/enrollments/${id}`)).body.enrollment;
  expect(steps[1]).toMatchObject({ outcome: 'failed', detail: expect.stringContaining('over the budget') });
});

test('an address where nobody listens is given up with a reason', async () => {
  const { id } = await calls({ url: 'http://127.0.0.1:1/' });
  await enrollmentEnds(em, id);
  const { steps } = (await project.api.get(`/enrollments/${id}`)).body.enrollment;
  expect(steps[1]).toMatchObject({ kind: 'webhook', outcome: 'failed', detail: expect.stringMatching(/network/) });
});

test('each visit of a node is a call of its own', async () => {
  const path = `/${newEventType('visits')}`;
  const seen = { field: 'contact.tags', op: 'contains', value: 'second' };
  const flow = await newFlow(project, {
    nodes: [
      TRIGGER,
      { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}` } },
      { id: 'b', kind: 'branch', config: { when: seen } },
      { id: 'u', kind: 'update_contact', config: { addTags: ['second'] } },
      { id: 'exit', kind: 'exit' },
    ],
    edges: [
      { from: 'trigger', to: 'hook' },
      { from: 'hook', to: 'b' },
      { from: 'b', to: 'u', branchKey: 'false' },
      { from: 'b', to: 'exit', branchKey: 'true' },
      { from: 'u', to: 'hook' },
    ],
  });
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await enrollmentEnds(em, id);
  expect(receiver.calls(path).map(({ headers }) => headers['webhook-id'])).toEqual([`${id}.hook.1`, `${id}.hook.2`]);
});
