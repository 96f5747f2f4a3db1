import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { chain, EXIT, is, MAIL, TRIGGER } from '../../domain/sequences/graphs.ts';
import { eventually } from '../../support/eventually.ts';
import { eventTrigger, newFlow, standsAt } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enrollmentOf, must, newContact, newSequence } from '../../support/sequences.ts';
import { temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let other: TestProject;

const WAIT = { id: 'w', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };

/** One node of every kind. */
const EVERYTHING = {
  name: 'Everything',
  status: 'draft',
  reentry: 'once_ever',
  cooldownHours: 1.5,
  goal: { event: { type: 'paid', match: is('x') }, condition: { segment: 'Buyers' } },
  frequencyCap: { count: 2, windowHours: 0.5 },
  triggers: [
    { kind: 'event', config: { type: 'signup', match: { field: 'event.plan', op: 'in', value: ['a', 'b'] } }, enabled: true },
    { kind: 'event', config: { type: 'never' }, enabled: false },
  ],
  nodes: [
    TRIGGER,
    { id: 'mail', kind: 'send_email', config: { template: 'welcome', subject: 'Hi {{ contact.first_name }}', data: { a: [1, null] } } },
    { id: 'delay', kind: 'wait_delay', label: 'A breath', config: { minutes: 0.5 } },
    {
      id: 'until',
      kind: 'wait_until',
      config: { time: { at: '09:30', weekdays: [1, 5], timezone: 'contact', fallback: 'Europe/Berlin' } },
    },
    { id: 'split', kind: 'split', config: { arms: [{ key: 'a', weight: 2 }, { key: 'b' }] } },
    { id: 'branch', kind: 'branch', config: { when: { all: [is('x'), { not: { event: { type: 'left', withinHours: 2 } } }] } } },
    {
      id: 'update',
      kind: 'update_contact',
      config: { set: { firstName: null, attributes: { n: 1 } }, addTags: ['t'], status: 'unsubscribed' },
    },
    { id: 'hook', kind: 'webhook', config: { url: 'https://hooks.example/{{ contact.id }}', method: 'PUT', body: null, onError: 'fail' } },
    { id: 'sub', kind: 'subflow', config: { sequenceKey: 'elsewhere', mode: 'wait' } },
    { id: 'goal', kind: 'goal', config: { condition: is('y') } },
    EXIT,
  ],
  edges: [
    { from: 'trigger', to: 'mail' },
    { from: 'mail', to: 'delay' },
    { from: 'delay', to: 'until' },
    { from: 'until', to: 'split' },
    { from: 'split', to: 'branch', branchKey: 'a' },
    { from: 'split', to: 'exit', branchKey: 'b' },
    { from: 'branch', to: 'update', branchKey: 'true' },
    { from: 'branch', to: 'hook', branchKey: 'false' },
    { from: 'update', to: 'sub' },
    { from: 'hook', to: 'goal' },
    { from: 'sub', to: 'goal' },
    { from: 'goal', to: 'exit' },
  ],
};

beforeAll(async () => {
  em = await database();
  [project, other] = await Promise.all([newProject(), newProject()]);
});

const draft = (at: TestProject) => newSequence(at, { status: 'draft' });

test('a graph is read as it was put, and what one project answers another takes', async () => {
  const [{ key }, there] = await Promise.all([draft(project), draft(other)]);
  expect(await project.api.put(`/sequences/${key}`, EVERYTHING)).toMatchObject({
    status: 200,
    body: { ok: true, key, nodes: 11, version: 2 },
  });
  const { body } = await project.api.get(`/sequences/${key}`);
  expect(body).toEqual({ ok: true, key, version: 2, ...EVERYTHING });
  expect(must(await other.api.put(`/sequences/${there.key}`, body), 200)).toEqual({ ok: true, key: there.key, nodes: 11, version: 2 });
  expect((await other.api.get(`/sequences/${there.key}`)).body).toEqual({ ...body, key: there.key });
});

test('what a body leaves out gets its default, but name and status stay', async () => {
  const { key } = await newSequence(project, { status: 'paused' });
  const { name } = (await project.api.get(`/sequences/${key}`)).body;
  must(await project.api.put(`/sequences/${key}`, chain(MAIL)), 200);
  const defaults = { reentry: 'once_active', cooldownHours: null, goal: null, frequencyCap: null, triggers: [] };
  expect((await project.api.get(`/sequences/${key}`)).body).toEqual({
    ok: true,
    key,
    version: 2,
    name,
    status: 'paused',
    ...defaults,
    ...chain(MAIL),
  });
});

test('a bad graph is refused with every problem, and nothing is applied', async () => {
  const { key } = await draft(project);
  const before = (await project.api.get(`/sequences/${key}`)).body;
  const bad = {
    name: 'New name',
    status: 'active',
    nodes: [TRIGGER, { id: 'mail', kind: 'send_email', config: { template: 'nope', brand: 'nope' } }, { id: 'far', kind: 'exit' }],
    edges: [{ from: 'trigger', to: 'mail' }],
  };
  const { status, body } = await project.api.put(`/sequences/${key}`, bad);
  expect({ status, body }).toEqual({
    status: 422,
    body: {
      ok: false,
      code: 'invalid_graph',
      error: expect.stringMatching(
        /^far: no way leads here from the trigger; mail: unknown template nope; known: .*; mail: unknown brand nope; known: /,
      ),
      issues: [
        { nodeId: 'far', message: 'no way leads here from the trigger' },
        { nodeId: 'mail', message: expect.stringMatching(/^unknown template nope; known: .*welcome/) },
        { nodeId: 'mail', message: `unknown brand nope; known: ${project.slug}` },
      ],
    },
  });
  expect((await project.api.get(`/sequences/${key}`)).body).toEqual(before);
});

test('settings, an empty body and a graph without nodes that is to be active are invalid_graph too', async () => {
  const { key } = await draft(project);
  const codeOf = async (body: object) => (await project.api.put(`/sequences/${key}`, body)).body.code;
  expect(await codeOf({ ...chain(MAIL), reentry: 'sometimes' })).toBe('invalid_graph');
  expect(await codeOf({})).toBe('invalid_graph');
  expect(await codeOf({ status: 'active', nodes: [], edges: [] })).toBe('invalid_graph');
  expect(await project.api.put(`/sequences/${key}`, { nodes: [], edges: [] })).toMatchObject({ status: 200, body: { nodes: 0 } });
});

test('running enrollments keep the version that they began with', async () => {
  const flow = await newFlow(project, chain(WAIT));
  const email = project.address();
  await newContact(project, email);
  const old = await flow.enroll(email);
  await standsAt(em, old, 'w');
  await flow.put({ ...chain({ ...WAIT, id: 'w2' }), reentry: 'always' });
  const young = await flow.enroll(email);
  await standsAt(em, young, 'w2');
  const versionOf = async (id: string) => (await project.api.get(`/enrollments/${id}`)).body.enrollment.sequence_version;
  expect(await versionOf(young)).toBe((await versionOf(old)) + 1);
  expect(await enrollmentOf(em, old)).toMatchObject({ status: 'active', current_node_id: 'w' });
});

test('a status moves anywhere, but out of archived only to draft', async () => {
  const { key } = await draft(project);
  const put = (status: string) => project.api.put(`/sequences/${key}`, { ...chain(MAIL), status });
  for (const status of ['active', 'paused', 'draft', 'paused', 'active', 'draft', 'archived', 'archived'])
    expect((await put(status)).status).toBe(200);
  for (const status of ['active', 'paused']) expect(await put(status)).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect((await project.api.get(`/sequences/${key}`)).body.status).toBe('archived');
  for (const status of ['draft', 'active', 'archived']) expect((await put(status)).status).toBe(200);
});

/** An enrollment that waits, with the name of its contact. */
async function waiting(): Promise<{ flow: Awaited<ReturnType<typeof newFlow>>; id: string }> {
  const flow = await newFlow(project, chain(WAIT));
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  return { flow, id };
}

async function workflowCloses(id: string): Promise<string> {
  const handle = (await temporalClient()).workflow.getHandle(`enrollment/${id}`);
  return eventually(async () => {
    const { status } = await handle.describe();
    return status.name !== 'RUNNING' && status.name;
  });
}

test('archiving a sequence ends its running enrollments and their workflows', async () => {
  const { flow, id } = await waiting();
  await flow.put({ ...chain(WAIT), status: 'archived' });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'archived', waiting_for: null, wakes_at: null });
  expect(await workflowCloses(id)).toBe('CANCELLED');
});

