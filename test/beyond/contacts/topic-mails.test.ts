import { beforeAll, expect, test } from 'vitest';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { eventTrigger, happens, newEventType, newFlow } from '../../support/flow.ts';
import { mailCount, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  must(await project.api.post('/topics', { key: 'news', name: 'News' }), 201);
  must(await project.api.post('/topics', { key: 'offers', name: 'Offers', defaultOn: false }), 201);
});

const choose = async (email: string, topics: object) => must(await project.api.post('/contacts', { email, topics }), 200).contacts[0].id;

test('a campaign of a topic goes to those who have it on; the others are left out by name, and the number told before is the number that goes', async () => {
  const { tag, emails } = await newAudience(project, 6);
  await choose(emails[0]!, { news: false });
  await choose(emails[1]!, { news: false });
  await choose(emails[2]!, { news: true });
  const audience = { mode: 'tag', tag };
  const { campaignId: id } = must(await project.api.post('/campaigns?draft=1', { template: 'newsletter', audience, topic: 'news' }), 201);
  expect((await campaignOf(project, id)).topic).toBe('news');
  expect(must(await project.api.get(`/campaigns/${id}/audience`), 200)).toMatchObject({ audienceSize: 6, enrolled: 4 });
  must(await project.api.post(`/campaigns/${id}/launch`), 200);
  const sent = await campaignEnds(project, id);
  expect(sent).toMatchObject({ status: 'sent', topic: 'news', sent_count: 4, total_recipients: 4, left_out: { topic_off: 2 } });
  await checkCampaign(await database(), project, id, emails);
  const { people } = must(await project.api.get(`/campaigns/${id}/people?outcome=left_out&reason=topic_off`), 200);
  expect(people.map(({ email }: { email: string }) => email).sort()).toEqual([emails[0], emails[1]].sort());
  const [mail] = await mailTo(emails[3]!);
  const { unsubscribe, mail: read } = await readMail(mail!.raw);
  expect(unsubscribe).toMatch(/&topic=news$/);
  expect(read.headers.find(({ key }) => key === 'list-id')?.value).toBe(`<news.${project.slug}.${project.domain}>`);
});

test('who turns the topic off after the audience was resolved gets nothing of a campaign any more', async () => {
  const { tag, emails } = await newAudience(project, 3);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, topic: 'news', ratePerSecond: 1 });
  await eventually(async () => (await mailCount(emails[0]!)) + (await mailCount(emails[1]!)) + (await mailCount(emails[2]!)) > 0);
  for (const email of emails) await choose(email, { news: false });
  const { sent_count, skipped_count, left_out } = await campaignEnds(project, id);
  expect([sent_count + skipped_count, left_out.topic_off]).toEqual([3, skipped_count]);
  expect(skipped_count).toBeGreaterThan(0);
  await checkCampaign(await database(), project, id, emails);
});

test('a campaign to a list makes its addresses contacts, who get a topic by its default', async () => {
  const emails = [project.address(), project.address()];
  const audience = { mode: 'people', emails };
  const refused = await project.api.post('/campaigns', { template: 'newsletter', audience, topic: 'offers' });
  expect(refused.body).toMatchObject({ code: 'empty_audience' });
  await choose(emails[0]!, { offers: true });
  const id = await newCampaign(project, { audience, topic: 'offers' });
  expect(await campaignEnds(project, id)).toMatchObject({ audience_size: 2, sent_count: 1 });
});

