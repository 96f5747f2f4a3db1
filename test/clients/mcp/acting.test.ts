import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { campaignEnds, campaignOf, newAudience } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { mailNow } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, must, newSequence } from '../../support/sequences.ts';
import { type McpClient, overHttp, type Told, tokenOf } from './mcp-client.ts';

const CONTENT = { blocks: [{ type: 'text', text: 'Hello {{ contact.first_name }}' }] };
const RESET = { resetUrl: 'https://a.example/reset' };
const GRAPH = {
  nodes: [
    { id: 'trigger', kind: 'trigger' },
    { id: 'welcome', kind: 'send_email', config: { template: 'welcome' } },
    { id: 'end', kind: 'exit' },
  ],
  edges: [
    { from: 'trigger', to: 'welcome' },
    { from: 'welcome', to: 'end' },
  ],
};

async function newActor(): Promise<{ project: TestProject; actor: McpClient }> {
  const project = await newProject();
  await enableTemplates(project, 'welcome', 'newsletter', 'password-reset');
  return { project, actor: await overHttp(project.key, { allowSend: true }) };
}

/** A draft to an audience of its own, made by the tool. */
async function newDraft(project: TestProject, { done }: McpClient, size: number): Promise<{ campaignId: string; tag: string }> {
  const { tag } = await newAudience(project, size);
  const { data } = await done('draft_campaign', {
    template: 'newsletter',
    audience: { mode: 'tag', tag },
    data: { title: 'News' },
    subject: 'The news',
  });
  return { campaignId: data.campaignId, tag };
}

test('what is drafted is not sent, not published and not active', async () => {
  const { project } = await newActor();
  const { done, call } = await overHttp(project.key);
  const made = { template: 'greeting', name: 'Greeting', type: 'transactional', subject: 'Hello', content: CONTENT };
  expect((await done('draft_template', made)).data).toMatchObject({ key: 'greeting', enabled: false });
  await done('draft_template', { template: 'welcome', content: CONTENT, subject: 'Another subject' });
  const { data } = await done('get_template', { template: 'welcome' });
  expect(data).toMatchObject({ draft: { content: CONTENT } });
  expect(data.published ?? null).toBeNull();
  expect((await done('preview_template', { template: 'welcome' })).data.subject).toBe('Another subject');

  await done('draft_template', { template: 'welcome', content: CONTENT });
  expect((await done('get_template', { template: 'welcome' })).data.draft.subject).toBe('Another subject');
  expect(await call('draft_template', { ...made, template: 'new', locale: 'de' })).toMatchObject({
    isError: true,
    data: { issues: [{ path: 'locale' }] },
  });

  await done('draft_sequence', { sequence: 'tour', graph: { ...GRAPH, status: 'active' } });
  await done('draft_sequence', { sequence: 'tour', graph: GRAPH });
  expect((await done('get_sequence', { sequence: 'tour' })).data).toMatchObject({ status: 'draft', version: 2 });
  expect((await done('simulate_sequence', { sequence: 'tour', contact: {} })).data.sends).toEqual(['welcome']);
  const active = await newSequence(project);
  expect(await call('draft_sequence', { sequence: active.key, graph: GRAPH })).toMatchObject({ isError: true });
  expect(must(await project.api.get(`/sequences/${active.key}`), 200)).toMatchObject({ status: 'active', version: 1 });

  const { campaignId } = await newDraft(project, { done } as McpClient, 1);
  await done('draft_campaign', { campaignId, name: 'Renamed' });
  expect(await campaignOf(project, campaignId)).toMatchObject({ status: 'draft', name: 'Renamed' });
  expect(await mailNow(`@to.${project.domain}`)).toEqual([]);
});

