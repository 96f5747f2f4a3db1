import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { setBrand } from '../../db/queries/projects/brands.ts';
import { rows } from '../../db/rows.ts';
import { untilBlocked } from '../support/blocked.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must, newSequence } from '../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const versionsIn = ({ versions }: { versions: { version: number }[] }) => versions.map(({ version }) => version);

test('every version of a sequence is listed and can be read, and an earlier one can be put back', async () => {
  const { key } = await newSequence(project, { steps: [{ template: 'receipt' }] });
  const path = `/sequences/${key}`;
  const { ok: _, ...first } = must(await project.api.get(path), 200);
  for (const minutes of [1, 2]) {
    const nodes = [...first.nodes, { id: 'wait', kind: 'wait_delay', config: { minutes } }];
    const edges = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', to: 'send_1' },
      { from: 'send_1', to: 'exit' },
    ];
    must(await project.api.put(path, { ...first, name: `With ${minutes}`, nodes, edges }), 200);
  }
  const { versions } = must(await project.api.get(`${path}/versions`), 200);
  expect(versions).toEqual(
    [3, 2, 1].map((version) => ({ version, nodes: version === 1 ? 3 : 4, active: 0, created_at: expect.any(String) })),
  );
  expect(versionsIn(must(await project.api.get(`${path}/versions?limit=1&before=3`), 200))).toEqual([2]);

  const { ok: __, ...earlier } = must(await project.api.get(`${path}?version=1`), 200);
  expect(earlier).toEqual({ ...first, name: 'With 2', version: 1 });
  expect(must(await project.api.get(`${path}?version=3`), 200)).toEqual(must(await project.api.get(path), 200));
  expect(must(await project.api.put(path, earlier), 200).version).toBe(4);
  expect(must(await project.api.get(path), 200)).toMatchObject({ version: 4, nodes: first.nodes });

  for (const missing of [`${path}?version=5`, `${path}?version=0`, '/sequences/nobody-has-it/versions']) {
    expect([missing, (await project.api.get(missing)).body.code]).toEqual([missing, 'not_found']);
  }
  expect((await project.api.get(`${path}?version=x`)).body.code).toBe('invalid_request');
  const other = await newProject();
  for (const theirs of [`${path}/versions`, `${path}?version=1`]) expect((await other.api.get(theirs)).status).toBe(404);
  const reader = (await project.newKey(['contacts:read'])).api;
  expect((await reader.get(`${path}/versions`)).body.code).toBe('forbidden');
});

test('every published version of a template is listed and can be read, with the draft and what it replaced, of the brand and project only', async () => {
  const path = '/templates/welcome';
  const content = (text: string) => ({ blocks: [{ type: 'text', text }] });
  const save = async (text: string, publish: boolean) =>
    must(await project.api.put(`${path}/content`, { content: content(text), publish }), 200);
  await save('one', true);
  await save('dropped', false);
  await save('three', true);
  await save('four', false);
  const { versions } = must(await project.api.get(`${path}/versions`), 200);
  const { key } = must(await project.api.get('/me'), 200);
  const saved = { created_at: expect.any(String), key_id: key.id };
  expect(versions).toEqual([
    { version: 4, publication: null, state: 'draft', subject: null, ...saved },
    { version: 3, publication: 2, state: 'published', subject: '', ...saved },
    { version: 2, publication: null, state: 'replaced', subject: null, ...saved },
    { version: 1, publication: 1, state: 'superseded', subject: '', ...saved },
  ]);
  expect(versionsIn(must(await project.api.get(`${path}/versions?before=4&limit=1`), 200))).toEqual([3]);
  expect(must(await project.api.get(`${path}/versions/1`), 200)).toMatchObject({ ...versions[3], content: content('one') });
  expect(must(await project.api.get(`${path}/versions/2`), 200)).toMatchObject({ ...versions[2], content: content('dropped') });
  for (const missing of ['9', 'x', '-1', '99999999999']) {
    expect([missing, (await project.api.get(`${path}/versions/${missing}`)).body.code]).toEqual([missing, 'not_found']);
  }
  expect((await project.api.get('/templates/nobody-has-it/versions')).body.code).toBe('unknown_template');
  const other = await newProject();
  // A brand of the same name.
  await setBrand(await database(), other.id, project.slug, { address: '1 Street' }, false);
  for (const brand of ['', `?brand=${project.slug}`]) {
    expect(must(await other.api.get(`${path}/versions${brand}`), 200).versions).toEqual([]);
    expect((await other.api.get(`${path}/versions/1${brand}`)).status).toBe(404);
  }
});

