import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { chain, MAIL } from '../../domain/sequences/graphs.ts';
import { newEventType } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enrollmentBecomes, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const change = (key: string, body: object, by = project) => by.api.call('PATCH', `/sequences/${key}`, body);
const read = async (key: string) => must(await project.api.get(`/sequences/${key}`), 200);

test('a change of name and status keeps the graph and its version, and says what is there then', async () => {
  const { key } = await newSequence(project);
  const before = await read(key);
  expect(await change(key, { name: 'Renamed' })).toMatchObject({
    status: 200,
    body: { ok: true, key, name: 'Renamed', status: 'active', version: 1 },
  });
  expect((await change(key, { status: 'paused' })).body).toEqual({ ok: true, key, name: 'Renamed', status: 'paused', version: 1 });
  expect((await change(key, {})).body).toEqual({ ok: true, key, name: 'Renamed', status: 'paused', version: 1 });
  expect(await read(key)).toEqual({ ...before, name: 'Renamed', status: 'paused' });
});

test('pausing holds a run before its mail, resuming sends it, archiving ends the others', async () => {
  const { key, enroll } = await newSequence(project, { steps: [{ template: 'welcome', delayMinutes: 0.1 }] });
  must(await project.api.put('/templates/welcome', { enabled: true }), 200);
  const [first, second] = [project.address(), project.address()];
  await Promise.all([newContact(project, first), newContact(project, second)]);
  const run = await enroll(first);
  must(await change(key, { status: 'paused' }), 200);
  await enrollmentBecomes(em, run, ({ waiting_for }) => waiting_for === 'held:paused');
  expect((await project.api.post(`/sequences/${key}/enroll`, { email: second })).body).toMatchObject({ reason: 'sequence_not_active' });
  must(await change(key, { status: 'active' }), 200);
  expect(await enrollmentEnds(em, run)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  const { key: other, enroll: enrollOther } = await newSequence(project);
  const waiting = await enrollOther(second);
  must(await change(other, { status: 'archived' }), 200);
  expect(await enrollmentEnds(em, waiting)).toMatchObject({ status: 'cancelled', end_reason: 'archived' });
});

test('what PUT refuses of a status is refused here, and so is what no sequence has', async () => {
  const { key } = await newSequence(project, { status: 'draft' });
  must(await project.api.put(`/sequences/${key}`, { nodes: [], edges: [] }), 200);
  expect(await change(key, { status: 'active' })).toMatchObject({
    status: 422,
    body: { code: 'invalid_graph', issues: [{ message: 'an active sequence needs nodes' }] },
  });
  must(await change(key, { status: 'archived' }), 200);
  expect(await change(key, { status: 'active' })).toMatchObject({ status: 422, body: { code: 'invalid_status' } });
  expect((await change(key, { status: 'draft' })).body).toMatchObject({ status: 'draft' });
  for (const body of [{ status: 'running' }, { name: '' }, { name: 5 }]) {
    expect(await change(key, body)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  }
  expect(await change('nobody-has-it', { name: 'x' })).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await change(key, { name: 'x' }, await newProject())).toMatchObject({ status: 404 });
  expect(await change(key, { name: 'x' }, { ...project, ...(await project.newKey(['contacts:write'])) })).toMatchObject({ status: 403 });
});

test('PUT under a new key makes the sequence, each further PUT the next version, and every answer tells it', async () => {
  const type = newEventType();
  const triggers = [{ kind: 'event', config: { type }, enabled: true }];
  const put = (key: string, body: object, by = project) => by.api.put(`/sequences/${key}`, body);
  expect(await put('put-new', chain(MAIL))).toMatchObject({ status: 200, body: { ok: true, key: 'put-new', nodes: 3, version: 1 } });
  expect(await read('put-new')).toMatchObject({ name: 'put-new', status: 'draft', version: 1 });
  const asked = { ...chain(MAIL), name: 'Welcome', status: 'active', triggers };
  expect((await put('put-active', asked)).body).toMatchObject({ version: 1 });
  expect(must(await project.api.post('/events', { type, email: project.address() }), 200)).toMatchObject({ enrolled: 1 });
  expect((await put('put-active', { ...(await read('put-active')) })).body).toMatchObject({ version: 2 });
  expect(await read('put-active')).toMatchObject({ name: 'Welcome', status: 'active', version: 2 });
  const theirs = await newProject();
  expect((await put('put-active', chain(MAIL), theirs)).body).toMatchObject({ version: 1 });
  expect(await read('put-active')).toMatchObject({ name: 'Welcome', version: 2 });
  const { sequences } = must(await project.api.get('/sequences'), 200);
  expect(sequences).toContainEqual(expect.objectContaining({ key: 'put-active', version: 2 }));
  const made = await project.api.post('/sequences', { key: 'posted', name: 'Posted', steps: [{ template: 'welcome' }] });
  expect(made).toMatchObject({ status: 201, body: { version: 1 } });
});

test('a bad graph, a bad key and a project without a brand make no sequence; ten calls at once make one', async () => {
  const put = (key: string, body: object = chain(MAIL), by = project) => by.api.put(`/sequences/${key}`, body);
  expect(await put('never', { nodes: [], edges: [], status: 'active' })).toMatchObject({ status: 422, body: { code: 'invalid_graph' } });
  expect((await project.api.get('/sequences/never')).status).toBe(404);
  expect((await put('No_Key')).status).toBe(404);
  expect(await put('never', chain(), await newProject({ noBrand: true }))).toMatchObject({ status: 422, body: { code: 'no_brand' } });
  const versions = (await Promise.all(Array.from({ length: 10 }, () => put('at-once')))).map(({ body }) => body.version);
  expect(versions.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