test('an enrollment that slipped in while its sequence was archived ends as soon as it looks', async () => {
  const { flow, id } = await waiting();
  await row(em, sql`update sequences set status = 'archived' where id = ${flow.id}`);
  await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).signal('changed');
  await eventually(async () => (await enrollmentOf(em, id)).end_reason === 'archived');
  expect(await workflowCloses(id)).toBe('COMPLETED');
});

test.each(['archived', 'deleted'])(
  'an event that enters a sequence while it is %s, and holds what that waits for, is not waited for in turn',
  async (how) => {
    const { flow, id } = await waiting();
    const change = () =>
      how === 'archived'
        ? project.api.put(`/sequences/${flow.key}`, { ...chain(WAIT), status: 'archived' })
        : project.api.delete(`/sequences/${flow.key}`);
    let changed: ReturnType<typeof change> | undefined;
    // As POST /events does: first the contact's enrollments, then a new one, whose foreign key locks the sequence.
    await em.fork().transactional(async (tx) => {
      const mine = (await row(tx, sql<{ pid: number }>`select pg_backend_pid() as pid from enrollments where id = ${id} for update`))!;
      changed = change();
      await eventually(() => row(em, sql`select 1 from pg_stat_activity where ${mine.pid} = any(pg_blocking_pids(pid))`));
      await row(tx, sql`select 1 from sequences where id = ${flow.id} for key share`);
    });
    expect((await changed)?.status).toBe(200);
    expect((await project.api.get(`/enrollments/${id}`)).body.enrollment?.end_reason).toBe(how === 'archived' ? 'archived' : undefined);
  },
);

