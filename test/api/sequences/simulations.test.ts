import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { chain, fork, is, MAIL } from '../../domain/sequences/graphs.ts';
import { newFlow } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, must, newContact } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let other: TestProject;

const WAIT = { id: 'w', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };

beforeAll(async () => {
  em = await database();
  [project, other] = await Promise.all([newProject(), newProject()]);
});

test('simulate takes a contact of the project or one that exists only in the request', async () => {
  const contactId = await newContact(project, project.address(), { attributes: { is: 'x' }, tags: ['vip'] });
  const branches = [
    { key: 'attribute', when: is('x') },
    { key: 'tag', when: { field: 'contact.tags', op: 'contains', value: 'vip' } },
    { key: 'event', when: { field: 'event.plan', op: 'eq', value: 'pro' } },
    { key: 'zone', when: { field: 'contact.timezone', op: 'eq', value: 'Asia/Tokyo' } },
  ];
  const flow = await newFlow(
    project,
    fork({ id: 'b', kind: 'branch', config: { branches } }, ['attribute', 'tag', 'event', 'zone', 'default']),
  );
  const end = async (body: object) => (await flow.simulate(body)).at(-1);
  expect(await end({ contactId })).toBe('to_attribute');
  expect(await end({ contact: { tags: ['vip'] } })).toBe('to_tag');
  expect(await end({ contact: {}, event: { type: 'x', payload: { plan: 'pro' } } })).toBe('to_event');
  expect(await end({ contact: { timezone: 'Asia/Tokyo' } })).toBe('to_zone');
  expect(await end({ contact: {} })).toBe('to_default');
  expect(await end({ contact: {}, assume: { b: 'tag' } })).toBe('to_tag');
  const { body } = await project.api.post(`/sequences/${flow.key}/simulate`, { contact: {} });
  expect(body).toEqual({
    ok: true,
    path: [
      { nodeId: 'trigger', kind: 'trigger', detail: expect.any(String) },
      { nodeId: 'b', kind: 'branch', detail: expect.any(String) },
      { nodeId: 'to_default', kind: 'exit', detail: expect.any(String) },
    ],
    sends: [],
    endedBy: 'exit',
  });
});

test('simulate needs a contact that exists and a graph that can be entered', async () => {
  const flow = await newFlow(project, chain(MAIL));
  const empty = await newFlow(project, { status: 'draft', nodes: [], edges: [] });
  const simulate = (key: string, body: object) => project.api.post(`/sequences/${key}/simulate`, body);
  const stranger = await newContact(other, other.address());
  expect(await simulate(flow.key, {})).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  expect(await simulate(flow.key, { contact: null, contactId: null })).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  expect(await simulate(flow.key, { contact: { timezone: 'Mars/Base' } })).toMatchObject({
    status: 422,
    body: { code: 'invalid_request' },
  });
  for (const contactId of [randomUUID(), stranger])
    expect(await simulate(flow.key, { contactId })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await simulate('no-such-key', { contact: {} })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await simulate(empty.key, { contact: {} })).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('simulate judges segments, events and mails as a real run does, also in the match of a goal', async () => {
  const email = project.address();
  const contactId = await newContact(project, email, { tags: ['buyer'] });
  must(await project.api.post('/segments', { label: 'Buyers', filter: { tags: ['buyer'] } }), 201);
  must(await project.api.post('/events', { type: 'seen', email }), 200);
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 5 } };
  const match = { all: [{ segment: 'buyers' }, { event: { type: 'seen' } }] };
  const flow = await newFlow(project, { ...fork(wait, ['event', 'timeout']), goal: { event: { type: 'paid', match } } });
  const paid = { event: { type: 'paid' } };
  const endedBy = async (who: object) => must(await project.api.post(`/sequences/${flow.key}/simulate`, { ...who, ...paid }), 200).endedBy;
  expect(await endedBy({ contactId })).toBe('goal');
  expect(await endedBy({ contact: { tags: ['buyer'] } })).toBe('exit');
});

test('simulate writes nothing and starts no workflow', async () => {
  const quiet = await newProject();
  const contactId = await newContact(quiet, quiet.address(), { firstName: 'Before' });
  const update = { id: 'u', kind: 'update_contact', config: { set: { firstName: 'After' }, status: 'unsubscribed' } };
  const sub = await newFlow(quiet, chain(WAIT));
  const calls = { id: 'c', kind: 'webhook', config: { url: 'http://127.0.0.1:9/' } };
  const enters = { id: 's', kind: 'subflow', config: { sequenceKey: sub.key } };
  const flow = await newFlow(quiet, chain(MAIL, update, calls, enters));
  const counts = () =>
    row(
      em,
      sql`select (select count(*) from enrollments where project_id = ${quiet.id}) as enrollments,
                 (select count(*) from sends where project_id = ${quiet.id}) as sends,
                 (select count(*) from events where project_id = ${quiet.id}) as events,
                 (select count(*) from outbox where workflow_id like 'enrollment/%' and message -> 'searchAttributes' ->> 'EverpostProject' = ${quiet.slug}) as outbox,
                 (select to_jsonb(c) from contacts c where id = ${contactId}) as contact`,
    );
  const before = await counts();
  const { body } = await quiet.api.post(`/sequences/${flow.key}/simulate`, { contactId, event: { type: 'x' } });
  expect(body).toMatchObject({ ok: true, sends: ['welcome'], endedBy: 'exit' });
  expect(await counts()).toEqual(before);
  expect(before).toMatchObject({ enrollments: 0, sends: 0, events: 0, outbox: 0 });
  expect((await (await temporalClient()).workflow.count(`EverpostProject = '${quiet.slug}'`)).count).toBe(0);
});
