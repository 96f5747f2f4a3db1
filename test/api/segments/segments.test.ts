import { beforeAll, describe, expect, test } from 'vitest';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await setBrand(await database(), project.id, 'second', { address: '2 Second Street' }, false);
  await project.api.post('/contacts', [
    { email: 'a@x.example', source: 'import', tags: ['vip', 'beta'] },
    { email: 'b@x.example', source: 'import', tags: ['vip'] },
    { email: 'c@x.example', source: 'form', status: 'pending', tags: ['beta'] },
    { email: 'd@x.example', source: 'form', status: 'unsubscribed' },
    { email: 'e@x.example', source: 'import', status: 'bounced', tags: ['vip'], brand: 'second' },
  ]);
});

const create = (body: unknown, on = project) => on.api.post('/segments', body);
let labels = 0;
const label = () => `Segment ${++labels}`;

describe('a filter', () => {
  test.each([
    [{}, 5],
    [{ status: 'subscribed' }, 2],
    [{ status: ['pending', 'unsubscribed'] }, 2],
    [{ tags: ['vip'] }, 3],
    [{ tags: ['vip', 'beta'] }, 1],
    [{ tags: ['nobody has it'] }, 0],
    [{ source: 'import' }, 3],
    [{ source: 'imp' }, 0],
    [{ status: 'subscribed', tags: ['vip'], source: 'import' }, 2],
    [{ status: null, tags: null, source: 'form' }, 2],
  ])('%j matches %i contacts', async (filter, count) => {
    const { status, body } = await create({ label: label(), filter });
    expect(status).toBe(201);
    expect(body.segment).toMatchObject({ count, brand_id: null });
    expect((await project.api.get(`/segments/${body.segment.id}`)).body.segment.count).toBe(count);
  });

  test('with a brand takes only contacts of that brand', async () => {
    const { body } = await create({ label: label(), filter: { tags: ['vip'] }, brand: 'second' });
    expect(body.segment).toMatchObject({ count: 1, brand_id: 'second' });
  });

  test.each([
    [{ filter: { statuses: ['subscribed'] } }, 'filter.statuses'],
    [{ filter: { status: 'gone' } }, 'filter.status'],
    [{ filter: { status: [] } }, 'filter.status'],
    [{ filter: { tags: [] } }, 'filter.tags'],
    [{ filter: { tags: 'vip' } }, 'filter.tags'],
    [{ filter: { source: ['import'] } }, 'filter.source'],
    [{ filter: [] }, 'filter'],
    [{ brand: 'unknown' }, 'brand'],
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(101) }, 'label'],
    [{ label: undefined }, 'label'],
  ])('%j is refused as invalid_request', async (part, path) => {
    const { status, body } = await create({ label: label(), ...part });
    expect([status, body.code, body.issues[0].path]).toEqual([422, 'invalid_request', path]);
  });
});

test('a count is always that of now', async () => {
  const own = await newProject();
  const { id } = (await create({ label: 'Live', filter: { tags: ['new'] } }, own)).body.segment;
  await own.api.post('/contacts', { email: own.address(), tags: ['new'] });
  const { body } = await own.api.get('/segments');
  expect(body.segments).toEqual([expect.objectContaining({ id, label: 'Live', filter: { tags: ['new'] }, count: 1 })]);
});

test('a label exists once in a project, whatever its case, also when many ask at once', async () => {
  const answers = await Promise.all(['Same', 'SAME', 'same', ' same '].map((name) => create({ label: name })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  for (const { body } of answers.filter(({ status }) => status === 422)) expect(body.code).toBe('duplicate_label');
  expect((await create({ label: 'Same' }, await newProject())).status).toBe(201);
});

test('a change replaces the whole filter and keeps what is omitted', async () => {
  const { segment } = (await create({ label: label(), filter: { status: 'subscribed', tags: ['vip'] } })).body;
  const patch = (body: unknown) => project.api.call('PATCH', `/segments/${segment.id}`, body);
  expect((await patch({ filter: { source: 'form' } })).body.segment).toMatchObject({
    label: segment.label,
    filter: { source: 'form' },
    count: 2,
  });
  expect((await patch({ label: 'Renamed' })).body.segment).toMatchObject({ label: 'Renamed', filter: { source: 'form' } });
  expect((await patch({ filter: {} })).body.segment).toMatchObject({ filter: {}, count: 5 });
  const other = (await create({ label: label() })).body.segment;
  expect((await project.api.call('PATCH', `/segments/${other.id}`, { label: 'RENAMED' })).body.code).toBe('duplicate_label');
});

test('deleting a segment leaves its contacts', async () => {
  const { id } = (await create({ label: label() })).body.segment;
  expect(await project.api.delete(`/segments/${id}`)).toMatchObject({ status: 200, body: { ok: true, id, deleted: true } });
  expect((await project.api.delete(`/segments/${id}`)).status).toBe(404);
  expect((await project.api.get('/contacts')).body.totalCount).toBe(5);
});

test("another project's segment is not found, whatever is asked of it", async () => {
  const { id } = (await create({ label: label() })).body.segment;
  const other = await newProject();
  for (const answer of [
    await other.api.get(`/segments/${id}`),
    await other.api.call('PATCH', `/segments/${id}`, { label: 'Mine' }),
    await other.api.delete(`/segments/${id}`),
    await project.api.get('/segments/not-an-id'),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  }
});

test('any key reads segments, only contacts:write changes them', async () => {
  const reader = (await project.newKey(['sends:read'])).api;
  expect((await reader.get('/segments')).status).toBe(200);
  expect((await reader.post('/segments', { label: label() })).body.code).toBe('forbidden');
});

test('with counts=kept segments are counted whose numbers are kept, and the others are listed apart', async () => {
  const own = await newProject();
  await own.api.post('/contacts', [
    { email: own.address(), tags: ['vip'] },
    { email: own.address(), tags: ['vip'], status: 'pending' },
    { email: own.address(), tags: ['vip'], status: 'bounced', source: 'form' },
  ]);
  const kept = [
    [{}, 3],
    [{ status: ['pending', 'bounced'] }, 2],
    [{ tags: ['vip'] }, 3],
    [{ tags: ['vip', 'vip'], status: 'pending' }, 1],
  ] as const;
  const others = [
    [{ tags: ['vip', 'beta'] }, 0],
    [{ source: 'form' }, 1],
    [{ where: { field: 'contact.source', op: 'eq', value: 'form' } }, 1],
  ] as const;
  for (const [filter] of [...kept, ...others]) await create({ label: label(), filter }, own);
  await create({ label: label(), brand: own.slug }, own);
  const all = (await own.api.get('/segments')).body;
  const counts = ({ segments }: { segments: { count: number }[] }) => segments.map(({ count }) => count).toReversed();
  expect([counts(all), all.uncounted]).toEqual([[...kept, ...others, [{}, 3]].map(([, count]) => count), undefined]);
  const quick = (await own.api.get('/segments?counts=kept')).body;
  expect(counts(quick)).toEqual(kept.map(([, count]) => count));
  expect([...quick.uncounted, ...quick.segments]).toEqual(
    all.segments.map(({ count, ...segment }: { count: number }, index: number) => (index < 4 ? segment : { ...segment, count })),
  );
});
