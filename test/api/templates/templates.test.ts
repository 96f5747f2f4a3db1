import { beforeAll, describe, expect, test } from 'vitest';
import { Suppression } from '../../../db/entities/index.ts';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';

const NOBODY = '019e0000-0000-7000-8000-000000000001';
const content = (text: string): unknown => ({ blocks: [{ type: 'text', text }] });

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  const em = await database();
  await setBrand(em, project.id, 'second', { address: '2 Second Street', from_email: `second@${project.domain}` }, false);
});

test('every shipped template is listed, disabled and with nothing set', async () => {
  const { status, body } = await (await newProject()).api.get('/templates');
  expect(status).toBe(200);
  expect(body.templates.map(({ key, type }: { key: string; type: string }) => `${key} ${type}`)).toEqual([
    'announcement marketing',
    'magic-link transactional',
    'newsletter marketing',
    'password-reset transactional',
    'receipt transactional',
    'trial-ending marketing',
    'welcome marketing',
    'win-back marketing',
  ]);
  for (const template of body.templates) expect(template).toMatchObject({ enabled: false, subject: '', from: null });
});

describe('settings', () => {
  const read = async (key: string, query = ''): Promise<unknown> =>
    (await project.api.get(`/templates${query}`)).body.templates.find((template: { key: string }) => template.key === key);

  test('what is omitted keeps its value, "" and null clear', async () => {
    const from = { email: `news@${project.domain}`, name: 'News' };
    expect((await project.api.put('/templates/newsletter', { enabled: false, defaultSubject: 'Hi {{ name }}', from })).body).toEqual({
      ok: true,
      key: 'newsletter',
      enabled: false,
    });
    expect(await read('newsletter')).toEqual({
      key: 'newsletter',
      name: 'Newsletter',
      description: expect.any(String),
      type: 'marketing',
      own: false,
      enabled: false,
      subject: 'Hi {{ name }}',
      from,
    });
    expect((await project.api.put('/templates/newsletter', {})).body).toEqual({ ok: true, key: 'newsletter', enabled: true });
    expect(await read('newsletter')).toMatchObject({ enabled: true, subject: 'Hi {{ name }}', from });
    await project.api.put('/templates/newsletter', { defaultSubject: '', from: null });
    expect(await read('newsletter')).toMatchObject({ enabled: true, subject: '', from: null });
  });

  test('a subject is trimmed, and a blank one clears', async () => {
    await project.api.put('/templates/announcement', { defaultSubject: ' Hi {{ name }}\n' });
    expect(await read('announcement')).toMatchObject({ subject: 'Hi {{ name }}' });
    await project.api.put('/templates/announcement', { defaultSubject: ' \t' });
    expect(await read('announcement')).toMatchObject({ subject: '' });
  });

  test('each brand has its own', async () => {
    await project.api.put('/templates/win-back', { defaultSubject: 'Second', brand: 'second' });
    expect(await read('win-back')).toMatchObject({ enabled: false, subject: '' });
    expect(await read('win-back', '?brand=second')).toMatchObject({ enabled: true, subject: 'Second' });
    await project.api.put('/templates/win-back?brand=second', { enabled: false });
    expect(await read('win-back', '?brand=second')).toMatchObject({ enabled: false, subject: 'Second' });
  });

  test.each([
    [{ from: { email: 'a@elsewhere.example' } }, 'invalid_from'],
    [{ from: { email: 'no address' } }, 'invalid_request'],
    [{ defaultSubject: 'Hi {{ name' }, 'invalid_content'],
    [{ defaultSubject: 'x'.repeat(999) }, 'invalid_request'],
    [{ enabled: 'yes' }, 'invalid_request'],
    [{ brand: 'nobody' }, 'invalid_request'],
  ])('%j is refused with %s and changes nothing', async (body, code) => {
    const before = await read('trial-ending');
    const { status, body: answer } = await project.api.put('/templates/trial-ending', body);
    expect([status, answer.ok, answer.code]).toEqual([422, false, code]);
    expect(await read('trial-ending')).toEqual(before);
  });

  test('the sender may be on a subdomain of a verified domain', async () => {
    const { status } = await project.api.put('/templates/receipt', { from: { email: `a@mail.${project.domain}` } });
    expect(status).toBe(200);
  });
});