test('deleting a sequence removes it with its enrollments and ends their workflows', async () => {
  const { flow, id } = await waiting();
  expect(await project.api.delete(`/sequences/${flow.key}`)).toMatchObject({ status: 200, body: { ok: true, deleted: true } });
  expect((await project.api.get(`/sequences/${flow.key}`)).body).toMatchObject({ ok: false, code: 'not_found' });
  expect((await project.api.get(`/enrollments/${id}`)).status).toBe(404);
  expect(await workflowCloses(id)).toBe('CANCELLED');
  expect((await project.api.delete(`/sequences/${flow.key}`)).status).toBe(404);
});

test('a sequence is reached by its own project alone', async () => {
  const flow = await newFlow(project, { ...chain(WAIT), triggers: eventTrigger('x') });
  const before = (await project.api.get(`/sequences/${flow.key}`)).body;
  const path = `/sequences/${flow.key}`;
  const gone = { status: 404, body: { ok: false, code: 'not_found' } };
  expect(await other.api.get(path)).toMatchObject(gone);
  expect(await other.api.delete(path)).toMatchObject(gone);
  expect(await other.api.post(`${path}/simulate`, { contact: {} })).toMatchObject(gone);
  expect(await other.api.get(`${path}/enrollments`)).toMatchObject(gone);
  expect((await project.api.get(path)).body).toEqual(before);
});
