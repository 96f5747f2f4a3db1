import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { beginErasure, finishCutOffErasures, finishErasure } from '../../../usecases/contacts/erase-contact.ts';
import { chain } from '../../domain/sequences/graphs.ts';
import { campaignBecomes, campaignEnds, campaignOf, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { eventTrigger, happens, newEventType, newFlow } from '../../support/flow.ts';
import { report } from '../../support/inbound.ts';
import { mailCount } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, enrollmentOf, must, newContact, newSequence } from '../../support/sequences.ts';
import { createEndpoint, deliveriesOf } from '../../support/webhook-endpoints.ts';
import { erase, tablesWith } from './erasing.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'newsletter', 'welcome');
});

/** A word that stands nowhere else. */
const marker = (): string => `ada${randomBytes(6).toString('hex')}`;

test('what tells of the person is gone everywhere, and what was counted stays', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt', 'newsletter', 'welcome');
  const { id: endpoint } = await createEndpoint(own, 'https://nobody.invalid/');
  const word = marker();
  const email = `${word}@to.${own.domain}`;
  // To the address before there is a contact, and a test.
  must(await own.api.post('/send', { template: 'receipt', to: email }), 200);
  must(await own.api.post('/templates/receipt/test', { to: email }), 200);
  const fields = { firstName: word, attributes: { note: word }, tags: [word], source: word, consent: { source: word } };
  const id = await newContact(own, email, fields);
  must(await own.api.post('/contacts', { email, consent: { source: `${word} again` } }), 200);
  const friend = own.address();
  const other = await newContact(own, friend);
  const type = newEventType();
  const flow = await newFlow(own, {
    ...chain({ id: 'mail', kind: 'send_email', config: { template: 'welcome', subject: 'Dear {{ contact.first_name }}' } }),
    triggers: eventTrigger(type),
  });
  await happens(own, { type, email, data: { note: word } });
  await eventually(async () => (await own.api.get(`/sequences/${flow.key}/enrollments?status=completed`)).body.enrollments.length === 1);
  const waiting = await newSequence(own);
  const run = await waiting.enroll(email);
  const campaign = await newCampaign(own, { audience: { mode: 'people', emails: [email] } });
  await campaignEnds(own, campaign);
  const later = await newCampaign(own, {
    audience: { mode: 'people', emails: [friend, email] },
    scheduleAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  const providerId = must(await own.api.post('/send', { template: 'newsletter', to: email, subject: `Hi ${word}` }), 200).id;
  await report(own, { type: 'clicked', providerId, url: `https://x.example/${word}` });
  await report(own, { type: 'bounced', providerId, bounce: { kind: 'hard' } });
  expect(await tablesWith(em, word)).toEqual(
    expect.arrayContaining([
      'campaigns',
      'consent_changes',
      'contacts',
      'events',
      'provider_events',
      'send_hits',
      'sends',
      'suppressions',
      'webhook_events',
    ]),
  );
  const sendsBefore = must(await own.api.get('/sends?limit=250'), 200).sends;
  const record = await campaignOf(own, campaign);

  expect(await erase(own, id)).toMatchObject({ status: 200, body: { ok: true, id, deleted: true } });

  // Tags are counted as words of the project.
  expect((await tablesWith(em, word)).filter((name) => name !== 'contact_tag_counts')).toEqual([]);
  expect(await tablesWith(em, id)).toEqual([]);
  expect((await own.api.get(`/contacts/${id}`)).status).toBe(404);
  const { contacts, totalCount } = must(await own.api.get('/contacts'), 200);
  expect([contacts.map((contact: { id: string }) => contact.id), totalCount]).toEqual([[other], 1]);
  const sends = must(await own.api.get('/sends?limit=250'), 200).sends;
  expect(sends).toHaveLength(sendsBefore.length);
  for (const send of sends) expect(send).toMatchObject({ to_email: '', contact_id: null, subject: '' });
  expect(await campaignOf(own, campaign)).toEqual(record);
  const people = async (campaign: string) => must(await own.api.get(`/campaigns/${campaign}/people`), 200).emails;
  expect([await people(campaign), await people(later)]).toEqual([[], [friend]]);
  const { sequences } = must(await own.api.get('/sequences'), 200);
  const countsOf = (key: string) => sequences.find((sequence: { key: string }) => sequence.key === key).enrollments;
  expect(countsOf(flow.key)).toEqual({ active: 0, completed: 1, cancelled: 0 });
  expect(countsOf(waiting.key)).toEqual({ active: 0, completed: 0, cancelled: 1 });
  const { enrollment } = must(await own.api.get(`/enrollments/${run}`), 200);
  expect(enrollment).toMatchObject({ status: 'cancelled', end_reason: 'cancelled', contact_id: expect.not.stringContaining(id) });
  const deliveries = await deliveriesOf(own, endpoint);
  expect(deliveries.length).toBeGreaterThan(5);
  const mine = deliveries.filter(({ payload }) => payload.data.id !== other && payload.type !== 'campaign.completed');
  for (const { payload } of mine) expect(payload.data).toMatchObject({ erased: true });
});

test("what is reported of an erased contact's mail later counts, and brings nothing of the person back", async () => {
  const email = project.address();
  const id = await newContact(project, email);
  const providerId = must(await project.api.post('/send', { template: 'newsletter', to: email }), 200).id;
  must(await erase(project, id), 200);
  await report(project, { type: 'clicked', providerId, url: 'https://x.example/secret-link' });
  await report(project, { type: 'complained', providerId });
  const { send } = must(await project.api.get(`/sends/${encodeURIComponent(providerId)}`), 200);
  expect(send).toMatchObject({ to_email: '', contact_id: null, delivery_status: 'complained', click_count: 0 });
  expect(await tablesWith(em, 'secret-link')).toEqual([]);
  expect(must(await project.api.get('/suppressions'), 200).suppressions.filter((one: { email: string }) => one.email === '')).toEqual([]);
});

test('a suppressed address stays suppressed by its hash, until it is taken off the list', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt', 'newsletter');
  const email = own.address('suppressed');
  const id = await newContact(own, email);
  must(await own.api.post('/suppressions', { email, reason: 'bounce' }), 201);
  must(await erase(own, id), 200);
  expect(must(await own.api.get('/suppressions'), 200).suppressions).toEqual([]);
  const send = () => own.api.post('/send', { template: 'receipt', to: email });
  expect(await send()).toMatchObject({ status: 422, body: { code: 'send_failed', reason: 'suppressed' } });
  // Somebody brings the address back.
  await newContact(own, email);
  await newContact(own, own.address('free'));
  const { audienceSize, enrolled } = must(await own.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'entire' } }), 201);
  expect([audienceSize, enrolled]).toEqual([2, 1]);
  expect((await own.api.post('/suppressions', { email, reason: 'manual' })).body).toMatchObject({ reason: 'bounce' });
  must(await erase(own, (await own.api.get(`/contacts?email=${email}`)).body.contacts[0].id), 200);
  must(await own.api.delete(`/suppressions/${email}`), 200);
  expect((await own.api.delete(`/suppressions/${email}`)).status).toBe(404);
  must(await send(), 200);
});

