import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { chain } from '../../domain/sequences/graphs.ts';
import { eventually } from '../../support/eventually.ts';
import { newFlow } from '../../support/flow.ts';
import { report } from '../../support/inbound.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

describe('GET /contacts/:id/timeline', () => {
  interface Entry {
    id: string;
    at: string;
    kind: string;
    details: Record<string, unknown>;
  }

  async function timeline(contactId: string, query = ''): Promise<{ timeline: Entry[]; nextCursor: string | null }> {
    return must(await project.api.get(`/contacts/${contactId}/timeline${query}`), 200);
  }

  test('has mails and what came of them, events, runs, suppression and the beginning, newest first', async () => {
    const email = project.address('timeline');
    const { contacts } = must(await project.api.post('/contacts', { email, source: 'signup-form', consent: { source: 'footer' } }), 200);
    const contactId = contacts[0].id;
    const { key } = await newSequence(project, { trigger: 'lit', steps: [{ template: 'receipt' }] });
    must(await project.api.post('/events', { type: 'lit', email, data: { lamp: 3 } }), 200);
    must(await project.api.post('/events', { type: 'large', email, data: { text: randomText(20_000) } }), 200);
    await eventually(async () => (await timeline(contactId)).timeline.some(({ kind }) => kind === 'sequence_left'));
    const { id } = must(await project.api.post('/send', { to: email, template: 'receipt' }), 200);
    must(await report(project, { type: 'complained', providerId: id }), 200);
    await eventually(async () => (await timeline(contactId)).timeline.some(({ kind }) => kind === 'suppressed'));

    const { timeline: all, nextCursor } = await timeline(contactId);
    expect(nextCursor).toBeNull();
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    const of = (kind: string) => all.filter((entry) => entry.kind === kind).map(({ details }) => details);
    expect(of('contact_created')).toEqual([
      expect.objectContaining({ source: 'signup-form', status: 'subscribed', consent_source: 'footer' }),
    ]);
    expect(of('event')).toEqual([
      expect.objectContaining({ type: 'large', data: null }),
      expect.objectContaining({ type: 'lit', data: { lamp: 3 } }),
    ]);
    expect(of('sequence_entered')).toEqual([expect.objectContaining({ sequence_key: key })]);
    expect(of('sequence_left')).toEqual([expect.objectContaining({ sequence_key: key, status: 'completed' })]);
    expect(of('mail_sent')).toEqual([
      expect.objectContaining({ template: 'receipt', source_type: 'api' }),
      expect.objectContaining({ template: 'receipt', source_type: 'sequence' }),
    ]);
    expect(of('mail_reported')).toEqual([expect.objectContaining({ report: 'complained', provider: 'generic' })]);
    expect(of('suppressed')).toEqual([{ reason: 'complaint' }]);

    const paged: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await timeline(contactId, `?limit=2${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.timeline);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(all);
  });

  test('has what was refused since the contact had unsubscribed: events, and enrollments however they were asked for', async () => {
    const email = project.address('refused');
    const contactId = await newContact(project, email, { status: 'unsubscribed' });
    const { key, trigger } = await newSequence(project, { steps: [{ template: 'receipt' }] });
    const { api: tester } = await project.newKey(['*'], true);
    const event = { type: trigger, email, data: { lamp: 3 } };
    for (const by of [project.api, tester]) {
      expect((await by.post('/events', event)).body.code).toBe('contact_unsubscribed');
      expect((await by.post(`/sequences/${key}/enroll`, { email })).body.reason).toBe('contact_unsubscribed');
    }
    // Under a key, too, whose transaction takes back all that is written in it.
    const once = { headers: { 'Idempotency-Key': 'once' } };
    for (const path of ['/events', `/sequences/${key}/enroll`]) await project.api.post(path, path === '/events' ? event : { email }, once);
    must(await project.api.post(`/sequences/${key}/enroll/bulk`, { emails: [email] }), 200);
    const { timeline: all } = await timeline(contactId);
    const run = { sequence_key: key, sequence_name: expect.any(String), reason: 'contact_unsubscribed' };
    expect(all.map(({ kind, details }) => [kind, details])).toEqual([
      ['enrollment_refused', run],
      ['enrollment_refused', run],
      ['event_refused', { type: trigger, reason: 'contact_unsubscribed' }],
      ['enrollment_refused', run],
      ['event_refused', { type: trigger, reason: 'contact_unsubscribed' }],
      ['contact_created', expect.anything()],
    ]);
    expect((await timeline(contactId, '?kind=event_refused')).timeline).toHaveLength(2);
  });

  test('says of mails and runs whether they are sandboxed', async () => {
    const email = project.address('tried');
    const contactId = await newContact(project, email);
    const { api: tester } = await project.newKey(['*'], true);
    const { key } = await newFlow(project, chain());
    for (const by of [project.api, tester]) {
      must(await by.post('/send', { to: email, template: 'receipt' }), 200);
      must(await by.post(`/sequences/${key}/enroll`, { email }), 200);
    }
    const saidOf = async (kind: string) =>
      (await timeline(contactId)).timeline.filter((one) => one.kind === kind).map(({ details }) => details.sandboxed);
    await eventually(async () => (await saidOf('sequence_left')).length === 2 && (await saidOf('mail_reported')).length === 1);
    expect(await saidOf('mail_reported')).toEqual([true]);
    for (const kind of ['mail_sent', 'sequence_entered', 'sequence_left']) expect((await saidOf(kind)).toSorted()).toEqual([false, true]);
    expect(await saidOf('contact_created')).toEqual([undefined]);
  });

  test('has every change of status and of consent once, with what it came by and what it replaced', async () => {
    const email = project.address('changing');
    const first = { source: 'footer', ip: '203.0.113.7', userAgent: 'Firefox' };
    const id = await newContact(project, email, { status: 'pending', source: 'signup', consent: first });
    const change = async (body: object) => must(await project.api.post('/contacts', { email, ...body }), 200);
    await change({ firstName: 'Ada', consent: { source: 'footer' } });
    await change({ status: 'subscribed', consent: { source: 'double-opt-in' } });
    const [complained, bounced] = [await sendMail(project, { to: email }), await sendMail(project, { to: email })];
    const link = complained.unsubscribe ?? '';
    for (const url of [link, link, link.replace('/unsubscribe?', '/resubscribe?')]) await fetch(url, { method: 'POST' });
    const { enroll } = await newFlow(project, chain({ id: 'off', kind: 'update_contact', config: { status: 'unsubscribed' } }));
    const run = await enroll(email);
    await enrollmentEnds(await database(), run);
    await change({ status: 'subscribed', resubscribe: true });
    must(await project.api.post(`/contacts/${id}/unsubscribe`), 200);
    await change({ status: 'subscribed', resubscribe: true, tags: ['a'] });
    must(await report(project, { type: 'complained', providerId: complained.providerId }), 200);
    await change({ status: 'subscribed', resubscribe: true });
    must(await report(project, { type: 'bounced', providerId: bounced.providerId, bounce: { kind: 'hard' } }), 200);
    const none = { consent_source: null, consent_ip: null, consent_user_agent: null, consent_at: null };
    const ofKey = { cause: 'api_call', key_id: project.keyId, send_id: null, enrollment_id: null };
    const back = { ...ofKey, from: 'unsubscribed', to: 'subscribed', ...none };
    const gone = { from: 'subscribed', to: 'unsubscribed', ...none };

    const changes = async (by = project.api) => {
      const { timeline: all } = must(await by.get(`/contacts/${id}/timeline?limit=250`), 200) as { timeline: Entry[] };
      return all.filter(({ kind }) => kind === 'consent_changed').map(({ details }) => details);
    };
    expect(await changes()).toEqual([
      expect.objectContaining({ ...gone, to: 'bounced', cause: 'bounce', send_id: expect.any(String), key_id: null }),
      expect.objectContaining(back),
      expect.objectContaining({ ...gone, cause: 'complaint', send_id: expect.any(String), key_id: null }),
      expect.objectContaining(back),
      expect.objectContaining({ ...ofKey, ...gone }),
      expect.objectContaining(back),
      expect.objectContaining({ ...gone, cause: 'sequence', key_id: null, enrollment_id: run, sequence_key: expect.any(String) }),
      expect.objectContaining({ ...back, cause: 'mail_link', key_id: null, send_id: expect.any(String) }),
      expect.objectContaining({ ...gone, cause: 'mail_link', key_id: null, send_id: expect.any(String) }),
      expect.objectContaining({
        ...{ ...ofKey, from: 'pending', to: 'subscribed', consent_source: 'double-opt-in', consent_ip: first.ip },
        ...{ consent_user_agent: first.userAgent, consent_at: expect.any(String) },
      }),
    ]);
    const withoutMails = await changes((await project.newKey(['contacts:read'])).api);
    expect(withoutMails.map(({ send_id }) => send_id)).toEqual(withoutMails.map(() => null));
    const { timeline: all } = await timeline(id);
    const of = { consent_source: 'footer', consent_ip: first.ip, consent_user_agent: first.userAgent };
    expect(all.find(({ kind }) => kind === 'contact_created')?.details).toMatchObject({ source: 'signup', status: 'pending', ...of });
  });

  test('has what a call for many changed of each, once where one comes twice, and nothing of those that stay as they were', async () => {
    const emails = Array.from({ length: 5 }, () => project.address('many'));
    const upsert = async (inputs: readonly object[]) => must(await project.api.post('/contacts', inputs), 200).contacts;
    const contacts = await upsert(emails.map((email) => ({ email, consent: { source: 'import' } })));
    const [stays, again] = [{ email: emails[0], consent: { source: 'import' }, firstName: 'Ada' }, { email: emails[1] }];
    const moved = emails.slice(1).map((email) => ({ email, status: 'unsubscribed' }));
    await upsert([stays, ...moved, { ...again, consent: { source: 'paper' } }]);
    const changes = await Promise.all(
      contacts.map(async ({ id }: { id: string }) =>
        (await timeline(id)).timeline
          .filter(({ kind }) => kind === 'consent_changed')
          .map(({ details }) => [details.to, details.consent_source]),
      ),
    );
    expect(changes).toEqual([[], [['unsubscribed', 'paper']], ...Array(3).fill([['unsubscribed', null]])]);
  });

  test('has the mails that a sequence left out, and why, among those that it sent, in the order of the run and on every page once', async () => {
    await enableTemplates(project, 'welcome');
    const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template } });
    const off = { id: 'off', kind: 'update_contact', config: { status: 'unsubscribed' } };
    const graph = chain(mail('a', 'receipt'), off, mail('b', 'welcome'), mail('c', 'receipt'), mail('d', 'welcome'));
    const { key, put, enroll } = await newFlow(project, graph);
    const email = project.address('left-out');
    const path = `/contacts/${await newContact(project, email)}/timeline`;
    const run = await enroll(email);
    await enrollmentEnds(await database(), run);
    // The run stays with its version: which mail it left out is told by that.
    await put(chain(mail('b', 'receipt')));

    const all: Entry[] = must(await project.api.get(path), 200).timeline;
    const of = { enrollment_id: run, sequence_key: key, sequence_name: expect.any(String), sandboxed: false };
    const leftOut = (node: string) => ({ ...of, node_id: node, template: 'welcome', reason: 'unsubscribed' });
    const told = all.filter(({ kind }) => kind !== 'consent_changed' && kind !== 'contact_created');
    expect(told.map(({ kind, details }) => [kind, details])).toEqual([
      ['sequence_left', expect.objectContaining({ ...of, end_reason: 'exit' })],
      ['mail_skipped', leftOut('d')],
      ['mail_sent', expect.objectContaining({ ...of, template: 'receipt', source_type: 'sequence' })],
      ['mail_skipped', leftOut('b')],
      ['mail_sent', expect.objectContaining({ ...of, template: 'receipt', source_type: 'sequence' })],
      ['sequence_entered', { ...of, waiting_for: null, wakes_at: null }],
    ]);
    for (const limit of [1, 2, 3]) {
      const paged: Entry[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = must(await project.api.get(`${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`), 200);
        paged.push(...page.timeline);
        cursor = page.nextCursor;
      }
      expect(paged).toEqual(all);
    }
    for (const one of new Set(all.map(({ kind }) => kind)))
      expect(must(await project.api.get(`${path}?kind=${one}`), 200).timeline).toEqual(all.filter(({ kind }) => kind === one));
    const without = must(await (await project.newKey(['contacts:read'])).api.get(path), 200);
    expect(without.timeline).toEqual(all.filter(({ kind }) => !kind.startsWith('mail_')));
    must(await project.api.post('/send', { to: email, template: 'receipt' }), 200);
    const [asked] = must(await project.api.get(`${path}?limit=1`), 200).timeline;
    expect(asked.details).toMatchObject({ source_type: 'api', enrollment_id: null, sequence_key: null, sequence_name: null });
  });

  test('leaves mails out for a key that may not read them, and knows contacts of the project only', async () => {
    const email = project.address('guarded');
    const path = `/contacts/${await newContact(project, email)}/timeline`;
    must(await project.api.post('/send', { to: email, template: 'receipt' }), 200);
    for (const [scopes, withMails, kinds] of [
      [['contacts:read'], false, ['contact_created']],
      [['contacts:read', 'sends:read'], true, ['mail_sent', 'contact_created']],
    ] as const) {
      const shown = must(await (await project.newKey(scopes)).api.get(path), 200);
      expect([shown.withMails, shown.timeline.map(({ kind }: Entry) => kind)]).toEqual([withMails, kinds]);
    }
    expect((await (await newProject()).api.get(path)).status).toBe(404);
    expect((await project.api.get(`/contacts/${randomUUID()}/timeline`)).status).toBe(404);
  });
});

function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += randomUUID();
  return text;
}
