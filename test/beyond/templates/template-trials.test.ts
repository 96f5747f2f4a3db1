import { beforeAll, describe, expect, test } from 'vitest';
import { Suppression } from '../../../db/entities/index.ts';
import { saying } from '../../api/templates/own-template.ts';
import { mailNow, mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact } from '../../support/sequences.ts';

const NOBODY = '019e0000-0000-7000-8000-000000000001';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

describe('preview', () => {
  test('renders given content with data and contact, and tells what is missing', async () => {
    const email = project.address();
    const contact = (await project.api.post('/contacts', { email, firstName: 'Ada' })).body.contacts[0];
    const { status, body } = await project.api.post('/templates/receipt/preview', {
      data: { total: '<b>5</b>', contact: { first_name: 'Eve' } },
      contactId: contact.id,
      content: saying('{{ contact.first_name }} {{ recipient.email }} {{ total }} {{ nope.x }}'),
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
        await project.api.post('/templates/receipt/preview', { content: saying(`${text} {{ contact.firstName }} {{ nope }}`), ...more }),
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

  test('with marks says in its HTML where each block is, and is the same mail otherwise', async () => {
    const text = (says: string) => ({ type: 'text', text: says });
    const blocks = [
      ...[{ type: 'heading', text: 'One' }, text('Two'), { ...text('Three'), showIf: 'shown' }, { ...text('Never'), showIf: 'hidden' }],
      ...[
        { type: 'columns', columns: [{ blocks: [text('Left')] }, { blocks: [{ type: 'divider' }] }] },
        { type: 'spacer', height: 9 },
      ],
      text('<!--/block--> is text'),
    ];
    const shown = async (more: object) =>
      must(await project.api.post('/templates/receipt/preview', { data: { shown: 1 }, content: { blocks }, ...more }), 200).html as string;
    const [plain, marked] = [await shown({}), await shown({ marks: true })];
    expect(plain).not.toContain('block content');
    expect(marked.replace(/<!--block [^>]*-->|<!--\/block-->/g, '')).toBe(plain);
    const within = (path: string) => marked.split(`<!--block ${path}-->`)[1]!.split('<!--/block-->')[0];
    expect(marked.match(/<!--block [^>]*-->/g)!.map((mark) => mark.slice(10, -3))).toEqual([
      ...[0, 1, 2, 4].map((index) => `content.blocks[${index}]`),
      ...['content.blocks[4].columns[0].blocks[0]', 'content.blocks[4].columns[1].blocks[0]', 'content.blocks[5]', 'content.blocks[6]'],
    ]);
    expect(within('content.blocks[0]')).toContain('One');
    expect(within('content.blocks[2]')).toMatch(/^\s*<p[^>]*>Three<\/p>$/);
    expect(within('content.blocks[4].columns[0].blocks[0]')).toContain('Left');
    expect(within('content.blocks[6]')).toContain('is text');
  });

  test('without content renders the draft when there is one, or the version asked for, with address and unsubscribe link', async () => {
    const own = (await newProject()).api;
    const shipped = (await own.post('/templates/welcome/preview', {})).body;
    expect(shipped.text).toContain('1 Test Street, Testville\nUnsubscribe: http');
    await own.put('/templates/welcome/content', { content: saying('published'), publish: true });
    await own.put('/templates/welcome/content', { content: saying('drafted') });
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
    [{ content: saying('{% for i in (1..1000000) %}xxxxxxxxxx{% endfor %}') }, 422, 'invalid_content'],
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
    await own.api.put('/templates/receipt/content', { content: saying('published {{ total }}'), publish: true });
    expect((await own.api.post('/templates/receipt/test', { to, data: { total: 1 } })).status).toBe(200);
    await own.api.put('/templates/receipt/content', { content: saying('drafted {{ total }}') });
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

  test('shows the contact that it is given, as the preview does, and leads nobody to unsubscribe', async () => {
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
    await own.api.put('/templates/receipt/content', { content: saying('as published'), subject: 'Published subject', publish: true });
    await own.api.put('/templates/receipt/content', { content: saying('as drafted'), subject: 'Drafted subject' });
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
    await own.api.put('/templates/receipt/content', { content: saying('{% for i in (1..1000000) %}xxxxxxxxxx{% endfor %}') });
    const { status, body } = await own.api.post('/templates/receipt/test', { to: own.address() });
    expect([status, body.code, body.reason]).toEqual([422, 'send_failed', 'render_failed']);
  });
});
