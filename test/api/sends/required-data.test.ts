import { beforeAll, describe, expect, test } from 'vitest';
import { mailNow } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

const RESET_URL = 'https://example.com/reset?token=Zk3vR8';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'password-reset', 'magic-link');
});

const FAILED = {
  status: 422,
  body: { code: 'send_failed', reason: 'render_failed', error: 'render_failed: required data is missing: resetUrl' },
};

test.each([
  ['password-reset', 'resetUrl'],
  ['magic-link', 'signInUrl'],
])('%s without %s is not sent: the answer and the one row name it', async (template, path) => {
  const to = project.address();
  const answer = await project.api.post('/send', { template, to, data: { name: 'Ada' } });
  const error = `render_failed: required data is missing: ${path}`;
  expect(answer).toMatchObject({ status: 422, body: { code: 'send_failed', reason: 'render_failed', error } });
  const { sends } = must(await project.api.get(`/sends?q=${encodeURIComponent(to)}`), 200);
  expect(sends).toEqual([expect.objectContaining({ template, status: 'failed', error, provider_id: null })]);
  expect(await mailNow(to)).toEqual([]);
});

test.each([[null], [''], [' \n'], [[]], [{}]])('required data of %j is missing as well', async (resetUrl) => {
  const answer = await project.api.post('/send', { template: 'password-reset', to: project.address(), data: { resetUrl } });
  expect(answer).toMatchObject(FAILED);
});

test('with its required data a mail goes, and what else rendered empty stands in missing', async () => {
  const own = await newProject();
  await enableTemplates(own, 'password-reset');
  const send = (data: object) => own.api.post('/send', { template: 'password-reset', to: own.address(), data });
  expect(must(await send({ resetUrl: RESET_URL }), 200)).toEqual({ ok: true, id: expect.any(String) });
  const blocks = [{ type: 'text', text: 'For {{ order.number }}: {{ resetUrl }} {{ code | default: "none" }}' }];
  must(await own.api.put('/templates/password-reset/content', { content: { blocks }, publish: true }), 200);
  expect(must(await send({ resetUrl: RESET_URL }), 200).missing).toEqual(['order.number']);
});

test('a test mail without required data is refused as the send is', async () => {
  const to = project.address();
  expect(await project.api.post('/templates/password-reset/test', { to })).toMatchObject(FAILED);
  expect(await mailNow(to)).toEqual([]);
});

describe('a preview', () => {
  const preview = async (body: object, by = project) => must(await by.api.post('/templates/password-reset/preview', body), 200);

  test('without required data renders, names it in missing, and warns that the mail would not go', async () => {
    const { html, missing, warnings } = await preview({});
    expect(html).toContain('</html>');
    expect(missing[0]).toBe('resetUrl');
    expect(missing.filter((path: string) => path === 'resetUrl')).toHaveLength(1);
    expect(warnings).toEqual([{ path: 'data.resetUrl', message: expect.stringContaining('required') }]);
    const whole = await preview({ data: { resetUrl: RESET_URL } });
    expect(whole.html).toContain('reset?token=Zk3vR8');
    expect([whole.missing.includes('resetUrl'), whole.warnings]).toEqual([false, undefined]);
  });

  test('names required data also where the content does not show it, since the mail would fail for it', async () => {
    const content = { blocks: [{ type: 'text', text: 'Nothing but words.' }] };
    expect((await preview({ content })).missing).toEqual(['resetUrl']);
  });
});

describe('the schema of a template', () => {
  test('says what is required, and which declared fields the published content and the subject do not use', async () => {
    const own = await newProject();
    const fields = async () => {
      const { dataSchema } = must(await own.api.get('/templates/password-reset/schema'), 200);
      return dataSchema.map(({ path, required, used }: { path: string; required?: true; used?: false }) =>
        [path, ...(required ? ['required'] : []), ...(used === false ? ['unused'] : [])].join(' '),
      );
    };
    expect(await fields()).toEqual(['name', 'resetUrl required', 'expiresInMinutes', 'requestIp']);
    const blocks = [{ type: 'text', text: '{{ resetUrl }} {{ code }}', showIf: 'expiresInMinutes' }];
    must(await own.api.put('/templates/password-reset/content', { content: { blocks } }), 200);
    expect(await fields()).toEqual(['name', 'resetUrl required', 'expiresInMinutes', 'requestIp']);
    must(await own.api.put('/templates/password-reset/content', { content: { blocks }, publish: true }), 200);
    expect(await fields()).toEqual(['name unused', 'resetUrl required', 'expiresInMinutes', 'requestIp unused', 'code']);
    must(await own.api.put('/templates/password-reset', { defaultSubject: 'Hi {{ name }}' }), 200);
    expect(await fields()).toEqual(['name', 'resetUrl required', 'expiresInMinutes', 'requestIp unused', 'code']);
  });
});

describe('a setting that enables a template unasked', () => {
  const set = async (own: TestProject, body: object) => must(await own.api.put('/templates/receipt', body), 200).warnings;

  test('says so when the template was off', async () => {
    const own = await newProject();
    const said = [{ path: 'enabled', message: expect.stringMatching(/^receipt was off and is enabled now/) }];
    expect(await set(own, { defaultSubject: 'Thanks' })).toEqual(said);
    expect(await set(own, { enabled: false })).toBeUndefined();
    expect(await set(own, { from: null })).toEqual(said);
  });

  test('says nothing when it was on, or was asked for, or is all that the call does', async () => {
    const own = await newProject();
    expect(await set(own, { enabled: true, defaultSubject: 'Thanks' })).toBeUndefined();
    expect(await set(own, { defaultSubject: 'Thank you' })).toBeUndefined();
    expect(await set(own, { enabled: false, defaultSubject: 'Thanks' })).toBeUndefined();
    expect(await set(own, {})).toBeUndefined();
  });
});