test('nothing of another project, of another contact or of whoever has the address later is touched, and it needs its scope', async () => {
  const theirs = await newProject();
  await enableTemplates(theirs, 'receipt', 'welcome');
  const email = project.address();
  const id = await newContact(project, email);
  await newContact(theirs, email, { id });
  const waiting = { steps: [{ template: 'welcome', delayMinutes: DAY_MINUTES }] };
  const [run, ours] = [await (await newSequence(theirs, waiting)).enroll(email), await (await newSequence(project, waiting)).enroll(email)];
  must(await theirs.api.post('/send', { template: 'receipt', contactId: id }), 200);
  const reader = await project.newKey(['contacts:read']);
  expect(await erase(reader, id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  must(await erase(project, id), 200);
  expect(await erase(project, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await erase(project, 'nothing')).status).toBe(404);
  expect(must(await project.api.get(`/enrollments/${ours}`), 200).enrollment).toMatchObject({ status: 'cancelled' });
  expect(must(await theirs.api.get(`/enrollments/${run}`), 200).enrollment).toMatchObject({ status: 'active', contact_id: id });
  expect((await theirs.api.get(`/contacts/${id}`)).body.contact).toMatchObject({ email });
  expect((await theirs.api.get('/sends')).body.sends).toMatchObject([{ to_email: email, contact_id: id }]);
  const again = await newContact(project, email);
  expect(again).not.toBe(id);
  must(await project.api.post('/send', { template: 'receipt', to: email }), 200);
  expect((await project.api.get(`/sends?contactId=${again}`)).body.sends).toHaveLength(1);
});

test('an event of another project about a contact with the same id stays as it was', async () => {
  const theirs = await newProject();
  await createEndpoint(theirs, 'https://nobody.invalid/', { events: ['contact.subscribed', 'email.sent'] });
  const id = await newContact(project, project.address());
  const email = theirs.address();
  await newContact(theirs, email, { id });
  await enableTemplates(theirs, 'receipt');
  must(await theirs.api.post('/send', { template: 'receipt', contactId: id }), 200);
  const told = () => rows(em, sql<{ data: object }>`select data from webhook_events where project_id = ${theirs.id} order by created_at`);
  const before = await told();
  expect(before).toMatchObject([{ data: { id, email } }, { data: { contact_id: id, email } }]);
  must(await erase(project, id), 200);
  expect(await told()).toEqual(before);
});

test('a mail to the address that is asked for after the erasure began is of somebody else, and keeps its row and its event', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  await createEndpoint(own, 'https://nobody.invalid/', { events: ['email.sent'] });
  const email = own.address();
  const id = await newContact(own, email);
  const before = must(await own.api.post('/send', { template: 'receipt', to: email }), 200).id;
  const erasure = (await beginErasure(em, own.id, id))!;
  const after = must(await own.api.post('/send', { template: 'receipt', to: email, subject: 'Later' }), 200).id;
  await finishErasure(em, erasure, uuidv7());
  const shown = async (providerId: string) => must(await own.api.get(`/sends/${encodeURIComponent(providerId)}`), 200).send;
  expect(await shown(before)).toMatchObject({ to_email: '', subject: '' });
  expect(await shown(after)).toMatchObject({ to_email: email, subject: 'Later', status: 'sent' });
  const events = await rows(em, sql<{ data: object }>`select data from webhook_events where project_id = ${own.id} order by created_at`);
  expect(events.map(({ data }) => data)).toMatchObject([
    { provider_id: before, erased: true },
    { provider_id: after, email, subject: 'Later' },
  ]);
});

test('the run of another project goes on whose contact has the same id', async () => {
  const theirs = await newProject();
  const [email, other] = [project.address(), theirs.address()];
  const id = await newContact(project, email);
  await newContact(theirs, other, { id });
  const [mine, yours] = [await (await newSequence(project)).enroll(email), await (await newSequence(theirs)).enroll(other)];
  must(await erase(project, id), 200);
  expect(await enrollmentEnds(em, mine)).toMatchObject({ status: 'cancelled' });
  expect(await enrollmentOf(em, yours)).toMatchObject({ status: 'active', end_reason: null, contact_id: id });
});

test('a run at a wait is over, and nothing of it is sent', async () => {
  const email = project.address();
  const id = await newContact(project, email);
  const { enroll } = await newSequence(project, { steps: [{ template: 'welcome', delayMinutes: 0.1 }] });
  const run = await enroll(email);
  must(await erase(project, id), 200);
  expect(await enrollmentEnds(em, run)).toMatchObject({ status: 'cancelled' });
  // Another run of the same length that began later has had its mail by then.
  const second = project.address();
  await newContact(project, second);
  await enrollmentEnds(em, await enroll(second));
  expect([await mailCount(second), await mailCount(email)]).toEqual([1, 0]);
});

test('of a campaign that is under way the others get their mail, and the erased contact is skipped', async () => {
  const own = await newProject();
  await enableTemplates(own, 'newsletter');
  const { tag, emails } = await newAudience(own, 8);
  const id = await newCampaign(own, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
  must(await own.api.post(`/campaigns/${id}/pause`), 200);
  await campaignBecomes(own, id, ({ paused }) => paused);
  // What was in flight when it was paused has gone.
  await eventually(async () => !(await row(em, sql`select 1 from campaign_pages where campaign_id = ${id} and state = 'open'`)));
  const sent = new Set(must(await own.api.get('/sends'), 200).sends.map(({ to_email }: { to_email: string }) => to_email));
  const left = emails.find((email) => !sent.has(email))!;
  const contact = must(await own.api.get(`/contacts?email=${left}`), 200).contacts[0];
  must(await erase(own, contact.id), 200);
  must(await own.api.post(`/campaigns/${id}/resume`), 200);
  expect(await campaignEnds(own, id)).toMatchObject({
    status: 'sent',
    total_recipients: 8,
    sent_count: 7,
    failed_count: 0,
    skipped_count: 1,
  });
  expect(await mailCount(left)).toBe(0);
});

test('an erasure whose process has died is ended by a worker', async () => {
  const email = project.address(marker());
  const id = await newContact(project, email);
  must(await project.api.post('/send', { template: 'receipt', to: email }), 200);
  const { begun_at: now } = (await beginErasure(em, project.id, id))!;
  expect((await project.api.get(`/contacts/${id}`)).status).toBe(404);
  await finishCutOffErasures(em, now, uuidv7);
  expect((await tablesWith(em, email)).sort()).toEqual(['erasures', 'sends']);
  await finishCutOffErasures(em, new Date(now.getTime() + 61_000), uuidv7);
  expect(await tablesWith(em, email)).toEqual([]);
});

test('a run whose wait is a day long ends with its workflow', async () => {
  const email = project.address();
  const id = await newContact(project, email);
  const { enroll } = await newSequence(project, { steps: [{ template: 'welcome', delayMinutes: DAY_MINUTES }] });
  const run = await enroll(email);
  must(await erase(project, id), 200);
  expect(await enrollmentEnds(em, run)).toMatchObject({ status: 'cancelled', end_reason: 'cancelled' });
  await eventually(async () => !(await row(em, sql`select 1 from outbox where workflow_id = ${`enrollment/${run}`}`)));
});