test('a topic that there is not is refused in campaigns and in graphs', async () => {
  const { tag } = await newAudience(project, 1);
  const campaign = await project.api.post('/campaigns', { template: 'newsletter', audience: { mode: 'tag', tag }, topic: 'nothing' });
  expect(campaign.body).toMatchObject({ code: 'invalid_request', issues: [{ path: 'topic', message: 'no such topic' }] });
  const unlike = { template: 'newsletter', type: 'transactional', audience: { mode: 'tag', tag }, topic: 'news' };
  expect((await project.api.post('/campaigns', unlike)).body).toMatchObject({ code: 'invalid_request', issues: [{ path: 'topic' }] });
  const preview = await project.api.post('/segments/preview', { mailable: true, topic: 'nothing' });
  expect(preview.body).toMatchObject({ code: 'invalid_request' });
  const step = { template: 'newsletter', topic: 'nothing' };
  const linear = await project.api.post('/sequences', { key: 'linear-of-nothing', name: 'x', steps: [step] });
  expect(linear.body).toMatchObject({ code: 'invalid_request', issues: [{ path: 'steps[0].topic' }] });
  const graph = {
    name: 'x',
    status: 'draft',
    triggers: [],
    nodes: [{ id: 'mail', kind: 'send_email', config: { template: 'newsletter', topic: 'nw' } }],
    edges: [],
  };
  const { body } = await project.api.put('/sequences/of-nothing', graph);
  expect(body).toMatchObject({ code: 'invalid_graph' });
  expect(body.error).toContain('unknown topic nw');
});

test('a step of a topic passes those by who have it off, which simulate foretells', async () => {
  const type = newEventType();
  const mail = (id: string, topic?: string) => ({
    id,
    kind: 'send_email',
    config: { template: 'newsletter', type: 'marketing', ...(topic ? { topic } : {}) },
  });
  const flow = await newFlow(project, {
    triggers: eventTrigger(type),
    nodes: [{ id: 'start', kind: 'trigger', config: {} }, mail('offers', 'offers'), mail('plain'), { id: 'end', kind: 'exit', config: {} }],
    edges: [
      { from: 'start', to: 'offers' },
      { from: 'offers', to: 'plain' },
      { from: 'plain', to: 'end' },
    ],
  });
  const [without, with_] = [project.address(), project.address()];
  await choose(with_, { offers: true });
  await choose(without, {});
  const { id } = (await project.api.get(`/contacts?email=${encodeURIComponent(without)}`)).body.contacts[0];
  const simulated = must(await project.api.post(`/sequences/${flow.key}/simulate`, { contactId: id, event: { type, payload: {} } }), 200);
  const details = JSON.stringify(simulated);
  expect(details).toContain('would be skipped: topic_off');
  for (const email of [without, with_]) await happens(project, { type, email });
  await mailTo(with_, (all) => all.length === 2);
  await mailTo(without);
  const { runs } = await eventually(async () => {
    const shown = must(await project.api.get(`/sequences/${flow.key}/flow`), 200);
    return JSON.stringify(shown).includes('"topic_off":1') && { runs: shown };
  });
  expect(runs).toBeTruthy();
  expect(await mailCount(without)).toBe(1);
  const timeline = must(await project.api.get(`/contacts/${id}/timeline?kind=mail_skipped`), 200).timeline;
  expect(timeline).toMatchObject([{ details: { reason: 'topic_off', node_id: 'offers' } }]);
});

test('segments and conditions know who gets a topic, by choice or by default', async () => {
  const own = await newProject();
  must(await own.api.post('/topics', { key: 'news', name: 'News' }), 201);
  const addresses = [own.address(), own.address(), own.address()];
  const topics = [{}, { news: true }, { news: false }];
  must(
    await own.api.post(
      '/contacts',
      addresses.map((email, index) => ({ email, topics: topics[index] })),
    ),
    200,
  );
  const inSegment = async (filter: object) => {
    const { sample } = must(await own.api.post('/segments/preview', { filter }), 200);
    return sample.map(({ email }: { email: string }) => email).sort();
  };
  const gets = { where: { field: 'contact.topics.news', op: 'eq', value: true } };
  expect(await inSegment(gets)).toEqual([addresses[0], addresses[1]].sort());
  must(await own.api.call('PATCH', '/topics/news', { defaultOn: false }), 200);
  expect(await inSegment(gets)).toEqual([addresses[1]]);
  const bad = await own.api.post('/segments', { label: 'x', filter: { where: { field: 'contact.topics.a.b', op: 'exists' } } });
  expect(bad.body.code).toBe('invalid_request');
});