test('each acting tool does what it says', async () => {
  const { project, actor } = await newActor();
  const { done, call } = actor;
  const email = project.address();
  const one = { template: 'password-reset', to: email, data: RESET, idempotencyKey: `one-${email}` };
  const { data: sent } = await done('send_email', one);
  expect((await done('send_email', one)).data.id).toBe(sent.id);
  expect(await mailNow(`@to.${project.domain}`)).toHaveLength(1);
  expect(await call('send_email', { ...one, cc: [project.address()], idempotencyKey: 'two' })).toMatchObject({ isError: true });

  const later = { ...one, idempotencyKey: 'later', sendAt: new Date(Date.now() + 3_600_000).toISOString() };
  const { data: scheduled } = await done('send_email', later);
  expect((await done('cancel_email', { sendId: scheduled.id })).data.deleted).toBe(true);

  const refused = await call('send_email', { template: 'password-reset', to: email, data: {}, idempotencyKey: 'lacking' });
  expect(refused).toMatchObject({ isError: true, data: { reason: 'render_failed' } });
  const [failed] = must(await project.api.get('/sends?status=failed'), 200).sends;
  await done('retry_email', { sendId: failed.id, data: RESET });

  await done('draft_template', { template: 'welcome', content: CONTENT, subject: 'Another subject' });
  const { version } = (await done('get_template', { template: 'welcome' })).data.draft;
  expect(await call('publish_template', { template: 'welcome', version: version + 1 })).toMatchObject({ isError: true });
  await done('publish_template', { template: 'welcome', version, enable: true });
  expect((await done('get_template', { template: 'welcome' })).data.published).toMatchObject({
    content: CONTENT,
    subject: 'Another subject',
  });

  await done('draft_sequence', { sequence: 'tour', graph: GRAPH });
  const confirmationToken = tokenOf(await done('prepare_sequence_activation', { sequence: 'tour' }));
  await done('activate_sequence', { sequence: 'tour', confirmationToken });
  expect((await done('get_sequence', { sequence: 'tour' })).data.status).toBe('active');
  await done('pause_sequence', { sequence: 'tour' });
  expect((await done('get_sequence', { sequence: 'tour' })).data.status).toBe('paused');

  const sequence = await newSequence(project, { steps: [{ template: 'welcome', delayMinutes: DAY_MINUTES }] });
  must(await project.api.post('/contacts', { email }), 200);
  const enrollmentId = await sequence.enroll(email);
  await done('cancel_run', { enrollmentId });
  expect((await done('get_run', { enrollmentId })).data.run.status).toBe('cancelled');

  const { tag } = await newAudience(project, 2);
  const scheduleAt = new Date(Date.now() + 3_600_000).toISOString();
  const { data } = await done('draft_campaign', {
    template: 'newsletter',
    audience: { mode: 'tag', tag },
    data: { title: 'News' },
    scheduleAt,
  });
  const { campaignId } = data;
  const prepared = await done('prepare_campaign_launch', { campaignId });
  expect(prepared.says).toContain(`It begins at ${scheduleAt}`);
  await done('launch_campaign', { campaignId, confirmationToken: tokenOf(prepared) });
  expect((await campaignOf(project, campaignId)).status).toBe('scheduled');
  await done('cancel_campaign', { campaignId });
  expect((await campaignOf(project, campaignId)).status).toBe('cancelled');
});

test('a campaign goes once to the audience that was read back, however often its token comes', async () => {
  const { project, actor } = await newActor();
  const { done, call } = actor;
  const { campaignId } = await newDraft(project, actor, 3);
  const prepared = await done('prepare_campaign_launch', { campaignId });
  expect(prepared.says).toContain('3 people get this campaign');
  expect(prepared.data).toMatchObject({ email: { subject: 'The news', missing: [] }, people: { length: 3 } });
  const confirmationToken = tokenOf(prepared);
  const [first, second] = await Promise.all([
    call('launch_campaign', { campaignId, confirmationToken }),
    call('launch_campaign', { campaignId, confirmationToken }),
  ]);
  expect([first, second].some(({ isError }) => !isError)).toBe(true);
  expect((await done('launch_campaign', { campaignId, confirmationToken })).data).toMatchObject({ campaignId, enrolled: 3 });
  await campaignEnds(project, campaignId);
  expect(await mailNow(`@to.${project.domain}`)).toHaveLength(3);
});

const CHANGES: readonly [string, (project: TestProject, campaignId: string, tag: string) => Promise<unknown>][] = [
  ['the audience has grown', (project, _, tag) => project.api.post('/contacts', { email: project.address(), tags: [tag] })],
  ['the draft has another subject', (project, id) => project.api.call('PATCH', `/campaigns/${id}`, { subject: 'Something else' })],
  [
    'another version of the template is published',
    (project) => project.api.put('/templates/newsletter/content', { content: CONTENT, publish: true }),
  ],
  [
    'the template has another sender',
    (project) => project.api.put('/templates/newsletter', { from: { email: `other@${project.domain}` } }),
  ],
  [
    'the brand has another sender',
    (project) => project.api.put(`/brands/${project.slug}`, { name: 'Other', from: { email: `other@${project.domain}`, name: 'Other' } }),
  ],
  [
    'another person has taken the place of one',
    async (project, _, tag) => {
      const [gone] = must(await project.api.get(`/contacts?tag=${tag}`), 200).contacts;
      must(await project.api.call('DELETE', `/contacts/${gone.id}`), 200);
      return project.api.post('/contacts', { email: project.address('other'), tags: [tag] });
    },
  ],
];

