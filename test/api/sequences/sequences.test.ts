import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

const valid = { key: 'valid', name: 'Valid', steps: [{ template: 'welcome' }] };

test('a sequence is built from its steps as a linear flow graph', async () => {
  const body = {
    key: 'onboarding-1_a',
    name: 'Onboarding',
    status: 'active',
    trigger: 'signed up',
    brand: project.slug,
    frequencyCap: { count: 3, windowHours: 24.5 },
    steps: [
      { template: 'welcome', subject: 'Hello {{ event.plan }}', type: 'transactional' },
      { template: 'receipt', delayMinutes: 1440 },
      { template: 'newsletter', delayMinutes: 0 },
      { template: 'win-back', delayMinutes: 0.5 },
    ],
  };
  const created = await project.api.post('/sequences', body);
  expect(created).toMatchObject({ status: 201, body: { ok: true, key: body.key, steps: 4, id: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
  const { brand } = body;
  expect((await project.api.get(`/sequences/${body.key}`)).body).toEqual({
    ok: true,
    key: body.key,
    version: 1,
    name: 'Onboarding',
    status: 'active',
    reentry: 'once_active',
    cooldownHours: null,
    goal: null,
    frequencyCap: { count: 3, windowHours: 24.5 },
    triggers: [{ kind: 'event', config: { type: 'signed up' }, enabled: true }],
    nodes: [
      { id: 'trigger', kind: 'trigger' },
      {
        id: 'send_1',
        kind: 'send_email',
        config: { template: 'welcome', subject: 'Hello {{ event.plan }}', type: 'transactional', brand },
      },
      { id: 'delay_2', kind: 'wait_delay', config: { minutes: 1440 } },
      { id: 'send_2', kind: 'send_email', config: { template: 'receipt', brand } },
      { id: 'send_3', kind: 'send_email', config: { template: 'newsletter', brand } },
      { id: 'delay_4', kind: 'wait_delay', config: { minutes: 0.5 } },
      { id: 'send_4', kind: 'send_email', config: { template: 'win-back', brand } },
      { id: 'exit', kind: 'exit' },
    ],
    edges: [
      { from: 'trigger', to: 'send_1' },
      { from: 'send_1', to: 'delay_2' },
      { from: 'delay_2', to: 'send_2' },
      { from: 'send_2', to: 'send_3' },
      { from: 'send_3', to: 'delay_4' },
      { from: 'delay_4', to: 'send_4' },
      { from: 'send_4', to: 'exit' },
    ],
  });
});

test('a sequence without status is a draft; null stands for omitted, unknown fields of the body are ignored', async () => {
  const body = { ...valid, key: 'plain', status: null, trigger: null, brand: null, frequencyCap: null, later: true };
  expect((await project.api.post('/sequences', body)).status).toBe(201);
  expect((await project.api.get('/sequences/plain')).body).toMatchObject({ status: 'draft', triggers: [], frequencyCap: null });
});

test('a taken key is refused with duplicate_key, and is free in another project', async () => {
  const body = { ...valid, key: 'taken' };
  expect((await project.api.post('/sequences', body)).status).toBe(201);
  expect(await project.api.post('/sequences', body)).toMatchObject({ status: 422, body: { ok: false, code: 'duplicate_key' } });
  expect((await (await newProject()).api.post('/sequences', body)).status).toBe(201);
});

test('of ten calls that take one key at once, one gets it', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => project.api.post('/sequences', { ...valid, key: 'raced' })));
  expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([201, ...Array(9).fill('duplicate_key')]);
});

test('unknown templates are told all at once, by their place', async () => {
  const steps = [{ template: 'welcome' }, { template: 'nothing' }, { template: 'neither' }];
  expect(await project.api.post('/sequences', { ...valid, key: 'unknown', steps })).toMatchObject({
    status: 422,
    body: { code: 'unknown_template', issues: [{ path: 'steps[1].template' }, { path: 'steps[2].template' }] },
  });
  expect((await project.api.get('/sequences/unknown')).status).toBe(404);
});

const step = { template: 'welcome' };
const invalid: [what: string, change: object, paths: string[]][] = [
  ['no body fields', { key: undefined, name: undefined, steps: undefined }, ['key', 'name', 'steps']],
  ['a key with capitals', { key: 'Welcome' }, ['key']],
  ['a key that begins with a hyphen', { key: '-welcome' }, ['key']],
  ['a key of 65 characters', { key: 'k'.repeat(65) }, ['key']],
  ['an empty name', { name: '' }, ['name']],
  ['a name of 201 characters', { name: 'n'.repeat(201) }, ['name']],
  ['no steps', { steps: [] }, ['steps']],
  ['a step without template', { steps: [step, {}] }, ['steps[1].template']],
  ['a typo in a step', { steps: [{ ...step, delayMinute: 5 }] }, ['steps[0].delayMinute']],
  ['a negative wait', { steps: [{ ...step, delayMinutes: -1 }] }, ['steps[0].delayMinutes']],
  ['a wait of more than a year', { steps: [{ ...step, delayMinutes: 525_601 }] }, ['steps[0].delayMinutes']],
  ['a wait that is a text', { steps: [{ ...step, delayMinutes: '5' }] }, ['steps[0].delayMinutes']],
  ['an unknown type', { steps: [{ ...step, type: 'promotional' }] }, ['steps[0].type']],
  ['a subject of 999 characters', { steps: [{ ...step, subject: 's'.repeat(999) }] }, ['steps[0].subject']],
  ['an unknown status', { status: 'running' }, ['status']],
  ['an empty trigger', { trigger: '' }, ['trigger']],
  ['a trigger of 1001 characters', { trigger: 't'.repeat(1001) }, ['trigger']],
  ['an unknown brand', { brand: 'nobody' }, ['brand']],
  ['a typo in the cap', { frequencyCap: { count: 1, windowHours: 1, window: 2 } }, ['frequencyCap.window']],
  ['a cap beyond a year', { frequencyCap: { count: 1, windowHours: 8760.5 } }, ['frequencyCap.windowHours']],
  ['a cap of nothing', { frequencyCap: { count: 0, windowHours: 0 } }, ['frequencyCap.count', 'frequencyCap.windowHours']],
  ['half a cap', { frequencyCap: { count: 1.5 } }, ['frequencyCap.count', 'frequencyCap.windowHours']],
];

