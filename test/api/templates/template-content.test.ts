import { beforeAll, describe, expect, test } from 'vitest';
import { mailTo } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { addSecondBrand, saying } from './own-template.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await addSecondBrand(project);
});

describe('content', () => {
  const path = '/templates/announcement/content';

  test('draft, publish, draft again: numbers grow by one and publishing removes the draft', async () => {
    const own = (await newProject()).api;
    const first = (await own.get(path)).body;
    expect(first.defaultContent.blocks.length).toBeGreaterThan(1);
    expect(first).not.toHaveProperty('draft');
    expect(first).not.toHaveProperty('published');

    expect((await own.put(path, { content: saying('one') })).body).toEqual({
      ok: true,
      key: 'announcement',
      version: 1,
      published: false,
    });
    expect((await own.put(path, { content: saying('two') })).body).toMatchObject({ version: 2, published: false });
    const drafted = (await own.get(path)).body;
    expect(drafted.draft).toEqual({ version: 2, published: false, content: saying('two') });
    expect(drafted).not.toHaveProperty('published');

    expect((await own.put(path, { content: saying('three'), publish: true })).body).toMatchObject({ version: 3, published: true });
    const published = (await own.get(path)).body;
    expect(published.published).toEqual({ version: 3, publication: 1, published: true, content: saying('three') });
    expect(published).not.toHaveProperty('draft');

    await own.put(path, { content: saying('four'), publish: false });
    const both = (await own.get(path)).body;
    expect([both.published.version, both.draft.version]).toEqual([3, 4]);
  });

  test('publishes at once all get versions and the highest number is what renders', async () => {
    const own = (await newProject()).api;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => own.put(path, { content: saying(`text ${index}`), publish: true })),
    );
    expect(answers.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const last = answers.findIndex(({ body }) => body.version === 8);
    expect((await own.get(path)).body.published).toEqual({ version: 8, publication: 8, published: true, content: saying(`text ${last}`) });
    expect((await own.post('/templates/announcement/preview', {})).body.text).toContain(`text ${last}`);
  });

  test('each brand has its own content', async () => {
    await project.api.put('/templates/win-back/content', { content: saying('of the second'), publish: true, brand: 'second' });
    expect((await project.api.get('/templates/win-back/content')).body).not.toHaveProperty('published');
    expect((await project.api.get('/templates/win-back/content?brand=second')).body.published.content).toEqual(saying('of the second'));
  });

  test('content that is refused names its fields and replaces nothing', async () => {
    const own = (await newProject()).api;
    await own.put(path, { content: saying('good'), publish: true });
    const before = (await own.get(path)).body;
    const bad = {
      blocks: [
        { type: 'divider' },
        { type: 'columns', columns: [{ blocks: [{ type: 'button', label: '{{ x | y }}', url: 'javascript:x' }] }, { blocks: [] }] },
      ],
    };
    const { status, body } = await own.put(path, { content: bad, publish: true });
    expect(status).toBe(422);
    expect(body).toEqual({
      ok: false,
      code: 'invalid_content',
      error: 'content.blocks[1].columns[0].blocks[0].label: line 1, {{ x | y }}: undefined filter: y',
      issues: [
        { path: 'content.blocks[1].columns[0].blocks[0].label', message: 'line 1, {{ x | y }}: undefined filter: y' },
        { path: 'content.blocks[1].columns[0].blocks[0].url', message: 'only https, http and mailto' },
      ],
    });
    expect((await own.get(path)).body).toEqual(before);
  });

  test.each([[{ content: null }], [{ content: 'text' }], [{ content: [] }]])('%j is no content', async (body) => {
    const { status, body: answer } = await project.api.put(path, body);
    expect([status, answer.code]).toEqual([422, 'invalid_content']);
  });

  test('a missing content is told as such', async () => {
    const { status, body } = await project.api.put(path, { publish: true });
    expect([status, body.code, body.error]).toEqual([422, 'invalid_request', 'content: required']);
  });

  test('the schema tells what published content uses beyond the declared', async () => {
    const own = (await newProject()).api;
    const before = (await own.get('/templates/welcome/schema')).body;
    expect(before).toMatchObject({ ok: true, key: 'welcome', type: 'marketing' });
    expect(before.dataSchema.map(({ path }: { path: string }) => path)).toEqual(['name', 'startUrl', 'guideUrl']);
    expect(before.systemVars).toContain('unsubscribeUrl');
    const text =
      '{{ name }} {{ nickname }} {{ order.total }} {% for x in list %}{{ x }}{% endfor %} {{ recipient.email }} {{ contact.first_name }}';
    await own.put('/templates/welcome/content', { content: saying(text) });
    expect((await own.get('/templates/welcome/schema')).body).toEqual(before);
    await own.put('/templates/welcome/content', { content: saying(text), publish: true });
    await own.put('/templates/welcome', { defaultSubject: '{{ topic }} from {{ brand.name }}' });
    const after = (await own.get('/templates/welcome/schema')).body;
    expect(after.dataSchema.slice(3)).toEqual(['topic', 'nickname', 'order.total', 'list'].map((name) => ({ path: name, kind: 'string' })));
    expect(after.systemVars).toEqual(['brand.name', 'recipient.email', 'contact.first_name', 'unsubscribeUrl']);
  });
});

test('published content is what POST /send sends, and what was published before does not come back', async () => {
  const own = await newProject();
  const to = own.address();
  await own.api.put('/templates/receipt', { defaultSubject: 'For {{ name }}' });
  for (const word of ['first', 'second']) {
    await own.api.put('/templates/receipt/content', { content: saying(`${word} {{ name }} {{ link }}`), publish: true });
    expect((await own.api.post('/send', { template: 'receipt', to, data: { name: 'Ada' } })).status).toBe(200);
  }
  const mails = await mailTo(to, (messages) => messages.length === 2);
  expect(mails[0]!.raw).toContain('first Ada');
  expect(mails[1]!.raw).toContain('second Ada');
  expect(mails[1]!.raw).toContain('Subject: For Ada');
});

test('the API description names every kind of block', async () => {
  const { body } = await project.api.get('/openapi.json');
  const names = Object.keys(body.components.schemas);
  for (const name of [
    'TemplateContent',
    'TemplateBlock',
    'HeadingBlock',
    'TextBlock',
    'ButtonBlock',
    'ImageBlock',
    'DividerBlock',
    'SpacerBlock',
    'ListBlock',
    'ColumnsBlock',
    'TableBlock',
    'QuoteBlock',
    'CodeBlock',
  ]) {
    expect(names).toContain(name);
  }
  expect(body.components.schemas.TemplateContentInput.properties.content).toEqual({ $ref: '#/components/schemas/TemplateContent' });
});
