import { expect, test } from 'vitest';
import { campaignEnds, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { newProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, must, newSequence } from '../../support/sequences.ts';
import { overHttp } from './mcp-client.ts';

const READING = [
  ...['get_project', 'list_attention', 'get_format', 'find_people', 'get_person_timeline', 'explain_email', 'search_emails'],
  ...['list_campaigns', 'get_campaign', 'list_sequences', 'get_sequence', 'get_run', 'simulate_sequence'],
  ...['list_templates', 'get_template', 'preview_template', 'list_segments', 'preview_segment'],
];

test('each reading tool answers with what the routes have', async () => {
  const project = await newProject();
  const { done, toolNames } = await overHttp(project.key);
  await enableTemplates(project, 'welcome', 'newsletter', 'password-reset');
  const email = project.address('ada');
  const contact = must(await project.api.post('/contacts', { email, firstName: 'Ada', tags: ['vip'] }), 200);
  const sequence = await newSequence(project, { steps: [{ template: 'welcome', delayMinutes: DAY_MINUTES }] });
  const enrollmentId = await sequence.enroll(email);
  const campaignId = await newCampaign(project, { audience: { mode: 'tag', tag: 'vip' }, data: { title: 'News' }, name: 'Spring' });
  await campaignEnds(project, campaignId);
  const contactId = (await done('find_people', { email })).data.contacts[0].id;
  expect(contactId).toBe(contact.contactId ?? contact.id ?? contactId);

  expect((await done('get_project')).data.project.slug).toBe(project.slug);
  expect((await done('list_attention')).isError).toBe(false);
  const formats = ['sequence_graph', 'template_content', 'campaign', 'segment_filter'];
  for (const format of formats) expect((await done('get_format', { of: format })).data.$defs).toBeDefined();
  expect((await done('find_people', { q: 'ada-' })).data.contacts).toHaveLength(1);
  expect((await done('get_person_timeline', { contactId })).data.timeline.map(({ kind }: { kind: string }) => kind)).toContain(
    'sequence_entered',
  );
  expect((await done('search_emails', { sourceType: 'campaign' })).data.sends).toMatchObject([{ to_email: email, status: 'sent' }]);
  expect((await done('list_campaigns')).data.campaigns).toMatchObject([{ id: campaignId }]);
  expect((await done('get_campaign', { campaignId })).data).toMatchObject({
    campaign: { sent_count: 1 },
    results: { funnel: { sent: 1 } },
  });
  expect((await done('list_sequences')).data.sequences).toMatchObject([{ key: sequence.key }]);
  expect((await done('get_sequence', { sequence: sequence.key })).data).toMatchObject({ key: sequence.key, flow: {} });
  await eventually(async () => {
    const { says, data } = await done('get_run', { enrollmentId });
    expect(says).toContain('it waits for its time');
    expect(data.run.steps.length).toBeGreaterThan(1);
    return true;
  });
  expect((await done('get_run', { sequence: sequence.key, email })).data.run.id).toBe(enrollmentId);
  expect((await done('get_run', { sequence: sequence.key })).data.enrollments).toMatchObject([{ id: enrollmentId }]);
  expect((await done('simulate_sequence', { sequence: sequence.key, contact: {} })).data.sends).toEqual(['welcome']);
  expect((await done('list_templates')).data.templates.length).toBeGreaterThan(1);
  expect((await done('get_template', { template: 'welcome' })).data).toMatchObject({ key: 'welcome', variables: {} });
  expect((await done('preview_template', { template: 'newsletter', data: { title: 'News' } })).data.subject).not.toBe('');
  expect((await done('list_segments')).data.segments).toEqual([]);
  expect((await done('preview_segment', { filter: { tags: ['vip'] }, mailable: true })).data).toMatchObject({ count: 1, mailable: 1 });
  expect((await done('preview_segment', { filter: { tags: ['vip'] } })).says).toBe('1 contact matches.');
  expect(await toolNames()).toEqual(expect.arrayContaining(READING));
});

test('why an email did not leave is told in words, for each thing that keeps one away', async () => {
  const project = await newProject();
  const { done } = await overHttp(project.key);
  await enableTemplates(project, 'welcome', 'newsletter', 'password-reset');
  const [suppressed, gone, held] = [project.address('suppressed'), project.address('gone'), project.address('held')];
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  const refused = await project.api.post('/send', { template: 'password-reset', to: suppressed, data: { resetUrl: 'https://a.example' } });
  expect(refused.status).toBe(422);
  const [row] = must(await project.api.get(`/sends?q=${encodeURIComponent(suppressed)}`), 200).sends;
  expect((await done('explain_email', { sendId: row.id })).says).toContain('the address is suppressed');

  for (const email of [gone, held]) must(await project.api.post('/contacts', { email, tags: ['all'] }), 200);
  const [left] = must(await project.api.get(`/contacts?email=${encodeURIComponent(gone)}`), 200).contacts;
  must(await project.api.post(`/contacts/${left.id}/unsubscribe`), 200);
  const campaignId = await newCampaign(project, { audience: { mode: 'tag', tag: 'all' }, data: { title: 'News' } });
  await campaignEnds(project, campaignId);
  await eventually(async () => {
    const { says } = await done('explain_email', { email: gone, campaignId });
    expect(says).toContain('The log has no such email');
    expect(says).toContain('The campaign left the person out: the person has unsubscribed');
    return true;
  });

  const sequence = await newSequence(project, { steps: [{ template: 'welcome', delayMinutes: DAY_MINUTES }] });
  await sequence.enroll(held);
  await eventually(async () => {
    expect((await done('explain_email', { email: held, sequence: sequence.key })).says).toContain('Now it waits for its time. Until ');
    return true;
  });
  expect((await done('explain_email', { email: gone, sequence: sequence.key })).says).toContain('never enrolled');
  must(await project.api.call('PATCH', `/sequences/${sequence.key}`, { status: 'paused' }), 200);
  expect((await done('explain_email', { email: held, sequence: sequence.key })).says).toContain('The sequence is paused');
  expect((await done('explain_email', { sendId: 'nothing' })).says).toContain('No email of this project has this id');

  const narrow = await project.newKey(['sends:read']);
  const { done: doneNarrowly } = await overHttp(narrow.key);
  expect((await doneNarrowly('explain_email', { sendId: row.id })).says).toContain('Not looked at, since the key lacks contacts:read');
});

test('what keeps no email away is not told as a cause, and what does is, with or without a contact', async () => {
  const project = await newProject();
  const { done } = await overHttp(project.key);
  await enableTemplates(project, 'newsletter', 'password-reset');
  const [pending, outside, nobody] = [project.address('pending'), project.address('outside'), project.address('nobody')];
  must(await project.api.post('/contacts', { email: pending, status: 'pending', tags: ['all'] }), 200);
  must(await project.api.post('/contacts', { email: outside }), 200);
  const campaignId = await newCampaign(project, { audience: { mode: 'tag', tag: 'all' }, data: { title: 'News' } });
  await campaignEnds(project, campaignId);
  const ofPending = (await done('explain_email', { email: pending, campaignId })).says;
  expect(ofPending).not.toContain('gets no marketing email');
  expect((await done('explain_email', { email: outside, campaignId })).says).toContain('not in its audience');

  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const mail = { template: 'password-reset', data: { resetUrl: 'https://a.example' } };
  must(await project.api.post('/send', { ...mail, to: outside, sendAt }), 202);
  const later = (await done('explain_email', { email: outside, template: 'password-reset' })).says;
  expect(later).toContain('It waits for its time');

  must(await project.api.post('/suppressions', { email: nobody }), 201);
  expect((await done('explain_email', { email: nobody })).says).toContain('the address is suppressed');
  must(await project.api.post('/send', { ...mail, to: 'bounced+1@everpost.test' }), 200);
  await eventually(async () => (await done('explain_email', { email: 'bounced+1@everpost.test' })).says.includes('reports it as bounced'));
});

test('people of another project are not to be found, by none of their ids', async () => {
  const [own, other] = [await newProject(), await newProject()];
  const { emails } = await newAudience(other, 1);
  const [contact] = must(await other.api.get('/contacts'), 200).contacts;
  const { call, done } = await overHttp(own.key);
  expect((await done('find_people', { email: emails[0] })).says).toContain('Nobody');
  expect((await done('find_people', { contactId: contact.id })).says).toContain('Nobody');
  expect(await call('get_person_timeline', { contactId: contact.id })).toMatchObject({
    isError: true,
    data: { error: expect.stringContaining('no such') },
  });
  expect((await done('preview_segment')).data.count).toBe(0);
  expect((await done('explain_email', { email: emails[0] })).says).toContain('no such contact');
});