describe('content', () => {
  const path = '/templates/announcement/content';

  test('draft, publish, draft again: numbers grow by one and publishing removes the draft', async () => {
    const own = (await newProject()).api;
    const first = (await own.get(path)).body;
    expect(first.defaultContent.blocks.length).toBeGreaterThan(1);
    expect(first).not.toHaveProperty('draft');
    expect(first).not.toHaveProperty('published');

    expect((await own.put(path, { content: content('one') })).body).toEqual({
      ok: true,
      key: 'announcement',
      version: 1,
      published: false,
    });
    expect((await own.put(path, { content: content('two') })).body).toMatchObject({ version: 2, published: false });
    const drafted = (await own.get(path)).body;
    expect(drafted.draft).toEqual({ version: 2, published: false, content: content('two') });
    expect(drafted).not.toHaveProperty('published');

    expect((await own.put(path, { content: content('three'), publish: true })).body).toMatchObject({ version: 3, published: true });
    const published = (await own.get(path)).body;
    expect(published.published).toEqual({ version: 3, published: true, content: content('three') });
    expect(published).not.toHaveProperty('draft');

    await own.put(path, { content: content('four'), publish: false });
    const both = (await own.get(path)).body;
    expect([both.published.version, both.draft.version]).toEqual([3, 4]);
  });

  test('publishes at once all get versions and the highest number is what renders', async () => {
    const own = (await newProject()).api;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => own.put(path, { content: content(`text ${index}`), publish: true })),
    );
    expect(answers.map(({ body }) => body.version).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const last = answers.findIndex(({ body }) => body.version === 8);
    expect((await own.get(path)).body.published).toEqual({ version: 8, published: true, content: content(`text ${last}`) });
    expect((await own.post('/templates/announcement/preview', {})).body.text).toContain(`text ${last}`);
  });

  test('each brand has its own content', async () => {
    await project.api.put('/templates/win-back/content', { content: content('of the second'), publish: true, brand: 'second' });
    expect((await project.api.get('/templates/win-back/content')).body).not.toHaveProperty('published');
    expect((await project.api.get('/templates/win-back/content?brand=second')).body.published.content).toEqual(content('of the second'));
  });

  test('content that is refused names its fields and replaces nothing', async () => {
    const own = (await newProject()).api;
    await own.put(path, { content: content('good'), publish: true });
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
    await own.put('/templates/welcome/content', { content: content(text) });
    expect((await own.get('/templates/welcome/schema')).body).toEqual(before);
    await own.put('/templates/welcome/content', { content: content(text), publish: true });
    await own.put('/templates/welcome', { defaultSubject: '{{ topic }} from {{ brand.name }}' });
    const after = (await own.get('/templates/welcome/schema')).body;
    expect(after.dataSchema.slice(3)).toEqual(['topic', 'nickname', 'order.total', 'list'].map((name) => ({ path: name, kind: 'string' })));
    expect(after.systemVars).toEqual(['brand.name', 'recipient.email', 'contact.first_name', 'unsubscribeUrl']);
  });
});

