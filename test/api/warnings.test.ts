import { beforeAll, describe, expect, test } from 'vitest';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, must } from '../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

describe('what a request says and nobody reads', () => {
  test('is named in the answer with the nearest known name, in the body, its objects and its arrays', async () => {
    const [first, second] = [project.address(), project.address()];
    const { status, body } = await project.api.post('/contacts', {
      email: first,
      firstname: 'Ada',
      consent: { ip_address: '203.0.113.7' },
      phone: 1,
    });
    expect(status).toBe(200);
    expect(body.warnings).toEqual([
      { path: 'firstname', message: 'ignored: no such field; did you mean firstName?' },
      { path: 'consent.ip_address', message: 'ignored: no such field; known: source, ip, userAgent' },
      { path: 'phone', message: expect.stringMatching(/^ignored: no such field; known: email, id, status, /) },
    ]);
    const array = await project.api.post('/contacts', [{ email: first }, { email: second, Tag: ['x'] }]);
    expect(array.body.warnings).toEqual([{ path: 'contacts[1].Tag', message: 'ignored: no such field; did you mean tags?' }]);
  });

  test('is named for query parameters, also where a route takes none', async () => {
    const { body } = await project.api.get('/contacts?emial=x&page=2');
    expect(body.warnings).toEqual([
      { path: 'emial', message: 'ignored: no such query parameter; did you mean email?' },
      { path: 'page', message: 'ignored: no such query parameter; known: status, tag, email, q, limit, cursor, direction, counts' },
    ]);
    expect((await project.api.get('/webhooks?limit=5')).body.warnings).toEqual([
      { path: 'limit', message: 'ignored: no such query parameter; there are none' },
    ]);
    expect((await project.api.post('/send?dryRun=1', {})).body.code).toBe('invalid_request');
  });

  test('is named beside an answer that a key gives again', async () => {
    const call = (body: object) =>
      project.api.post(
        '/events',
        { type: 'signup', email: project.address('replay'), ...body },
        { headers: { 'idempotency-key': 'again' } },
      );
    const email = project.address('same');
    const [first, again] = [await call({ email, propertys: 1 }), await call({ email, payloads: 1 })];
    expect(first.body.warnings.map(({ path }: { path: string }) => path)).toEqual(['propertys']);
    expect(again.body).toMatchObject({ duplicate: true, warnings: [{ path: 'payloads' }] });
  });

  test('is named in a refusal, since what is required may stand there under another name', async () => {
    const { status, body } = await project.api.post('/send', { templateKey: 'receipt', to: project.address() });
    expect([status, body.error]).toEqual([422, 'template: required, or html, text or content in its place']);
    expect(body.warnings).toEqual([{ path: 'templateKey', message: 'ignored: no such field; did you mean template?' }]);
  });

  test('is named alike in a refusal of query parameters, and of what only the use case can judge', async () => {
    const ofQuery = await project.api.get('/contacts?stauts=pending&limit=none');
    expect(ofQuery.body).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'limit' }],
      warnings: [{ path: 'stauts', message: 'ignored: no such query parameter; did you mean status?' }],
    });
    const ofUseCase = await project.api.post('/segments?dryRun=1', { label: 'x', brand: 'none', lable: 'y' });
    expect(ofUseCase.body).toMatchObject({ code: 'invalid_request', warnings: [{ path: 'dryRun' }, { path: 'lable' }] });
  });

  test('is not looked for beyond a hundred names, nor near names that are long', async () => {
    const email = project.address();
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`x${index}`, 1]));
    const { body } = await project.api.post('/contacts', { email, ...many });
    expect(body.warnings).toHaveLength(100);
    const long = `firstName${'e'.repeat(100_000)}`;
    const answer = await project.api.post('/contacts', { email, [long]: 1, __proto__: null, constructor: 1 });
    expect(answer.body.warnings[0]).toEqual({
      path: `${long.slice(0, 100)}…`,
      message: expect.stringContaining('no such field; known: '),
    });
    expect(answer.body.warnings[1].path).toBe('constructor');
  });

  test('is nothing where everything is known: the answer has no warnings', async () => {
    await enableTemplates(project, 'receipt');
    const email = project.address();
    const contact = { email, attributes: { anything: { goes: 1 } }, consent: { ip: '203.0.113.7' }, firstName: null };
    for (const answer of [
      await project.api.post('/contacts', contact),
      await project.api.get(`/contacts?email=${encodeURIComponent(email)}&limit=1`),
      await project.api.post('/send', { template: 'receipt', to: email, data: { any: 1 }, from: null }),
      await project.api.post('/segments', { label: 'All', filter: {} }),
    ]) {
      expect(Math.floor(answer.status / 100)).toBe(2);
      expect(answer.body).not.toHaveProperty('warnings');
    }
  });

  test('is no part of a graph that GET answered and PUT takes back', async () => {
    await project.api.post('/sequences', { key: 'back', name: 'Back', steps: [{ template: 'welcome' }] });
    const { body: graph } = await project.api.get('/sequences/back');
    expect((await project.api.put('/sequences/back', graph)).body).not.toHaveProperty('warnings');
    const { body } = await project.api.put('/sequences/back', { ...graph, trigers: [] });
    expect(body.warnings).toEqual([{ path: 'trigers', message: 'ignored: no such field; did you mean triggers?' }]);
  });
});