test('of the drafts the last ten that were replaced stay in the list, and one that is published or saved again as it was leaves nothing', async () => {
  const own = await newProject();
  const save = async (text: string, more: object = {}) =>
    must(await own.api.put('/templates/receipt/content', { content: { blocks: [{ type: 'text', text }] }, ...more }), 200).version;
  const listed = async () => {
    const { versions } = must(await own.api.get('/templates/receipt/versions'), 200);
    return versions.map(({ version, state }: { version: number; state: string }) => `${version} ${state}`);
  };
  await save('first', { publish: true });
  for (const text of ['one', 'one', 'two']) await save(text);
  await save('two', { publish: true });
  expect(await listed()).toEqual(['5 published', '3 replaced', '1 superseded']);
  // With another subject it is another.
  await save('two', { subject: 'Thanks' });
  await save('two', { publish: true });
  expect((await listed()).slice(0, 2)).toEqual(['7 published', '6 replaced']);
  for (let more = 0; more < 12; more++) await save(`draft ${more}`);
  const drafts = Array.from({ length: 10 }, (_, back) => `${18 - back} replaced`);
  expect(await listed()).toEqual(['19 draft', ...drafts, '7 published', '5 superseded', '1 superseded']);
  const { draft, published } = must(await own.api.get('/templates/receipt/content'), 200);
  expect([draft.version, published.version]).toEqual([19, 7]);
});

test('a version keeps the subject that mails had with it, and is published again with it', async () => {
  const own = await newProject();
  const path = '/templates/receipt';
  const save = async (body: object) =>
    must(await own.api.put(`${path}/content`, { content: { blocks: [{ type: 'text', text: 'Hello' }] }, ...body }), 200);
  const subjects = async () => {
    const { versions, first } = must(await own.api.get(`${path}/versions`), 200);
    return [...versions.map(({ subject }: { subject: string | null }) => subject), first.subject];
  };
  const preview = async (more: object = {}) => must(await own.api.post(`${path}/preview`, { data: { total: 1 }, ...more }), 200).subject;
  const set = async () =>
    must(await own.api.get('/templates'), 200).templates.find(({ key }: { key: string }) => key === 'receipt') as object;
  const { subject: shipped } = must(await own.api.get(`${path}/schema`), 200);

  await save({ publish: true });
  must(await own.api.put(path, { enabled: true, defaultSubject: 'Thanks' }), 200);
  expect(await subjects()).toEqual(['Thanks', shipped]);
  await save({ subject: ' Your order {{ total }} ' });
  expect(must(await own.api.get(`${path}/content`), 200).draft.subject).toBe('Your order {{ total }}');
  // Only those who look at the draft have its subject.
  expect(await set()).toMatchObject({ subject: 'Thanks' });
  expect([await preview(), await preview({ version: 'published' })]).toEqual(['Your order 1', 'Thanks']);
  const to = own.address();
  must(await own.api.post(`${path}/test`, { to, data: { total: 2 } }), 200);
  must(await own.api.post('/send', { template: 'receipt', to, data: { total: 3 } }), 200);
  const { sends } = must(await own.api.get('/sends'), 200);
  expect(sends.map(({ subject }: { subject: string }) => subject)).toEqual(['Thanks', 'Your order 2']);

  await save({ subject: 'Your order {{ total }}', publish: true });
  expect(await set()).toMatchObject({ subject: 'Your order {{ total }}', enabled: true });
  expect(must(await own.api.get(`${path}/content`), 200).published.subject).toBe('Your order {{ total }}');
  await save({ publish: true, subject: '' });
  expect(await set()).toMatchObject({ subject: '' });
  expect(await subjects()).toEqual(['', 'Your order {{ total }}', 'Thanks', shipped]);
  const { content, subject } = must(await own.api.get(`${path}/versions/1`), 200);
  await save({ content, subject, publish: true });
  expect(await preview()).toBe('Thanks');
  expect((await own.api.put(`${path}/content`, { content, subject: '{{ a' })).body).toMatchObject({
    code: 'invalid_content',
    issues: [{ path: 'subject' }],
  });
  const misspelt = await save({ subject: 'Hi {{ contact.firstName }}' });
  expect(misspelt.warnings).toMatchObject([{ path: 'subject' }]);

  // A template that nobody has set anything of is not turned on by it.
  must(await own.api.put('/templates/welcome/content', { content, subject: 'Hello', publish: true }), 200);
  const { templates } = must(await own.api.get('/templates'), 200);
  expect(templates.find(({ key }: { key: string }) => key === 'welcome')).toMatchObject({ subject: 'Hello', enabled: false });
});

