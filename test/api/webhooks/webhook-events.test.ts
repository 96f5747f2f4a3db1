import { afterAll, beforeAll, expect, test } from 'vitest';
import { campaignEnds, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { newFlow } from '../../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { report } from '../../support/inbound.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';
import { createEndpoint, type Delivery, deliveriesOf } from '../../support/webhook-endpoints.ts';

let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

/** A project that is told of everything, with templates enabled. */
async function listening() {
  const own = await newProject();
  await enableTemplates(own, 'receipt', 'welcome', 'newsletter');
  const { id } = await createEndpoint(own, `${receiver.url}/events`);
  /** What was told so far, the oldest first. */
  const told = async (): Promise<Delivery[]> => (await deliveriesOf(own, id)).map(({ payload }) => payload).reverse();
  const toldOf = async (type: string): Promise<Delivery[]> => (await told()).filter((event) => event.type === type).map(({ data }) => data);
  const contactOf = async (contactId: string) => {
    const { contact } = must(await own.api.get(`/contacts/${contactId}`), 200);
    return Object.fromEntries(
      Object.entries(contact).filter(([name]) => !['suppressed', 'confirmation'].includes(name) && !name.startsWith('consent_')),
    );
  };
  return { own, told, toldOf, contactOf };
}

const logOf = async (own: TestProject, query: string) => must(await own.api.get(`/sends?${query}`), 200).sends;
/** docs/contract/webhooks.md 9. */
const dataOf = ({ id, to_email, ...row }: Delivery) => {
  const { provider_id, contact_id, template, type, subject, brand_id, source_type, source_id } = row;
  return { send_id: id, provider_id, contact_id, email: to_email, template, type, subject, brand_id, source_type, source_id };
};

test('email.sent is told once for each mail that the provider accepted, of whatever source, and not for one that failed', async () => {
  const { own, toldOf } = await listening();
  const [direct, stepped] = [own.address('direct'), own.address('stepped')];
  must(await own.api.post('/send', { template: 'receipt', to: direct }, { headers: { 'Idempotency-Key': 'once' } }), 200);
  must(await own.api.post('/send', { template: 'receipt', to: direct }, { headers: { 'Idempotency-Key': 'once' } }), 200);
  await own.api.post('/suppressions', { email: 'suppressed@to.example' });
  expect((await own.api.post('/send', { template: 'receipt', to: 'suppressed@to.example' })).status).toBe(422);
  await newContact(own, stepped);
  const { enroll } = await newSequence(own, { steps: [{ template: 'welcome' }] });
  await enrollmentEnds(await database(), await enroll(stepped));
  const { tag } = await newAudience(own, 3);
  await campaignEnds(own, await newCampaign(own, { audience: { mode: 'tag', tag } }));
  const log = await logOf(own, 'status=sent');
  expect(log.map(({ source_type }: Delivery) => source_type).sort()).toEqual(['api', 'campaign', 'campaign', 'campaign', 'sequence']);
  const told = await eventually(async () => (await toldOf('email.sent')).length >= 5 && (await toldOf('email.sent')));
  const byId = (a: Delivery, b: Delivery) => (a.send_id < b.send_id ? -1 : 1);
  expect(told.sort(byId)).toEqual(log.map(dataOf).sort(byId));
});

test('what becomes of a mail is told once, with what the event adds', async () => {
  const { own, toldOf } = await listening();
  const to = own.address();
  await newContact(own, to);
  const { id: providerId } = must(await own.api.post('/send', { template: 'newsletter', to }), 200);
  const bounce = { kind: 'soft', code: '4.2.2' };
  const url = 'https://acme.example/start';
  for (const event of [
    { type: 'delivered' },
    { type: 'opened' },
    { type: 'clicked', url },
    { type: 'clicked', url: `${url}/2` },
    { type: 'bounced', bounce },
    { type: 'complained' },
  ])
    for (let times = 0; times < 2; times++) expect((await report(own, { ...event, providerId })).status).toBe(200);
  const [row] = await logOf(own, '');
  for (const [type, adds] of [
    ['email.delivered', [{}]],
    ['email.opened', [{}]],
    ['email.clicked', [{ url }, { url: `${url}/2` }]],
    ['email.bounced', [{ bounce }]],
    ['email.complained', [{}]],
  ] as const)
    expect([type, await toldOf(type)]).toEqual([type, adds.map((added) => ({ ...dataOf(row), ...added }))]);
});

test('contact.subscribed and contact.unsubscribed are told of every move, whatever made it, with the contact', async () => {
  const { own, told, toldOf, contactOf } = await listening();
  const seen = async () => {
    const events = (await told()).filter(({ type }) => type.startsWith('contact.'));
    return events.map(({ type, data }) => `${type.slice(8)} ${data.email.replace(/-[^-]+@.*/, '')}`);
  };
  const [created, mailed, acted, listed, moved] = ['created', 'mailed', 'acted', 'listed', 'moved'].map((name) => own.address(name));
  const id = await newContact(own, created!);
  expect(await toldOf('contact.subscribed')).toEqual([await contactOf(id)]);
  must(await own.api.post('/send', { template: 'newsletter', to: mailed }), 200);
  must(await own.api.post('/send', { template: 'receipt', to: own.address('transactional') }), 200);
  must(await own.api.post('/events', { type: 'seen', email: acted }), 200);
  await campaignEnds(own, await newCampaign(own, { audience: { mode: 'people', emails: [listed] } }));
  expect(await seen()).toEqual(['subscribed created', 'subscribed mailed', 'subscribed acted', 'subscribed listed']);
  must(await own.api.post(`/contacts/${id}/unsubscribe`), 200);
  expect(await toldOf('contact.unsubscribed')).toEqual([await contactOf(id)]);
  must(await own.api.post('/suppressions', { email: mailed, reason: 'global_unsubscribe' }), 201);
  const [{ provider_id: providerId }] = await logOf(own, `q=${encodeURIComponent(listed!)}`);
  await report(own, { type: 'complained', providerId });
  await newContact(own, moved!);
  const nodes = [
    { id: 'trigger', kind: 'trigger' },
    { id: 'update', kind: 'update_contact', config: { status: 'unsubscribed' } },
    { id: 'exit', kind: 'exit' },
  ];
  const edges = [
    { from: 'trigger', to: 'update' },
    { from: 'update', to: 'exit' },
  ];
  const { enroll } = await newFlow(own, { nodes, edges });
  await enrollmentEnds(await database(), await enroll(moved!));
  expect((await seen()).slice(4)).toEqual([
    'unsubscribed created',
    'unsubscribed mailed',
    'unsubscribed listed',
    'subscribed moved',
    'unsubscribed moved',
  ]);
});

test('sequence.completed is told once of what completed, and not of what was cancelled', async () => {
  const { own, toldOf } = await listening();
  const email = own.address();
  const contactId = await newContact(own, email);
  const done = await newSequence(own, { steps: [{ template: 'welcome' }] });
  const waits = await newSequence(own);
  const [completed, cancelled] = [await done.enroll(email), await waits.enroll(email)];
  must(await own.api.delete(`/enrollments/${cancelled}`), 200);
  for (const id of [completed, cancelled]) await enrollmentEnds(await database(), id);
  expect(await toldOf('sequence.completed')).toEqual([
    { enrollment_id: completed, sequence_key: done.key, contact_id: contactId, reason: 'exit' },
  ]);
});

test('campaign.completed is told once of a campaign that was sent, with its record, and not of one that was cancelled', async () => {
  const { own, toldOf } = await listening();
  const { tag } = await newAudience(own, 2);
  const audience = { mode: 'tag', tag };
  const later = await newCampaign(own, { audience, scheduleAt: new Date(Date.now() + 3_600_000).toISOString() });
  must(await own.api.post(`/campaigns/${later}/cancel`), 200);
  const id = await newCampaign(own, { audience });
  // What was given for its mails may be large and is the reader's to ask for.
  const { data: _given, left_out: _, ...record } = await campaignEnds(own, id);
  expect(await toldOf('campaign.completed')).toEqual([record]);
});

test('an endpoint is told of what it has subscribed to, and of nothing that its project has not done', async () => {
  const [one, two] = [await newProject(), await newProject()];
  const [of, all, foreign] = [
    await createEndpoint(one, `${receiver.url}/one`, { events: ['contact.unsubscribed'] }),
    await createEndpoint(one, `${receiver.url}/one`),
    await createEndpoint(two, `${receiver.url}/two`),
  ];
  const id = await newContact(one, one.address());
  must(await one.api.post(`/contacts/${id}/unsubscribe`), 200);
  const types = async (own: TestProject, endpoint: { id: string }) =>
    (await deliveriesOf(own, endpoint.id)).map(({ event_type }) => event_type).reverse();
  expect(await types(one, of)).toEqual(['contact.unsubscribed']);
  expect(await types(one, all)).toEqual(['contact.subscribed', 'contact.unsubscribed']);
  expect(await types(two, foreign)).toEqual([]);
});