test('the OpenAPI document has warnings in every 2xx answer that is an object', async () => {
  const { body } = await project.api.get('/openapi.json');
  type Content = {
    readonly 'application/json'?: {
      readonly schema: { readonly properties?: object; readonly allOf?: readonly { readonly properties?: object }[] };
    };
  };
  const without = Object.entries(body.paths as Record<string, Record<string, { responses: Record<string, { content: Content }> }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) => {
        const schema = (responses['200'] ?? responses['201'])?.content['application/json']?.schema;
        const properties = schema?.properties ?? schema?.allOf?.[0]?.properties;
        return schema === undefined || (properties && 'warnings' in properties) ? [] : `${method} ${path}`;
      }),
  );
  expect(without).toEqual(['get /contacts/{id}/export', 'get /openapi.json']);
  expect(body.components.schemas.Warning.required).toEqual(['path', 'message']);
});

describe('variables that no mail has', () => {
  const WRONG = '{{ contact.firstName }} {{ firstName }} {{ contact.plan }} {{ brand.logo }} {{ order.id }} {{ contact.attributes.plan }}';

  test('are named with the right spelling where a template is written and where it is tried', async () => {
    const content = { blocks: [{ type: 'text', text: WRONG }] };
    const messages = [
      'contact.firstName is no variable; did you mean contact.first_name?',
      'use contact.first_name: firstName is empty unless the data has it',
      'contact.plan is no variable; a field of your own is contact.attributes.plan',
      'brand.logo is no variable; did you mean brand.logo_url?',
    ];
    const written = await project.api.put('/templates/receipt/content', { content });
    expect(written.status).toBe(200);
    expect(written.body.warnings.map(({ message }: { message: string }) => message).sort()).toEqual([...messages].sort());
    const tried = await project.api.post('/templates/announcement/preview', { content, data: {} });
    expect(tried.body.warnings).toEqual(expect.arrayContaining(messages.map((message) => ({ path: 'content', message }))));
    const named = await project.api.put('/templates/receipt', { enabled: true, defaultSubject: 'Hi {{ contact.FirstName }}' });
    expect(named.body.warnings).toEqual([
      { path: 'defaultSubject', message: 'contact.FirstName is no variable; did you mean contact.first_name?' },
    ]);
  });

  test('are told from those that data gives', async () => {
    const content = { blocks: [{ type: 'text', text: '{{ order.id }} {{ contact.first_name }} {{ now }}' }] };
    expect((await project.api.put('/templates/receipt/content', { content })).body).not.toHaveProperty('warnings');
  });

  test('are named when a template is made, and so is what is close to a declared field', async () => {
    const made = await project.api.post('/templates', {
      ...{ key: 'misspelled', type: 'transactional', name: 'Misspelled', subject: '{{ contact.firstName }}' },
      content: {
        blocks: [{ type: 'text', text: '{{ pasword }} {{ items[0].name }} {{ other }} {{ unsubscribe_url }} {{ attributes.plan }}' }],
      },
      dataSchema: [
        { path: 'password', kind: 'string' },
        { path: 'items', kind: 'array' },
      ],
    });
    expect(made).toMatchObject({ status: 201 });
    expect(made.body.warnings).toEqual([
      { path: 'subject', message: 'contact.firstName is no variable; did you mean contact.first_name?' },
      { path: 'content', message: 'pasword is no field of the data; did you mean password?' },
      { path: 'content', message: 'use unsubscribeUrl: unsubscribe_url is empty unless the data has it' },
      { path: 'content', message: 'use contact.attributes.plan: attributes.plan is empty unless the data has it' },
    ]);
  });
});

test('a field of the data that is near one that the template declares, and a misspelt variable of the subject, are named by POST /send', async () => {
  await enableTemplates(project, 'receipt');
  const to = project.address();
  const data = { ordernumber: '7', total: '1', other: 'x' };
  const subject = 'Hi {{ contact.firstName }}, {{ conact.email }}';
  const { warnings } = must(await project.api.post('/send', { template: 'receipt', to, data, subject }), 200);
  expect(warnings).toEqual([
    { path: 'data.ordernumber', message: 'no field of this template; did you mean orderNumber?' },
    { path: 'subject', message: 'contact.firstName is no variable; did you mean contact.first_name?' },
    { path: 'subject', message: 'conact.email is no variable; did you mean contact.email?' },
  ]);
  // What the content lacks is not the subject's, though a word of it is the same.
  const content = { blocks: [{ type: 'text', text: 'For {{ email }}' }] };
  must(await project.api.post('/templates', { key: 'own-words', type: 'transactional', name: 'Own', subject: 'Own', content }), 201);
  await enableTemplates(project, 'own-words');
  const plain = must(await project.api.post('/send', { template: 'own-words', to, subject: 'Your email' }), 200);
  expect([plain.missing, plain.warnings]).toEqual([['email'], undefined]);
});

test('Liquid within data, which does not run, and an address that gives no link are named by every call that takes data', async () => {
  await enableTemplates(project, 'password-reset');
  const data = {
    resetUrl: 'app.example.com/reset',
    name: '{{ contact.first_name }}',
    note: 'Use {{ to begin',
    list: [{ text: '{% now %}' }],
  };
  const liquid = 'data is shown as it is, its Liquid does not run; it belongs into the template or the subject';
  const warnings = [
    { path: 'data.resetUrl', message: 'not an https, http or mailto address: the email has no link to it' },
    { path: 'data.name', message: liquid },
    { path: 'data.list[0].text', message: liquid },
  ];
  const to = project.address();
  expect((await project.api.post('/send', { template: 'password-reset', to, data })).body).toMatchObject({ ok: true, warnings });
  expect((await project.api.post('/templates/password-reset/test', { to, data })).body).toMatchObject({ ok: true, warnings });
  expect((await project.api.post('/templates/password-reset/preview', { data })).body).toMatchObject({ ok: true, warnings });
  const right = { resetUrl: 'https://app.example.com/reset', name: 'Ada' };
  expect((await project.api.post('/send', { template: 'password-reset', to, data: right })).body).not.toHaveProperty('warnings');
});