describe('preview', () => {
  test('renders given content with data and contact, and tells what is missing', async () => {
    const email = project.address();
    const contact = (await project.api.post('/contacts', { email, firstName: 'Ada' })).body.contacts[0];
    const { status, body } = await project.api.post('/templates/receipt/preview', {
      data: { total: '<b>5</b>', contact: { first_name: 'Eve' } },
      contactId: contact.id,
      content: content('{{ contact.first_name }} {{ recipient.email }} {{ total }} {{ nope.x }}'),
    });
    expect(status).toBe(200);
    expect(body.text).toContain(`Ada ${email} <b>5</b>`);
    expect(body.html).toContain(`Ada ${email} &lt;b&gt;5&lt;/b&gt;`);
    expect(body.missing).toEqual(['nope.x']);
    expect(body.subject).toBe('Your receipt');
  });

  test('is for a person that the caller makes up, of whom nothing is told as missing that a send takes from the contact', async () => {
    const made = { firstName: 'Eve', attributes: { plan: 'pro' } };
    const text =
      'Hi {{ contact.first_name }}{{ contact.last_name }}, {{ contact.attributes.plan }} {{ contact.attributes.since }} {{ recipient.email }}';
    const shown = async (more: object) =>
      must(
        await project.api.post('/templates/receipt/preview', { content: content(`${text} {{ contact.firstName }} {{ nope }}`), ...more }),
        200,
      );
    const { text: sample, missing, warnings } = await shown({ contact: made });
    expect(sample).toContain('Hi Eve, pro');
    expect(sample).toContain('recipient@example.com');
    expect(missing).toEqual(['contact.firstName', 'nope']);
    expect(JSON.stringify(warnings)).toContain('did you mean contact.first_name?');
    expect((await shown({ contact: { ...made, email: 'eve@example.com' } })).text).toContain('eve@example.com');
    expect((await shown({})).missing).toContain('contact.last_name');
    const email = project.address();
    const contactId = await newContact(project, email, { firstName: 'Ada' });
    expect((await shown({ contactId, contact: made })).text).toContain('Hi Ada');
    expect((await project.api.post('/templates/receipt/preview', { contact: { email: 'nobody' } })).body).toMatchObject({
      code: 'invalid_request',
    });
  });

  test('without content renders the draft when there is one, or the version asked for, with address and unsubscribe link', async () => {
    const own = (await newProject()).api;
    const shipped = (await own.post('/templates/welcome/preview', {})).body;
    expect(shipped.text).toContain('1 Test Street, Testville\nUnsubscribe: http');
    await own.put('/templates/welcome/content', { content: content('published'), publish: true });
    await own.put('/templates/welcome/content', { content: content('drafted') });
    const shown = async (body: object) => (await own.post('/templates/welcome/preview', body)).body.text.split('\n')[0];
    expect([await shown({}), await shown({ version: 'draft' }), await shown({ version: 'published' })]).toEqual([
      'drafted',
      'drafted',
      'published',
    ]);
    expect(await own.post('/templates/welcome/preview', { version: 'x' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_request' },
    });
  });

  test('renders a subject given in place of the stored one, and the schema tells the one of the template', async () => {
    const own = (await newProject()).api;
    await own.put('/templates/receipt', { defaultSubject: 'Set by the brand' });
    const subjectOf = async (body: object) => (await own.post('/templates/receipt/preview', body)).body.subject;
    expect(await subjectOf({ subject: 'Thanks, {{ name }}', data: { name: 'Ada' } })).toBe('Thanks, Ada');
    expect(await subjectOf({})).toBe('Set by the brand');
    expect((await own.get('/templates/receipt/schema')).body.subject).toMatch(/receipt/);
  });

  test.each([
    [{ content: { blocks: 1 } }, 422, 'invalid_content'],
    [{ subject: '{% if %}' }, 422, 'invalid_content'],
    [{ content: content('{% for i in (1..1000000) %}xxxxxxxxxx{% endfor %}') }, 422, 'invalid_content'],
    [{ contactId: NOBODY }, 404, 'not_found'],
    [{ contactId: 'x' }, 422, 'invalid_request'],
    [{ brand: 'nobody' }, 422, 'invalid_request'],
    [{ data: 'x' }, 422, 'invalid_request'],
  ])('%j is refused with %d %s', async (body, status, code) => {
    const answer = await project.api.post('/templates/receipt/preview', body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('test mail', () => {
  test('is the draft when there is one, enabled or not, logged with source type test', async () => {
    const own = await newProject();
    const to = own.address();
    await own.api.put('/templates/receipt/content', { content: content('published {{ total }}'), publish: true });
    expect((await own.api.post('/templates/receipt/test', { to, data: { total: 1 } })).status).toBe(200);
    await own.api.put('/templates/receipt/content', { content: content('drafted {{ total }}') });
    const { status, body } = await own.api.post('/templates/receipt/test', { to, data: { total: 2 } });
    expect([status, typeof body.id]).toEqual([200, 'string']);
    const mails = await mailTo(to, (messages) => messages.length === 2);
    expect(mails[0]!.raw).toContain('published 1');
    expect(mails[1]!.raw).toContain('drafted 2');
    const { sends } = (await own.api.get('/sends?sourceType=test')).body;
    expect(sends.map((send: { template: string; provider_id: string }) => [send.template, send.provider_id])[0]).toEqual([
      'receipt',
      body.id,
    ]);
  });

  test('shows the contact that it is given, as the preview does, and leads only its recipient to unsubscribe', async () => {
    const own = await newProject();
    const text = 'Dear {{ contact.first_name }} of {{ contact.email }}, to {{ recipient.email }}';
    await own.api.put('/templates/announcement/content', { content: { blocks: [{ type: 'text', text }] } });
    const ada = must(await own.api.post('/contacts', { email: own.address('ada'), firstName: 'Ada' }), 200).contacts[0];
    const to = own.address('author');
    const test = (body: object, by = own.api) => by.post('/templates/announcement/test', { to, data: { headline: 'x' }, ...body });
    expect(must(await test({ contact: { firstName: 'Grace', email: 'grace@example.com' } }), 200).missing).toBeUndefined();
    must(await test({ contactId: ada.id }), 200);
    const [sample, known] = await mailTo(to, (messages) => messages.length === 2);
    const plain = ({ raw }: { raw: string }) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
    expect(plain(sample!)).toContain(`Dear Grace of grace@example.com, to ${to}`);
    expect(plain(known!)).toContain(`Dear Ada of ${ada.email}, to ${to}`);
    for (const mail of [sample!, known!]) expect(plain(mail)).not.toContain(ada.id);
    expect(must(await own.api.get('/contacts'), 200).totalCount).toBe(1);
    const sender = (await own.newKey(['send'])).api;
    expect((await test({ contactId: ada.id }, sender)).body.code).toBe('forbidden');
    expect((await test({ contact: { firstName: 'Grace' } }, sender)).status).toBe(200);
    const stranger = must(await project.api.post('/contacts', { email: project.address() }), 200).contacts[0];
    expect((await test({ contactId: stranger.id })).body.code).toBe('not_found');
  });

  test('is what is published, with a subject of its own, when it is asked for so, as a campaign would send it', async () => {
    const own = await newProject();
    const to = own.address();
    const test = (body: object) => own.api.post('/templates/receipt/test', { to, contact: { firstName: 'Ada' }, ...body });
    await own.api.put('/templates/receipt/content', { content: content('as published'), subject: 'Published subject', publish: true });
    await own.api.put('/templates/receipt/content', { content: content('as drafted'), subject: 'Drafted subject' });
    must(await test({ version: 'published' }), 200);
    must(await test({ version: 'published', subject: 'To {{ contact.first_name }}' }), 200);
    must(await test({ subject: 'Of the draft' }), 200);
    const mails = await mailTo(to, (messages) => messages.length === 3);
    const told = ({ raw }: { raw: string }) => [/^Subject: (.*)\r$/m.exec(raw)?.[1], /as (published|drafted)/.exec(raw)?.[0]];
    expect(mails.map(told)).toEqual([
      ['Published subject', 'as published'],
      ['To Ada', 'as published'],
      ['Of the draft', 'as drafted'],
    ]);
    expect((await test({ subject: '{% if %}' })).body).toMatchObject({ code: 'invalid_content', issues: [{ path: 'subject' }] });
  });

  test('needs a valid address, and a suppressed one is not sent to', async () => {
    for (const body of [{}, { to: 'nowhere' }])
      expect((await project.api.post('/templates/receipt/test', body)).body.code).toBe('invalid_request');
    const to = project.address();
    const em = await database();
    await em.insert(Suppression, { project_id: project.id, email: to, reason: 'manual' });
    const { status, body } = await project.api.post('/templates/receipt/test', { to });
    expect([status, body.code, body.reason]).toEqual([422, 'send_failed', 'suppressed']);
    expect(await mailNow(to)).toEqual([]);
  });

  test('needs the scope send, and a verified owner', async () => {
    const { api } = await project.newKey(['templates:write']);
    expect((await api.post('/templates/receipt/test', { to: project.address() })).body.code).toBe('forbidden');
    const unverified = await newProject({ ownerVerified: false });
    expect((await unverified.api.post('/templates/receipt/test', { to: project.address() })).body.code).toBe('email_unverified');
  });

  test('a draft that cannot be rendered is send_failed with the reason', async () => {
    const own = await newProject();
    await own.api.put('/templates/receipt/content', { content: content('{% for i in (1..1000000) %}xxxxxxxxxx{% endfor %}') });
    const { status, body } = await own.api.post('/templates/receipt/test', { to: own.address() });
    expect([status, body.code, body.reason]).toEqual([422, 'send_failed', 'render_failed']);
  });
});

const ROUTES = [
  ['get', '/templates/KEY/schema', undefined],
  ['put', '/templates/KEY', {}],
  ['get', '/templates/KEY/content', undefined],
  ['put', '/templates/KEY/content', { content: { blocks: [] } }],
  ['post', '/templates/KEY/preview', {}],
  ['post', '/templates/KEY/test', { to: 'a@example.com' }],
] as const;

test.each(ROUTES)('%s %s answers 404 unknown_template for a key that nobody has', async (method, path, body) => {
  const { status, body: answer } = await project.api.call(method.toUpperCase(), path.replace('KEY', 'no-such'), body);
  expect([status, answer.code]).toEqual([404, 'unknown_template']);
});

test.each([['get', '/templates', undefined] as const, ...ROUTES])(
  '%s %s answers 422 for a project or name without a brand',
  async (method, path, body) => {
    const bare = await newProject({ noBrand: true });
    const real = path.replace('KEY', 'welcome');
    const noBrand = await bare.api.call(method.toUpperCase(), real, body);
    expect([noBrand.status, noBrand.body.code]).toEqual([422, 'no_brand']);
    const unknown = await project.api.call(method.toUpperCase(), `${real}?brand=nobody`, body);
    expect([unknown.status, unknown.body.code]).toEqual([422, 'invalid_request']);
  },
);

test('another project sees nothing of it', async () => {
  const other = await newProject();
  await project.api.put('/templates/magic-link/content', { content: content('ours'), publish: true });
  await project.api.put('/templates/magic-link', { defaultSubject: 'Ours' });
  expect((await other.api.get('/templates/magic-link/content')).body).not.toHaveProperty('published');
  expect((await other.api.post('/templates/magic-link/preview', { data: { signInUrl: 'https://a.example' } })).body.subject).not.toContain(
    'Ours',
  );
});

test('published content is what POST /send sends, and what was published before does not come back', async () => {
  const own = await newProject();
  const to = own.address();
  await own.api.put('/templates/receipt', { defaultSubject: 'For {{ name }}' });
  for (const word of ['first', 'second']) {
    await own.api.put('/templates/receipt/content', { content: content(`${word} {{ name }} {{ link }}`), publish: true });
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
