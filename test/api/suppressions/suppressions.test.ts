import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { campaignEnds, newCampaign } from '../../support/campaigns.ts';
import { mailNow } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';
import { listenForEvents, ofType } from '../../support/webhook-events.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  for (const template of ['receipt', 'newsletter']) await project.api.put(`/templates/${template}`, { enabled: true });
});

const suppress = (email: string, reason?: string) => project.api.post('/suppressions', { email, ...(reason ? { reason } : {}) });
const contact = async (email: string) => (await project.api.get(`/contacts?q=${encodeURIComponent(email)}`)).body.contacts[0];

test('an address is suppressed by hand unless told otherwise, in its one form', async () => {
  const email = project.address();
  const { status, body } = await suppress(`  ${email.toUpperCase()} `);
  expect([status, body]).toEqual([201, { ok: true, email, reason: 'manual' }]);
  const { suppressions } = (await project.api.get('/suppressions')).body;
  expect(suppressions).toContainEqual({ email, reason: 'manual', created_at: expect.stringMatching(/^\d{4}-.*Z$/), contact_id: null });
});

test.each([
  ['bounce', 'manual', 'bounce'],
  ['manual', 'global_unsubscribe', 'manual'],
  ['bounce', 'complaint', 'complaint'],
  ['complaint', 'bounce', 'complaint'],
])('first %s, then %s: the reason is %s', async (first, second, stored) => {
  const email = project.address();
  await suppress(email, first);
  expect(await suppress(email, second)).toMatchObject({ status: 201, body: { reason: stored } });
});

describe.each(['global_unsubscribe', 'complaint'])('%s', (reason) => {
  test('unsubscribes a matching contact once, and tells webhooks', async () => {
    const events = await listenForEvents(project);
    const email = project.address();
    await project.api.post('/contacts', { email });
    await Promise.all(Array.from({ length: 5 }, () => suppress(email, reason)));
    expect(await contact(email)).toMatchObject({ status: 'unsubscribed' });
    const told = ofType(await events(), 'contact.unsubscribed').filter(({ data }) => (data as { email: string }).email === email);
    expect(told).toHaveLength(1);
    expect(told[0]?.data).toMatchObject({ email, status: 'unsubscribed', created_at: expect.stringMatching(/\.\d{3}Z$/) });
    expect(told[0]?.data).not.toHaveProperty('consent_ip');
  });
});

test.each(['manual', 'bounce'])('%s leaves the contact as it is', async (reason) => {
  const email = project.address();
  await project.api.post('/contacts', { email });
  await suppress(email, reason);
  expect(await contact(email)).toMatchObject({ status: 'subscribed' });
});

test.each(['receipt', 'newsletter'])('a suppressed address gets no %s, with or without a contact', async (template) => {
  const [known, unknown] = [project.address(), project.address()];
  await project.api.post('/contacts', { email: known });
  for (const to of [known, unknown]) {
    await suppress(to);
    const { status, body } = await project.api.post('/send', { template, to });
    expect([status, body.code, body.reason]).toEqual([422, 'send_failed', 'suppressed']);
    expect(await mailNow(to)).toEqual([]);
  }
});

test('while an address is suppressed and sends run, every answer tells the truth and none goes out afterwards', async () => {
  const to = project.address();
  const send = async () => (await project.api.post('/send', { template: 'receipt', to })).body;
  const racing = Array.from({ length: 10 }, send);
  const [, ...early] = await Promise.all([suppress(to), ...racing]);
  const late = await Promise.all(Array.from({ length: 10 }, send));
  for (const body of late) expect(body.reason).toBe('suppressed');
  const accepted = early.filter(({ ok }) => ok);
  expect(await mailNow(to)).toHaveLength(accepted.length);
  for (const body of early.filter(({ ok }) => !ok)) expect(body.reason).toBe('suppressed');
  const log = (await project.api.get(`/sends?q=${encodeURIComponent(to)}`)).body.sends;
  expect(log).toHaveLength(20);
});

