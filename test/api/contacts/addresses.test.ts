import { domainToUnicode } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { mailNow } from '../../support/mail.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt', 'newsletter');
});

/** Spellings of one mailbox, the stored one first. */
function spellings(): string[] {
  const local = project.address('spelled').split('@')[0]!;
  return [
    'xn--bcher-kva.example',
    'bücher.example',
    'BÜCHER.Example',
    'bu\u0308cher.example',
    'ｂücher。example',
    'XN--bcher-KVA.example',
  ].map((domain) => `${local}@${domain}`);
}

/** The messages for a stored address. The sink shows domains in U-labels. */
async function arrived(stored: string): Promise<string[]> {
  const [local, domain] = stored.split('@');
  return (await mailNow(`${local}@${domainToUnicode(domain!)}`)).map(({ raw }) => raw);
}

test('a suppressed mailbox gets nothing under any spelling of its domain', async () => {
  const [stored, ...others] = spellings();
  must(await project.api.post('/suppressions', { email: others[0] }), 201);
  for (const to of [stored!, ...others]) {
    for (const template of ['receipt', 'newsletter']) {
      expect((await project.api.post('/send', { template, to })).body).toMatchObject({ code: 'send_failed', reason: 'suppressed' });
    }
  }
  expect(await arrived(stored!)).toEqual([]);
  const { suppressions } = (await project.api.get('/suppressions')).body;
  expect(suppressions.map(({ email }: { email: string }) => email)).toContain(stored);
  expect(await project.api.delete(`/suppressions/${encodeURIComponent(others[1]!)}`)).toMatchObject({
    status: 200,
    body: { email: stored },
  });
});

test('all spellings of a mailbox are one contact, found by each of them', async () => {
  const all = spellings();
  const first = must(await project.api.post('/contacts', { email: all[1] }), 200).contacts[0];
  expect(first.email).toBe(all[0]);
  const { contacts } = must(
    await project.api.post(
      '/contacts',
      all.map((email) => ({ email })),
    ),
    200,
  );
  expect(new Set(contacts.map(({ id }: { id: string }) => id))).toEqual(new Set([first.id]));
  for (const email of all) {
    const found = must(await project.api.get(`/contacts?email=${encodeURIComponent(email)}`), 200);
    expect(found).toMatchObject({ totalCount: 1, contacts: [{ id: first.id }], nextCursor: null, previousCursor: null });
  }
});

test('a mail goes to the stored spelling, and the send log shows that', async () => {
  const [stored, typed] = spellings();
  must(await project.api.post('/send', { template: 'receipt', to: typed }), 200);
  expect(await arrived(stored!)).toEqual([expect.stringContaining(`\r\nTo: ${stored}\r\n`)]);
  expect(must(await project.api.get(`/sends?q=${encodeURIComponent(stored!)}`), 200).sends).toMatchObject([{ to_email: stored }]);
});

describe('what no mail can reach is refused by contacts, suppressions and sends alike', () => {
  test.each([
    'a@１２７.0x1',
    'a@①.0x2',
    'a@xn--a-ecp.ru',
    'a@אבa.example',
    'a\u3164b@example.com',
    'a@ex\u2800ample.com',
    'a@ex\ufe0fample.com',
    'a@ex\u034fample.com',
    `${'ö'.repeat(33)}@example.com`,
    `a@${'ü'.repeat(60)}.example`,
  ])('%j', async (email) => {
    const refused = { status: 422, body: { code: 'invalid_request' } };
    expect(await project.api.post('/contacts', { email })).toMatchObject(refused);
    expect(await project.api.post('/suppressions', { email })).toMatchObject(refused);
    expect(await project.api.post('/send', { template: 'receipt', to: email })).toMatchObject(refused);
    expect(await project.api.get(`/contacts?email=${encodeURIComponent(email)}`)).toMatchObject(refused);
  });
});

test.each(['ann@col·lecció.example', 'ann@क्\u200dष.example'])('%j is a legal name of IDNA 2008 and gets its mail', async (to) => {
  must(await project.api.post('/send', { template: 'newsletter', to }), 200);
  const [{ email }] = must(await project.api.get(`/contacts?email=${encodeURIComponent(to)}`), 200).contacts;
  expect(await arrived(email)).toHaveLength(1);
});

test('the filter by address is exact', async () => {
  const email = project.address('exact');
  for (const each of [email, `x${email}`]) must(await project.api.post('/contacts', { email: each, status: 'pending' }), 200);
  expect(must(await project.api.get(`/contacts?email=${email.toUpperCase()}`), 200)).toMatchObject({
    totalCount: 1,
    contacts: [{ email }],
  });
  expect(must(await project.api.get(`/contacts?email=${email}&status=subscribed`), 200)).toMatchObject({ totalCount: 0, contacts: [] });
  expect(must(await project.api.get(`/contacts?email=none-${email}`), 200)).toMatchObject({ totalCount: 0, contacts: [] });
});