test.each(invalid)('%s is invalid_request and names the field', async (_what, change, paths) => {
  const { status, body } = await project.api.post('/sequences', { ...valid, key: 'refused', ...change });
  expect({ status, code: body.code, paths: body.issues.map(({ path }: { path: string }) => path) }).toEqual({
    status: 422,
    code: 'invalid_request',
    paths,
  });
  expect(body.error.startsWith(`${paths[0]}: `)).toBe(true);
  expect((await project.api.get('/sequences/refused')).status).toBe(404);
});

test('without a brand there are no sequences', async () => {
  const { api } = await newProject({ noBrand: true });
  expect(await api.post('/sequences', valid)).toMatchObject({ status: 422, body: { code: 'no_brand' } });
});

test('the list has every sequence of the project and no other, newest first', async () => {
  const { api } = await newProject();
  for (const key of ['first', 'second']) await api.post('/sequences', { ...valid, key, trigger: `t-${key}`, status: 'paused' });
  await api.post('/sequences', { ...valid, key: 'third' });
  const { status, body } = await api.get('/sequences');
  expect(status).toBe(200);
  expect(body.sequences).toMatchObject([
    { key: 'third', name: 'Valid', status: 'draft', trigger: null },
    { key: 'second', status: 'paused', trigger: 't-second' },
    { key: 'first', status: 'paused', trigger: 't-first' },
  ]);
  for (const { id, created_at } of body.sequences) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(new Date(created_at).toISOString()).toBe(created_at);
  }
});

test('the list shows the first enabled trigger of each graph and loads no graph', async () => {
  const own = await newProject();
  await own.api.post('/sequences', { ...valid, key: 'many', trigger: 'b' });
  const { ok, ...graph } = (await own.api.get('/sequences/many')).body;
  const trigger = (type: string, enabled: boolean) => ({ kind: 'event', config: { type }, enabled });
  const triggers = [trigger('z', false), trigger('y', true), trigger('a', true), trigger('y', true)];
  expect(await own.api.put('/sequences/many', { ...graph, triggers })).toMatchObject({ status: 200 });
  // What could not be read is not missed.
  const em = await database();
  await row(em, sql`update sequence_versions set graph = '0' where sequence_id = (select id from sequences where project_id = ${own.id})`);
  expect((await own.api.get('/sequences')).body).toMatchObject({ ok: true, sequences: [{ key: 'many', trigger: 'y' }] });
});

test('event types of a thousand characters of four bytes trigger, and wait for, as any other', async () => {
  // Random, so that PostgreSQL cannot compress them below what an index takes.
  const long = () => Array.from({ length: 500 }, () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 40_000))).join('');
  const [one, two] = [long() + long(), long() + long()];
  expect((await project.api.post('/sequences', { ...valid, key: 'long-type', status: 'active', trigger: one })).status).toBe(201);
  const triggers = [one, two, two].map((type) => ({ kind: 'event', config: { type } }));
  const graph = (await project.api.get('/sequences/long-type')).body;
  expect(await project.api.put('/sequences/long-type', { ...graph, triggers })).toMatchObject({ status: 200 });
  for (const type of [one, two])
    expect(await project.api.post('/events', { type, email: project.address() })).toMatchObject({ status: 200, body: { enrolled: 1 } });
  expect(await project.api.post('/events', { type: long(), email: project.address() })).toMatchObject({ body: { enrolled: 0 } });
});

test('a key in a path that is thousands of characters long is not found, with an idempotency key too', async () => {
  const path = `/sequences/${randomBytes(3000).toString('hex')}/enroll`;
  const headers = { 'Idempotency-Key': 'k' };
  const { status, body } = await project.api.post(path, { email: project.address() }, { headers });
  expect([status, body.code]).toEqual([404, 'not_found']);
});

test("an unknown key, and another project's, is not found", async () => {
  await project.api.post('/sequences', { ...valid, key: 'mine' });
  const other = await newProject();
  const gone = { status: 404, body: { ok: false, code: 'not_found' } };
  expect(await other.api.get('/sequences/mine')).toMatchObject(gone);
  expect(await other.api.post('/sequences/mine/enroll', { email: other.address() })).toMatchObject(gone);
  expect(await other.api.post('/sequences/mine/enroll/bulk', { emails: [other.address()] })).toMatchObject(gone);
  expect(await project.api.get('/sequences/%00')).toMatchObject(gone);
  expect(await project.api.get('/sequences/no%2Fsuch')).toMatchObject(gone);
});

test('every route of sequences, reads included, needs the scope sequences:write', async () => {
  const { api } = await project.newKey(['contacts:write', 'sends:read', 'send']);
  const calls = [
    api.post('/sequences', valid),
    api.get('/sequences'),
    api.get('/sequences/valid'),
    api.post('/sequences/valid/enroll', {}),
    api.post('/sequences/valid/enroll/bulk', {}),
    api.delete('/enrollments/00000000-0000-7000-8000-000000000000'),
    api.post('/events', {}),
  ];
  for (const answer of await Promise.all(calls)) {
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden', error: expect.stringContaining('sequences:write') } });
  }
});