test('taken off the list, an address gets mail again; a second time is 404, as is what is no address', async () => {
  const email = `plus+tag-${project.address()}`;
  await suppress(email);
  const path = `/suppressions/${encodeURIComponent(email)}`;
  expect(await project.api.delete(path)).toMatchObject({ status: 200, body: { ok: true, email, deleted: true } });
  expect(await project.api.delete(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await project.api.delete('/suppressions/nobody')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await project.api.post('/send', { template: 'receipt', to: email })).toMatchObject({ status: 200 });
});

test('the list is of one project: to another its addresses are as all, and get its mails', async () => {
  const other = await newProject();
  await enableTemplates(other, 'receipt', 'newsletter');
  const email = project.address();
  const id = await newContact(other, email);
  await suppress(email);
  expect((await other.api.get('/suppressions')).body.suppressions).toEqual([]);
  expect((await other.api.delete(`/suppressions/${encodeURIComponent(email)}`)).status).toBe(404);
  expect(await other.api.post('/send', { template: 'receipt', to: email })).toMatchObject({ status: 200 });
  const { enroll } = await newSequence(other, { steps: [{ template: 'newsletter' }] });
  await enrollmentEnds(await database(), await enroll(email));
  const campaign = await newCampaign(other, { audience: { mode: 'people', emails: [email] } });
  expect(await campaignEnds(other, campaign)).toMatchObject({ sent_count: 1, skipped_count: 0 });
  const { sends } = must(await other.api.get(`/sends?contactId=${id}`), 200);
  expect(sends.map(({ source_type, status }: { source_type: string; status: string }) => `${source_type} ${status}`).sort()).toEqual([
    ...['api sent', 'campaign sent', 'sequence sent'],
  ]);
  expect(await mailNow(email)).toHaveLength(3);
  expect(await project.api.post('/send', { template: 'receipt', to: email })).toMatchObject({
    status: 422,
    body: { reason: 'suppressed' },
  });
});

test('an address that one project has erased while it was suppressed is as all to another', async () => {
  const other = await newProject();
  await enableTemplates(other, 'receipt');
  const email = project.address();
  const id = await newContact(project, email);
  await suppress(email);
  must(await project.api.delete(`/contacts/${id}`), 200);
  // It has some of its own, or nobody would look.
  const own = await newContact(other, other.address());
  must(await other.api.post('/suppressions', { email: must(await other.api.get(`/contacts/${own}`), 200).contact.email }), 201);
  must(await other.api.delete(`/contacts/${own}`), 200);
  expect(await other.api.post('/send', { template: 'receipt', to: email })).toMatchObject({ status: 200 });
  expect(await mailNow(email)).toHaveLength(1);
});

test('lists of contacts and a contact say whose address is suppressed and why, also where an erased contact had it, and the list says whose it is', async () => {
  const own = await newProject();
  const [free, blocked, erased] = [own.address('free'), own.address('blocked'), own.address('erased')];
  const gone = await newContact(own, erased);
  for (const [email, reason] of [
    [blocked, 'bounce'],
    [erased, 'complaint'],
  ]) {
    must(await own.api.post('/suppressions', { email, reason }), 201);
  }
  must(await own.api.delete(`/contacts/${gone}`), 200);
  const ids = new Map<string, string>();
  for (const email of [free, blocked, erased]) ids.set(email, await newContact(own, email));
  const { segment } = must(await own.api.post('/segments', { label: 'All' }), 201);
  const reasonsOf = (contacts: readonly { readonly email: string; readonly suppressed: string | null }[]) =>
    Object.fromEntries(contacts.map(({ email, suppressed }) => [email, suppressed]));
  const wanted = { [free]: null, [blocked]: 'bounce', [erased]: 'complaint' };
  expect(reasonsOf(must(await own.api.get('/contacts'), 200).contacts)).toEqual(wanted);
  expect(reasonsOf(must(await own.api.get(`/contacts?q=${own.slug}`), 200).contacts)).toEqual(wanted);
  expect(reasonsOf(must(await own.api.get(`/segments/${segment.id}/contacts`), 200).contacts)).toEqual(wanted);
  expect(reasonsOf(must(await own.api.post('/segments/preview', {}), 200).sample)).toEqual(wanted);
  for (const [email, reason] of Object.entries(wanted)) {
    expect(must(await own.api.get(`/contacts/${ids.get(email)}`), 200).contact).toMatchObject({ email, suppressed: reason });
  }
  must(await own.api.post('/suppressions', { email: own.address('stranger') }), 201);
  for (const query of ['', '?limit=9']) {
    const { suppressions } = must(await own.api.get(`/suppressions${query}`), 200);
    expect(suppressions.map(({ contact_id }: { contact_id: string | null }) => contact_id)).toEqual([null, ids.get(blocked)]);
  }
  expect(reasonsOf(must(await project.api.get('/contacts'), 200).contacts)).not.toHaveProperty(blocked);
});

test.each([[{}], [{ email: 'nobody' }], [{ email: 'a@b.example', reason: 'because' }]])('%j is refused', async (body) => {
  expect(await project.api.post('/suppressions', body)).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
});

test('any key reads the list, only suppressions:write changes it', async () => {
  const reader = (await project.newKey(['contacts:write'])).api;
  expect((await reader.get('/suppressions')).status).toBe(200);
  expect((await reader.post('/suppressions', { email: project.address() })).body.code).toBe('forbidden');
});

describe('pages of suppressions', () => {
  interface Listed {
    readonly email: string;
    readonly reason: string;
  }
  let own: TestProject;
  /** Newest first. */
  let all: Listed[];
  beforeAll(async () => {
    own = await newProject();
    const em = await database();
    // Seven of each instant.
    await rows(
      em,
      sql`insert into suppressions (project_id, email, reason, created_at)
          select ${own.id}, case when n % 3 = 0 then 'gone_' else 'gone-' end || n || '@to.example',
                 case when n % 5 = 0 then 'complaint' else 'bounce' end, '2026-01-01'::timestamptz + make_interval(secs => n / 7)
          from generate_series(1, 60) n`,
    );
    all = must(await own.api.get('/suppressions'), 200).suppressions;
  });

  async function walk(query: string): Promise<Listed[]> {
    const found: Listed[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { suppressions: Listed[]; nextCursor: string | null } = must(
        await own.api.get(`/suppressions?limit=4${query}${cursor && `&cursor=${cursor}`}`),
        200,
      );
      expect(page.suppressions.length).toBeLessThanOrEqual(4);
      found.push(...page.suppressions);
      cursor = page.nextCursor;
    }
    return found;
  }
  const emailsOf = (listed: readonly Listed[]) => listed.map(({ email }) => email).toSorted();

  test('without limit and cursor all are in one answer, as before', async () => {
    const { ok: _, ...answer } = must(await own.api.get('/suppressions'), 200);
    expect(Object.keys(answer)).toEqual(['suppressions']);
    expect(answer.suppressions).toHaveLength(60);
  });

  test.each([
    ['', () => true],
    ['&reason=complaint', ({ reason }: Listed) => reason === 'complaint'],
    ['&q=GONE_3', ({ email }: Listed) => email.startsWith('gone_3')],
    ['&q=gone&reason=bounce', ({ reason }: Listed) => reason === 'bounce'],
    ['&q=gone_3&reason=complaint', ({ email, reason }: Listed) => email.startsWith('gone_3') && reason === 'complaint'],
    ['&q=no_such', () => false],
    ['&email=Gone-7@TO.example', ({ email }: Listed) => email === 'gone-7@to.example'],
  ])('with limit%s they hold every match once, newest first', async (query, matches) => {
    const wanted = all.filter(matches);
    const found = await walk(query);
    expect(emailsOf(found)).toEqual(emailsOf(wanted));
    const times = found.map((listed) => (listed as unknown as { created_at: string }).created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    const whole = must(await own.api.get(`/suppressions?${query.slice(1)}`), 200);
    expect([emailsOf(whole.suppressions), 'nextCursor' in whole]).toEqual([emailsOf(wanted), false]);
  });

  test('a cursor tells no address, holds for its project and filters only, and pages of 50 where no limit is given', async () => {
    const { nextCursor } = must(await own.api.get('/suppressions?limit=1'), 200);
    expect(Buffer.from(nextCursor.split('.')[0], 'base64url').toString()).not.toContain('@');
    expect(must(await own.api.get(`/suppressions?cursor=${nextCursor}`), 200).suppressions).toHaveLength(50);
    for (const refused of [
      await own.api.get(`/suppressions?reason=bounce&cursor=${nextCursor}`),
      await project.api.get(`/suppressions?cursor=${nextCursor}`),
    ]) {
      expect(refused.body.code).toBe('invalid_cursor');
    }
    expect((await own.api.get('/suppressions?limit=0')).body.code).toBe('invalid_request');
  });
});