test.each(CHANGES)('a token launches nothing once %s', async (_, change) => {
  const { project, actor } = await newActor();
  const { campaignId, tag } = await newDraft(project, actor, 2);
  const confirmationToken = tokenOf(await actor.done('prepare_campaign_launch', { campaignId }));
  must((await change(project, campaignId, tag)) as { status: number; body: unknown }, 200);
  const refused = await actor.call('launch_campaign', { campaignId, confirmationToken });
  expect(refused).toMatchObject({ isError: true, says: expect.stringContaining('nothing was launched') });
  expect((await campaignOf(project, campaignId)).status).toBe('draft');
  // What it would do now is read back with the refusal, and may be confirmed.
  const now = await actor.done('prepare_campaign_launch', { campaignId });
  expect(refused.data).toEqual(now.data);
  await actor.done('launch_campaign', { campaignId, confirmationToken: tokenOf(refused) });
});

test('another person of an audience of the same size is noticed by the launch itself, at the last moment, without contacts:read', async () => {
  const { project, actor } = await newActor();
  const { campaignId, tag } = await newDraft(project, actor, 2);
  const { key } = await project.newKey(['campaigns:write', 'campaigns:read', 'templates:read', 'segments:read']);
  const blind = await overHttp(key, { allowSend: true });
  const prepared = await blind.done('prepare_campaign_launch', { campaignId });
  const em = await database();
  let launching: Promise<Told> | undefined;
  await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from campaigns where id = ${campaignId} for update`);
    launching = blind.call('launch_campaign', { campaignId, confirmationToken: tokenOf(prepared) });
    // All else is read and compared by now.
    await untilBlocked(tx);
    const [gone] = must(await project.api.get(`/contacts?tag=${tag}`), 200).contacts;
    must(await project.api.call('DELETE', `/contacts/${gone.id}`), 200);
    must(await project.api.post('/contacts', { email: project.address('other'), tags: [tag] }), 200);
  });
  const refused = (await launching) as Told;
  expect(refused).toMatchObject({ isError: true, says: expect.stringContaining('2 people get this campaign') });
  expect((await campaignOf(project, campaignId)).status).toBe('draft');
  await blind.done('launch_campaign', { campaignId, confirmationToken: tokenOf(refused) });
});

test('of a campaign that begins later it is said that its audience is found then', async () => {
  const { project, actor } = await newActor();
  const { campaignId } = await newDraft(project, actor, 1);
  expect((await actor.done('prepare_campaign_launch', { campaignId })).says).not.toContain('in its audience then');
  await actor.done('draft_campaign', { campaignId, scheduleAt: new Date(Date.now() + 3_600_000).toISOString() });
  const prepared = await actor.done('prepare_campaign_launch', { campaignId });
  expect(prepared.says).toContain('whoever is in its audience then');
  await actor.done('launch_campaign', { campaignId, confirmationToken: tokenOf(prepared) });
});

test('what a draft lacks is told before there is a token for it', async () => {
  const { actor } = await newActor();
  const { done, call } = actor;
  const { campaignId } = (await done('draft_campaign', {})).data;
  const lacking = async () => (await call('prepare_campaign_launch', { campaignId })).data.error;
  expect(await lacking()).toContain('no template yet');
  await done('draft_campaign', { campaignId, template: 'newsletter' });
  expect(await lacking()).toContain('no audience yet');
});

test('a token holds for its key, its campaign and its act alone', async () => {
  const { project, actor } = await newActor();
  const [{ campaignId }, { campaignId: other }] = [await newDraft(project, actor, 1), await newDraft(project, actor, 1)];
  const confirmationToken = tokenOf(await actor.done('prepare_campaign_launch', { campaignId }));
  expect(await actor.call('launch_campaign', { campaignId: other, confirmationToken })).toMatchObject({ isError: true });
  const colleague = await overHttp((await project.newKey(['*'])).key, { allowSend: true });
  expect(await colleague.call('launch_campaign', { campaignId, confirmationToken })).toMatchObject({ isError: true });
  expect(await actor.call('launch_campaign', { campaignId, confirmationToken: `${confirmationToken}x` })).toMatchObject({ isError: true });
  const several = { template: 'password-reset', data: RESET, recipients: [{ to: project.address() }] };
  expect(await actor.call('send_to_several', { ...several, confirmationToken })).toMatchObject({ isError: true });
  expect(await campaignOf(project, campaignId)).toMatchObject({ status: 'draft' });
  expect(await campaignOf(project, other)).toMatchObject({ status: 'draft' });
  expect(await mailNow(`@to.${project.domain}`)).toEqual([]);
});

test('an email to several goes once to those who were read back, and to nobody else', async () => {
  const { project, actor } = await newActor();
  const { done, call } = actor;
  const recipients = [{ to: project.address('a') }, { to: project.address('b') }];
  const asked = { template: 'password-reset', data: RESET, subject: 'Choose a new password', recipients };
  const prepared = await done('prepare_send_to_several', asked);
  expect(prepared.says).toContain('2 people get this email now, of 2 who are named.');
  expect(prepared.data).toMatchObject({ email: { subject: asked.subject }, people: recipients.map(({ to }) => to) });
  const { data: differing } = await done('prepare_send_to_several', {
    ...asked,
    subject: '{{ s }}',
    recipients: recipients.map(({ to }, at) => ({ to, data: { s: ['Harmless', 'PHISHING'][at] } })),
  });
  expect(differing.subjects).toEqual(['Harmless', 'PHISHING']);
  expect(await call('prepare_send_to_several', { ...asked, recipients: [{ to: 'a@x.example, b@x.example' }] })).toMatchObject({
    isError: true,
    data: { issues: [{ path: 'recipients.0.to' }] },
  });
  const again = { ...asked, recipients: [...recipients, { to: `A <${recipients[0]!.to.toUpperCase()}>` }] };
  expect(await call('prepare_send_to_several', again)).toMatchObject({
    isError: true,
    data: { issues: [{ path: 'recipients.2', message: expect.stringContaining('recipients.0') }] },
  });
  const confirmationToken = tokenOf(prepared);
  const others = { ...asked, recipients: [...recipients, { to: project.address('c') }] };
  for (const changed of [others, { ...asked, subject: 'Something else' }, { ...asked, data: { resetUrl: 'https://b.example' } }])
    expect(await call('send_to_several', { ...changed, confirmationToken })).toMatchObject({ isError: true });
  expect(prepared.data.sender.from.email).toContain(`@${project.domain}`);
  expect((await done('send_to_several', { ...asked, confirmationToken })).says).toContain('2 emails of 2 went');
  await done('send_to_several', { ...asked, confirmationToken });
  expect(await mailNow(`@to.${project.domain}`)).toHaveLength(2);

  const ofOldSender = tokenOf(await done('prepare_send_to_several', asked));
  must(await project.api.put(`/brands/${project.slug}`, { replyTo: `other@${project.domain}` }), 200);
  expect(await call('send_to_several', { ...asked, confirmationToken: ofOldSender })).toMatchObject({ isError: true });
  const stale = tokenOf(await done('prepare_send_to_several', asked));
  must(await project.api.put('/templates/password-reset/content', { content: CONTENT, publish: true }), 200);
  expect(await call('send_to_several', { ...asked, confirmationToken: stale })).toMatchObject({ isError: true });
  expect(await mailNow(`@to.${project.domain}`)).toHaveLength(2);
});

test('who gets an email to several is told exactly, and nobody who was left out gets it after all', async () => {
  const { project, actor } = await newActor();
  const { done } = actor;
  const [gets, gone, suppressed] = ['gets', 'gone', 'suppressed'].map((name) => project.address(name)) as [string, string, string];
  const { contacts } = must(await project.api.post('/contacts', [{ email: gone, status: 'unsubscribed' }]), 200);
  must(await project.api.post('/suppressions', { email: suppressed, reason: 'manual' }), 201);
  const recipients = [{ to: suppressed }, { to: `Ann <${gets}>` }, { contactId: contacts[0].id }];
  const asked = { template: 'newsletter', data: { title: 'News' }, recipients };
  const prepared = await done('prepare_send_to_several', asked);
  expect(prepared.says).toContain('1 person gets this email now, of 3 who are named; left out: 1 suppressed, 1 unsubscribed.');
  expect(prepared.data).toMatchObject({ people: [`Ann <${gets}>`], leftOut: [{ to: suppressed }, { reason: 'unsubscribed' }] });
  must(await project.api.delete(`/suppressions/${suppressed}`), 200);
  const sent = await done('send_to_several', { ...asked, confirmationToken: tokenOf(prepared) });
  expect(sent.says).toContain('1 email of 1 went');
  expect(sent.data.results).toMatchObject([{ ok: true, to: `Ann <${gets}>` }]);
  expect(await mailNow(`@to.${project.domain}`)).toHaveLength(1);
  const nobody = await done('prepare_send_to_several', { ...asked, recipients: recipients.slice(2) });
  expect(nobody.says).toContain('0 people get this email now');
  expect(() => tokenOf(nobody)).toThrow('there is no token');
});

test('an activation is confirmed for the version that was read back', async () => {
  const { project, actor } = await newActor();
  const { done, call } = actor;
  await done('draft_sequence', { sequence: 'tour', graph: GRAPH });
  const confirmationToken = tokenOf(await done('prepare_sequence_activation', { sequence: 'tour' }));
  await done('draft_sequence', { sequence: 'tour', graph: GRAPH });
  expect(await call('activate_sequence', { sequence: 'tour', confirmationToken })).toMatchObject({ isError: true });
  const prepared = await done('prepare_sequence_activation', { sequence: 'tour' });
  expect(prepared.data.emails).toMatchObject([{ template: 'welcome', subject: expect.any(String), from: {} }]);
  must(await project.api.put('/templates/welcome/content', { content: CONTENT, publish: true }), 200);
  expect(await call('activate_sequence', { sequence: 'tour', confirmationToken: tokenOf(prepared) })).toMatchObject({ isError: true });
  expect(must(await project.api.get('/sequences/tour'), 200).status).toBe('draft');
});

test('an activation reads back the emails of each brand that its contacts may have, and holds for those', async () => {
  const { project, actor } = await newActor();
  const { done, call } = actor;
  const from = { email: `other@${project.domain}`, name: 'Other' };
  must(await project.api.put('/brands/other', { name: 'Other', from }), 200);
  const config = { template: 'welcome', brand: 'other', subject: 'From another' };
  const graph = { ...GRAPH, nodes: [...GRAPH.nodes.slice(0, 2), { id: 'second', kind: 'send_email', config }, GRAPH.nodes[2]] };
  const edges = [
    { from: 'trigger', to: 'welcome' },
    { from: 'welcome', to: 'second' },
    { from: 'second', to: 'end' },
  ];
  await done('draft_sequence', { sequence: 'tour', graph: { ...graph, edges } });
  const before = await done('prepare_sequence_activation', { sequence: 'tour' });
  expect(before.says).toContain('switched off');
  expect(before.data.emails).toMatchObject([
    {
      template: 'welcome',
      brand: project.slug,
      enabled: true,
      subject: expect.stringMatching(/./),
      otherBrands: [{ brand: 'other', enabled: false, from }],
    },
    { template: 'welcome', brand: 'other', subject: 'From another', from, otherBrands: [] },
  ]);
  must(await project.api.put('/templates/welcome', { enabled: true, defaultSubject: 'Another welcome', brand: 'other' }), 200);
  expect(await call('activate_sequence', { sequence: 'tour', confirmationToken: tokenOf(before) })).toMatchObject({ isError: true });
  const enabled = await done('prepare_sequence_activation', { sequence: 'tour' });
  expect(enabled.data.emails[0].otherBrands).toMatchObject([{ brand: 'other', enabled: true, subject: 'Another welcome', version: 0 }]);
  must(await project.api.put('/templates/welcome/content', { content: CONTENT, publish: true, brand: 'other' }), 200);
  expect(await call('activate_sequence', { sequence: 'tour', confirmationToken: tokenOf(enabled) })).toMatchObject({ isError: true });
  const published = await done('prepare_sequence_activation', { sequence: 'tour' });
  expect(published.data.emails[0].otherBrands).toMatchObject([{ brand: 'other', version: 1 }]);
  await done('activate_sequence', { sequence: 'tour', confirmationToken: tokenOf(published) });
});

test('what a test key asks for by a tool never leaves', async () => {
  const { project } = await newActor();
  const { key } = await project.newKey(['send', 'sends:read'], true);
  const { done } = await overHttp(key, { allowSend: true });
  const email = project.address();
  const tried = await done('send_email', { template: 'password-reset', to: email, data: RESET, idempotencyKey: 'tried' });
  expect(tried.says).toContain('Nothing left');
  await eventually(async () => (await done('search_emails', { q: email })).data.sends.length === 1);
  expect((await done('search_emails', { q: email })).data.sends).toMatchObject([{ sandboxed: true }]);
  expect(await mailNow(`@to.${project.domain}`)).toEqual([]);
});