test('of two who put a sequence from the same version the second is refused, and without a version nobody is', async () => {
  const { key } = await newSequence(project, { steps: [{ template: 'receipt' }] });
  const path = `/sequences/${key}`;
  const { ok: _, ...graph } = must(await project.api.get(path), 200);
  const put = (query: string, name: string, to = path) => project.api.put(`${to}${query}`, { ...graph, name });
  const em = (await database()).fork();
  const both = await em.transactional(async (tx) => {
    await rows(tx, sql`select 1 from sequences where project_id = ${project.id} and key = ${key} for no key update`);
    const putting = [put('?ifVersion=1', 'One'), put('?ifVersion=1', 'Other')];
    await untilBlocked(tx, 2);
    return putting;
  });
  const [one, other] = await Promise.all(both);
  expect([one!.status, other!.status].toSorted()).toEqual([200, 409]);
  const refused = one!.status === 409 ? one! : other!;
  expect(refused.body).toMatchObject({ code: 'version_conflict', version: 2 });
  const { name, version } = must(await project.api.get(path), 200);
  expect([name, version]).toEqual([refused === one ? 'Other' : 'One', 2]);
  expect(must(await put('', 'Any'), 200).version).toBe(3);

  // What is not there has the version 0.
  const fresh = `${path}-fresh`;
  expect((await put('?ifVersion=1', 'New', fresh)).body).toMatchObject({ code: 'version_conflict', version: 0 });
  expect(must(await put('?ifVersion=0', 'New', fresh), 200).version).toBe(1);
  expect((await put('?ifVersion=0', 'New', fresh)).body).toMatchObject({ code: 'version_conflict', version: 1 });
});

test('of two who save content from the same version the second is refused, and nothing of it is saved', async () => {
  const own = await newProject();
  const save = (query: string, text: string, publish = false) =>
    own.api.put(`/templates/receipt/content${query}`, { content: { blocks: [{ type: 'text', text }] }, publish });
  const em = (await database()).fork();
  const both = await em.transactional(async (tx) => {
    // The first waits here with the template's lock, the second for that.
    await rows(tx, sql`lock table template_versions in share mode`);
    const saving = [save('?ifVersion=0', 'one', true), save('?ifVersion=0', 'other', true)];
    await untilBlocked(tx, 2);
    return saving;
  });
  const answers = await Promise.all(both);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'version_conflict', version: 1 });
  expect(versionsIn(must(await own.api.get('/templates/receipt/versions'), 200))).toEqual([1]);
  expect(must(await save('?ifVersion=1', 'draft'), 200).version).toBe(2);
  expect((await save('?ifVersion=1', 'late')).body).toMatchObject({ code: 'version_conflict', version: 2 });
  expect(must(await save('', 'any'), 200).version).toBe(3);
});

test('of two who change a segment from the same version the second is refused, also within a millisecond, and without a version nobody is', async () => {
  const filter = { tags: ['vip'] };
  const { segment } = must(await project.api.post('/segments', { label: 'Changed by two', filter }), 201);
  expect(segment.version).toBe(1);
  const change = (query: string, body: object) => project.api.call('PATCH', `/segments/${segment.id}${query}`, body);
  const em = (await database()).fork();
  const both = await em.transactional(async (tx) => {
    await rows(tx, sql`select 1 from segments where id = ${segment.id} for no key update`);
    const changing = [change('?ifVersion=1', { label: 'One' }), change('?ifVersion=1', { filter: {} })];
    await untilBlocked(tx, 2);
    return changing;
  });
  const [one, other] = await Promise.all(both);
  expect([one!.status, other!.status].toSorted()).toEqual([200, 409]);
  const refused = one!.status === 409 ? one! : other!;
  expect(refused.body).toMatchObject({ code: 'version_conflict', version: 2 });
  const left = refused === one ? { label: 'Changed by two', filter: {} } : { label: 'One', filter };
  expect(must(await project.api.get(`/segments/${segment.id}`), 200).segment).toMatchObject({ ...left, version: 2 });
  expect(must(await change('', { filter: {} }), 200).segment.version).toBe(3);
  expect(must(await change('?ifVersion=3', { label: 'Last' }), 200).segment).toMatchObject({ label: 'Last', version: 4 });
  const { segments } = must(await project.api.get('/segments'), 200);
  expect(segments.find(({ id }: { id: string }) => id === segment.id).version).toBe(4);
});
