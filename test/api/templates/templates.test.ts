import { beforeAll, describe, expect, test } from 'vitest';
import { newProject, type TestProject } from '../../support/project.ts';
import { addSecondBrand, saying } from './own-template.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await addSecondBrand(project);
});

test('every shipped template is listed, disabled and with nothing set', async () => {
  const { status, body } = await (await newProject()).api.get('/templates');
  expect(status).toBe(200);
  expect(body.templates.map(({ key, type }: { key: string; type: string }) => `${key} ${type}`)).toEqual([
    'announcement marketing',
    'confirm-subscription transactional',
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
  await project.api.put('/templates/magic-link/content', { content: saying('ours'), publish: true });
  await project.api.put('/templates/magic-link', { defaultSubject: 'Ours' });
  expect((await other.api.get('/templates/magic-link/content')).body).not.toHaveProperty('published');
  expect((await other.api.post('/templates/magic-link/preview', { data: { signInUrl: 'https://a.example' } })).body.subject).not.toContain(
    'Ours',
  );
});
