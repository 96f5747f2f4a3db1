import { parse } from 'csv-parse/sync';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { rows } from '../../../db/rows.ts';
import { campaignEnds, newCampaign } from '../../support/campaigns.ts';
import { askingProject, confirmLinkOf } from '../../support/confirmations.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { imported } from '../../support/imports.ts';
import { report } from '../../support/inbound.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';
import { ask } from '../../support/topics.ts';
import { erase } from './erasing.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

type Cells = Readonly<Record<string, string>>;

async function exported(of: Pick<TestProject, 'api'>, path: string): Promise<Cells[]> {
  const { status, body, headers } = await of.api.get(path);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="\w+\.csv"/);
  return parse(body, { columns: true, bom: false });
}

const emailsOf = (people: readonly Cells[]): unknown[] => people.map(({ email }) => email);

describe('contacts as CSV', () => {
  test('have each contact that the filter is for, more than a page of them, newest first', async () => {
    const own = await newProject();
    const people = Array.from({ length: 2_300 }, (_, nth) => `p${nth}@${own.domain}`);
    await imported(own, `email,tags\n${people.map((email, nth) => `${email},${nth % 2 ? 'odd' : 'even'}`).join('\n')}`);
    expect(emailsOf(await exported(own, '/contacts/export')).toSorted()).toEqual(people.toSorted());
    expect(await exported(own, '/contacts/export?tag=odd')).toHaveLength(1_150);
    expect(emailsOf(await exported(own, '/contacts/export?q=p77@'))).toEqual([`p77@${own.domain}`]);
    const { id } = must(await own.api.post('/segments', { label: 'odd', filter: { tags: ['odd'] } }), 201).segment;
    expect(await exported(own, `/segments/${id}/export`)).toHaveLength(1_150);
    expect(emailsOf(await exported(own, `/segments/${id}/export?q=p77@`))).toEqual([`p77@${own.domain}`]);
    expect((await project.api.get(`/segments/${id}/export`)).status).toBe(404);
    expect((await own.api.get('/contacts/export?status=nonsense')).body.code).toBe('invalid_request');
  });

  test('hold no formula and lose nothing: imported elsewhere they are the same people', async () => {
    const [from, to] = [await newProject(), await newProject()];
    for (const each of [from, to]) must(await each.api.post('/topics', { key: 'news', name: 'News' }), 201);
    const person = {
      ...{
        email: from.address(),
        firstName: '=cmd|"/C calc"!A0',
        lastName: 'Comma, "quoted"\nand a line',
        displayName: '@ada',
        locale: 'de-CH',
      },
      ...{ tags: ['a', 'b'], topics: { news: false }, status: 'unsubscribed', timezone: 'Europe/Berlin' },
      ...{
        attributes: { phone: '+49 30 1', note: '\ttab', plan: 'pro' },
        consent: { source: 'form', ip: '203.0.113.7', userAgent: 'B/1' },
      },
    };
    must(await from.api.post('/contacts', person), 200);
    must(await from.api.post('/suppressions', { email: person.email, reason: 'complaint' }), 201);
    const path = '/contacts/export?attributes=phone,note,plan';
    const text = (await from.api.get(path)).body;
    expect(text).toContain('"\'=cmd|""/C calc""!A0"');
    for (const cell of ["'@ada", "'+49 30 1"]) expect(text).toContain(cell);
    const ended = await imported(to, text, { mapping: { source: null } });
    expect(ended).toMatchObject({ status: 'completed', inserted: 1 });
    const shown = async (of: TestProject) => {
      const [row] = await exported(of, path);
      const { id: _, created_at: __, updated_at: ___, brand: ____, source: _____, ...others } = row as Cells;
      return others;
    };
    const [there, before] = [await shown(to), await shown(from)];
    expect(JSON.parse(there.attributes as string)).toEqual({ phone: '+49 30 1', note: 'tab', plan: 'pro' });
    expect({ ...there, attributes: '', 'attributes.note': '' }).toEqual({ ...before, attributes: '', 'attributes.note': '' });
  });

  test('are four at once of a project, and one that is broken off gives its place back', async () => {
    const own = await newProject();
    await imported(own, `email\n${Array.from({ length: 1_200 }, (_, nth) => `p${nth}@${own.domain}`).join('\n')}`);
    // More than sockets hold: whoever does not read keeps the place.
    const large = sql`jsonb_build_object('note', repeat('x', 20000))`;
    await rows(await database(), sql`update contacts set attributes = ${large} where project_id = ${own.id}`);
    const stopping = new AbortController();
    const begin = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${own.key}` };
      return (await fetch(`${testEnvironment().apiUrl}/api/v1/contacts/export`, { headers, signal: stopping.signal })).status;
    };
    expect(await Promise.all(Array.from({ length: 4 }, begin))).toEqual([200, 200, 200, 200]);
    const { status, body } = await own.api.get('/contacts/export?q=p77@');
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    stopping.abort();
    await eventually(async () => (await own.api.get('/contacts/export?q=p77@')).status === 200);
  });
});

describe('sends and people of campaigns as CSV', () => {
  test('have the log as the filter says, for keys that read it', async () => {
    const own = await newProject();
    const [ada, bob] = [own.address('ada'), own.address('bob')];
    await sendMail(own, { to: ada });
    await sendMail(own, { to: bob });
    const sends = await exported(own, '/sends/export');
    expect(sends.map(({ to_email }) => to_email)).toEqual([bob, ada]);
    const listed = must(await own.api.get('/sends?limit=1'), 200).sends[0];
    expect(Object.keys(sends[0] as Cells)).toEqual(Object.keys(listed));
    expect(sends[0]).toMatchObject({ id: listed.id, status: 'sent', created_at: listed.created_at, tags: '[]', error: '' });
    expect(await exported(own, '/sends/export?status=failed')).toEqual([]);
    const { api } = await own.newKey(['contacts:read']);
    expect((await api.get('/sends/export')).body.code).toBe('forbidden');
  });

  test('have everybody whom a campaign was for: with what became of the email, or why they did not get it', async () => {
    const own = await newProject();
    await enableTemplates(own, 'newsletter');
    const [ada, bob, cy] = [own.address('ada'), own.address('bob'), own.address('cy')];
    must(await own.api.post('/contacts', [{ email: ada }, { email: bob, status: 'unsubscribed' }, { email: cy }]), 200);
    must(await own.api.post('/suppressions', { email: cy, reason: 'manual' }), 201);
    const campaignId = await newCampaign(own, { audience: { mode: 'people', emails: [ada, bob, cy] }, data: { title: 'News' } });
    expect((await campaignEnds(own, campaignId)).status).toBe('sent');
    const people = await exported(own, `/campaigns/${campaignId}/people/export`);
    expect(people.map(({ email, outcome, reason }) => [email, outcome, reason])).toEqual([
      [ada, 'sent', ''],
      [cy, 'left_out', 'suppressed'],
      [bob, 'left_out', 'unsubscribed'],
    ]);
    expect(emailsOf(await exported(own, `/campaigns/${campaignId}/people/export?outcome=left_out`))).toEqual([cy, bob]);
    const { api } = await own.newKey(['contacts:read']);
    expect((await api.get(`/campaigns/${campaignId}/people/export`)).body.code).toBe('forbidden');
    expect(await exported({ api }, `/campaigns/${campaignId}/people/export?outcome=left_out`)).toHaveLength(2);
    expect((await project.api.get(`/campaigns/${campaignId}/people/export`)).status).toBe(404);
  });
});

describe('all that is known of a person', () => {
  test('is one JSON: contact, consent, topics, events, sends with subjects, runs, and why the address gets nothing', async () => {
    const own = await newProject();
    must(await own.api.post('/topics', { key: 'news', name: 'News' }), 201);
    const email = own.address();
    // Before there is a contact.
    await enableTemplates(own, 'password-reset');
    must(await own.api.post('/send', { template: 'password-reset', to: email, data: { resetUrl: 'https://example.com/' } }), 200);
    const { id } = must(await own.api.post('/contacts', { email, firstName: 'Ada', topics: { news: true } }), 200).contacts[0];
    must(await own.api.post('/contacts', { email, topics: { news: false } }), 200);
    must(await own.api.post('/events', { type: 'bought', email, data: { items: ['x'] } }), 200);
    must(await own.api.post('/suppressions', { email, reason: 'complaint' }), 201);
    const { status, body, headers } = await own.api.get(`/contacts/${id}/export`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({
      withMails: true,
      contact: { id, email, first_name: 'Ada', status: 'unsubscribed' },
      suppression: { reason: 'complaint' },
      topics: [{ key: 'news', name: 'News', chosen: false, on: false }],
      events: [{ type: 'bought', data: { items: ['x'] } }],
      sends: [{ to_email: email, status: 'sent', subject: expect.stringMatching(/./) }],
      ...{ runs: [], left_out: [], confirmations: [] },
    });
    expect(body.consent_changes.map(({ details }: { details: { to: string } }) => details.to)).toEqual(['unsubscribed', 'subscribed']);
    expect(body.timeline.map(({ kind }: { kind: string }) => kind)).toEqual(
      expect.arrayContaining(['contact_created', 'event', 'suppressed']),
    );
    const reader = (await own.newKey(['contacts:read'])).api;
    expect((await reader.get(`/contacts/${id}/export`)).body).toMatchObject({ withMails: false, sends: [], contact: { id } });
    expect((await project.api.get(`/contacts/${id}/export`)).status).toBe(404);
  });

  test('has all of it as the API shows it: what waits, copies, steps, reports, clicks and refused rows, and nothing of others', async () => {
    const { project: own, signUp, contactOf } = await askingProject();
    await enableTemplates(own, 'receipt', 'welcome', 'newsletter');
    must(await own.api.post('/topics', { key: 'news', name: 'News' }), 201);
    const { id, email } = await signUp({ topics: { news: true } });
    await ask('POST', await confirmLinkOf(email));
    must(await own.api.delete('/topics/news'), 200);
    const [open, blind, friend] = [own.address('open'), own.address('blind'), own.address('friend')];
    const { sends: asked } = must(await own.api.get(`/sends?contactId=${id}`), 200);
    const send = async (body: object): Promise<string> => (await own.api.post('/send', { template: 'receipt', ...body })).body.id;
    const sendAt = new Date(Date.now() + 86_400_000).toISOString();
    const mail = await send({ to: email, cc: open, bcc: blind, metadata: { order: '7' } });
    for (const about of [email, open, blind]) await report(own, { type: 'delivered', providerId: mail, email: about });
    const refused = await send({ to: email, bcc: blind });
    // As of a server that refused all of it for one of its recipients.
    const error = `provider_rejected: 550 <${blind}> is unknown`;
    await rows(await database(), sql`update sends set status = 'failed', error = ${error} where provider_id = ${refused}`);
    const waiting = await send({ contactId: id, cc: open, bcc: blind, sendAt });
    const copied = [
      await send({ to: friend, cc: email, bcc: blind, metadata: { order: '8' } }),
      await send({ to: friend, bcc: [blind, email] }),
    ];
    for (const about of [email, friend, blind]) await report(own, { type: 'delivered', providerId: copied[0] as string, email: about });
    const waitingCopy = await send({ to: friend, cc: [open, email], bcc: blind, sendAt });
    const file = `email,status\n${email},nonsense\n${friend},nonsense`;
    await imported(own, file);
    // The same address in another project is somebody else.
    await enableTemplates(project, 'receipt');
    for (const later of [{}, { sendAt }]) {
      await project.api.post('/send', { template: 'receipt', to: email, ...later });
      await project.api.post('/send', { template: 'receipt', to: friend, cc: email, ...later });
    }
    await imported(project, file);
    const sequence = await newSequence(own, { steps: [{ template: 'welcome', type: 'transactional' }] });
    const run = await sequence.enroll(email);
    await enrollmentEnds(await database(), run);
    // As of one in a loop.
    await rows(
      await database(),
      sql`insert into enrollment_steps (enrollment_id, step, node_id, kind, visit, at, outcome)
        select ${run}, n, 'again', 'wait_delay', n, now(), 'waited' from generate_series(100, 1299) n`,
    );
    await fetch((await sendMail(own, { to: email, type: 'marketing' })).pixel as string);

    const path = `/contacts/${id}/export`;
    const hits = (body: { sends: { hits: object[] }[] }) => body.sends.flatMap((sent) => sent.hits);
    const recorded = async (sendId: string) => must(await own.api.get(`/sends/${encodeURIComponent(sendId)}`), 200).send;
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into the answer
    const data: any = await eventually(async () => {
      const { body } = await own.api.get(path);
      return hits(body).length > 0 && (await recorded(copied[0] as string)).events.length === 3 && (await own.api.get(path)).body;
    });
    expect(data).toMatchObject({ withMails: true, withSteps: true });
    expect(data.contact).toEqual(await contactOf(id));
    expect(data.topics).toEqual([{ key: 'news', name: null, chosen: true, on: null }]);
    const { timeline } = must(await own.api.get(`/contacts/${id}/timeline?limit=250`), 200);
    for (const { kind, details } of timeline) if (kind === 'mail_failed') details.error = 'provider_rejected';
    expect(data.timeline).toEqual(timeline);
    expect(data.timeline.filter(({ kind }: { kind: string }) => kind === 'mail_reported')).toHaveLength(1);
    expect(data.consent_changes).toEqual(data.timeline.filter(({ kind }: { kind: string }) => kind === 'consent_changed'));
    const { id: _, created_at: __, sign_ups, ...confirmation } = data.confirmations[0];
    expect([data.confirmations.length, sign_ups, confirmation]).toEqual([1, 1, data.contact.confirmation]);
    let [steps, cursor]: [object[], string] = [[], ''];
    do {
      const { enrollment, nextCursor } = must(await own.api.get(`/enrollments/${run}?limit=250${cursor}`), 200);
      [steps, cursor] = [[...enrollment.steps, ...steps], nextCursor && `&cursor=${nextCursor}`];
      if (!nextCursor) expect(data.runs).toEqual([{ ...enrollment, steps, sequence_name: expect.any(String) }]);
    } while (cursor);
    expect(steps.length).toBeGreaterThan(1_200);
    expect(data.refused_rows).toEqual([
      {
        ...{ import_id: expect.any(String), filename: 'people.csv', imported_at: expect.any(String), row: 1, reason: 'invalid_value' },
        message: expect.any(String),
        cells: [
          { column: 'email', value: email },
          { column: 'status', value: 'nonsense' },
        ],
      },
    ]);

    /** Of a record what the export has of it. */
    const shownOf = async (sendId: string) => {
      const { bcc, left_out, ...record } = await recorded(sendId);
      if (record.error) record.error = 'provider_rejected';
      return {
        ...record,
        events: record.events.filter(({ recipient }: { recipient: string | null }) => recipient === email || recipient === null),
      };
    };
    expect(data.scheduled).toEqual([{ ...(await shownOf(waiting)), hits: [] }]);
    expect(data.sends).toHaveLength(5);
    for (const { hits: done, ...sent } of data.sends) {
      expect(sent).toEqual(await shownOf(sent.id));
      for (const hit of done) expect(Object.keys(hit)).toEqual(['kind', 'url', 'is_bot', 'count', 'at']);
    }
    expect(data.sends.find(({ provider_id }: { provider_id: string }) => provider_id === mail)).toMatchObject({
      ...{ cc: [open], metadata: { order: '7' }, events: [{ type: 'delivered', recipient: email }] },
    });
    expect(asked.map(({ id: sendId }: { id: string }) => sendId)).toEqual([data.sends.at(-1).id]);
    expect(data.copies.map(({ role, to_email, status }: Cells) => [role, to_email, status])).toEqual([
      ['cc', friend, 'scheduled'],
      ['bcc', friend, 'sent'],
      ['cc', friend, 'sent'],
    ]);
    for (const [place, sendId] of [waitingCopy, copied[1] as string, copied[0] as string].entries()) {
      const { role: ___, left_out, ...copy } = data.copies[place];
      expect([left_out, await shownOf(sendId)]).toMatchObject([null, copy]);
    }
    expect(data.copies[2].events).toMatchObject([{ type: 'delivered', recipient: email }]);
    for (const word of [blind, '"order":"8"']) expect([word, JSON.stringify(data).includes(word)]).toEqual([word, false]);
    const reader = (await own.newKey(['contacts:read'])).api;
    const without = { withMails: false, withSteps: false, scheduled: [], sends: [], copies: [], runs: [{ id: run, steps: [] }] };
    expect((await reader.get(path)).body).toMatchObject(without);

    must(await erase(own, id), 200);
    expect((await own.api.get(path)).status).toBe(404);
    const again = await newContact(own, email, { status: 'unsubscribed' });
    const nothing = { confirmations: [], events: [], runs: [], refused_rows: [], scheduled: [], sends: [], copies: [] };
    expect((await own.api.get(`/contacts/${again}/export`)).body).toMatchObject(nothing);
  });
});