test('a segment that asks for a topic which there is not is refused, wherever it would be saved or counted', async () => {
  const own = await newProject();
  const { segment } = must(await own.api.post('/segments', { label: 'all', filter: {} }), 201);
  const filter = { where: { any: [{ field: 'contact.status', op: 'exists' }, { not: { field: 'contact.topics.nwes', op: 'exists' } }] } };
  for (const [method, path] of [
    ['POST', '/segments'],
    ['POST', '/segments/preview'],
    ['PATCH', `/segments/${segment.id}`],
  ] as const)
    expect(await own.api.call(method, path, { label: 'x', filter })).toMatchObject({
      status: 422,
      body: { issues: [{ path: 'filter.where.any[1].not.field', message: 'no such topic' }] },
    });
});

test('a branch of a sequence goes by a topic', async () => {
  const type = newEventType();
  const flow = await newFlow(project, {
    triggers: eventTrigger(type),
    nodes: [
      { id: 'start', kind: 'trigger', config: {} },
      {
        id: 'asks',
        kind: 'branch',
        config: { branches: [{ key: 'wants', when: { field: 'contact.topics.offers', op: 'eq', value: true } }] },
      },
      { id: 'yes', kind: 'exit', config: {} },
      { id: 'no', kind: 'exit', config: {} },
    ],
    edges: [
      { from: 'start', to: 'asks' },
      { from: 'asks', to: 'yes', branchKey: 'wants' },
      { from: 'asks', to: 'no', branchKey: 'default' },
    ],
  });
  const email = project.address();
  const id = await choose(email, {});
  const walk = () => flow.simulate({ contactId: id, event: { type, payload: {} } });
  expect(await walk()).toContain('no');
  await choose(email, { offers: true });
  expect(await walk()).toContain('yes');
});

test('a failed mail of a step, and of a campaign, does not go again to who has turned its topic off since', async () => {
  const [byStep, byCampaign] = [project.address(), project.address()];
  const refused = { rejectRecipient: { code: 550, message: '5.7.1 not today' } };
  for (const email of [byStep, byCampaign]) {
    await choose(email, {});
    await scriptMail(email, refused);
  }
  const type = newEventType();
  const config = { template: 'newsletter', type: 'marketing', topic: 'news' };
  await newFlow(project, {
    triggers: eventTrigger(type),
    nodes: [
      { id: 'start', kind: 'trigger', config: {} },
      { id: 'mail', kind: 'send_email', config },
    ],
    edges: [{ from: 'start', to: 'mail' }],
  });
  await happens(project, { type, email: byStep });
  const campaign = await newCampaign(project, { audience: { mode: 'people', emails: [byCampaign] }, topic: 'news' });
  await campaignEnds(project, campaign);
  const failedOf = (email: string) =>
    eventually(async () => {
      const { sends } = must(await project.api.get(`/sends?q=${encodeURIComponent(email)}`), 200);
      return sends.find(({ status }: { status: string }) => status === 'failed');
    });
  const failed = { ofStep: await failedOf(byStep), ofCampaign: await failedOf(byCampaign) };
  for (const email of [byStep, byCampaign]) {
    await choose(email, { news: false });
    await scriptMail(email, {});
  }
  const ofStep = await project.api.post(`/sends/${failed.ofStep.id}/retry`);
  expect(ofStep.body).toMatchObject({ code: 'send_failed', reason: 'topic_off' });
  must(await project.api.post(`/sends/${failed.ofCampaign.id}/retry`), 200);
  await campaignBecomes(project, campaign, ({ left_out }) => left_out.topic_off === 1);
  expect([await mailCount(byStep), await mailCount(byCampaign)]).toEqual([0, 0]);
});

test('a step that is of a topic goes to nobody who has it off, whatever its type', async () => {
  const type = newEventType();
  const config = { template: 'newsletter', type: 'transactional', topic: 'offers' };
  await newFlow(project, {
    triggers: eventTrigger(type),
    nodes: [
      { id: 'start', kind: 'trigger', config: {} },
      { id: 'mail', kind: 'send_email', config },
      { id: 'plain', kind: 'send_email', config: { template: 'newsletter' } },
    ],
    edges: [
      { from: 'start', to: 'mail' },
      { from: 'mail', to: 'plain' },
    ],
  });
  const email = project.address();
  await happens(project, { type, email });
  await mailTo(email);
  const { sends } = must(await project.api.get(`/sends?q=${encodeURIComponent(email)}`), 200);
  expect(sends.map(({ type }: { type: string }) => type)).toEqual(['marketing']);
});
