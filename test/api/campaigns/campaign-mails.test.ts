import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { rows } from '../../../db/rows.ts';
import { campaignBecomes, campaignEnds, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { report } from '../../support/inbound.ts';
import { mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must } from '../../support/sequences.ts';

let em: EntityManager;

beforeAll(async () => {
  em = await database();
});

async function projectWith(...templates: string[]): Promise<TestProject> {
  const project = await newProject();
  await enableTemplates(project, ...templates);
  return project;
}

test('a campaign to everybody reaches every contact of its project, one to a segment those that match at that time', async () => {
  const project = await projectWith('newsletter');
  const some = await newAudience(project, 2);
  const others = await newAudience(project, 3);
  must(await project.api.post('/contacts', { email: others.emails[0], status: 'unsubscribed' }), 200);
  const { segment } = must(await project.api.post('/segments', { label: 'some', filter: { tags: [some.tag] } }), 201);
  const campaign = async (audience: object) => must(await project.api.post('/campaigns', { template: 'newsletter', audience }), 201);

  const toSegment = await campaign({ mode: 'segment', segmentId: segment.id });
  expect(toSegment).toMatchObject({ audienceSize: 2, enrolled: 2 });
  expect(await campaignEnds(project, toSegment.campaignId)).toMatchObject({ sent_count: 2 });
  await checkCampaign(em, project, toSegment.campaignId, some.emails);

  const toAll = await campaign({ mode: 'entire' });
  expect(toAll).toMatchObject({ audienceSize: 5, enrolled: 4 });
  expect(await campaignEnds(project, toAll.campaignId)).toMatchObject({ audience_size: 5, total_recipients: 4, sent_count: 4 });
  for (const email of others.emails.slice(1)) expect(await mailTo(email)).toHaveLength(1);
  for (const email of some.emails) expect(await mailTo(email)).toHaveLength(2);
});

test('the mails of a campaign have the subject, the data, the brand and the type that its body says', async () => {
  const project = await projectWith('newsletter');
  await setBrand(em, project.id, 'other', { name: 'The Other', from_email: `other@${project.domain}`, address: '2 Test Street' }, false);
  must(await project.api.put('/templates/newsletter?brand=other', { enabled: true }), 200);
  const { tag, emails } = await newAudience(project, 1);
  const subject = 'For {{ contact.first_name }}: {{ what }}';
  const id = await newCampaign(project, {
    ...{ audience: { mode: 'tag', tag }, name: 'A name', subject, data: { what: 'spring' } },
    ...{ brand: 'other', type: 'transactional' },
  });
  const record = await campaignEnds(project, id);
  expect(record).toMatchObject({
    name: 'A name',
    subject,
    brand_id: 'other',
    type: 'transactional',
    template: 'newsletter',
    sent_count: 1,
  });
  const [mail] = await mailTo(emails[0] as string);
  expect(mail?.raw).toContain(`Subject: For ${tag}-0: spring`);
  expect(mail?.from).toBe(`other@${project.domain}`);
  expect(mail?.raw).not.toMatch(/^List-Unsubscribe: /im);
});

test('a mail of a campaign is shown again with the data of its campaign and the version that it began with', async () => {
  const project = await projectWith('newsletter');
  const publish = async (text: string) =>
    must(await project.api.put('/templates/newsletter/content', { content: { blocks: [{ type: 'text', text }] }, publish: true }), 200);
  await publish('It is {{ what }} for {{ contact.first_name }}.');
  const { tag, emails } = await newAudience(project, 1);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, subject: 'Now {{ what }}', data: { what: 'spring' } });
  await campaignEnds(project, id);
  must(await project.api.put('/templates/newsletter/content', { content: { blocks: [{ type: 'text', text: 'A draft.' }] } }), 200);
  await publish('Something else.');
  const [send] = must(await project.api.get(`/sends?sourceId=${id}`), 200).sends;
  const shown = must(await project.api.get(`/sends/${send.id}/mail`), 200);
  expect(shown).toMatchObject({ subject: 'Now spring', missing: [], data: 'campaign', version: 1, publication: 1, isCurrent: false });
  expect(shown.text).toContain(`It is spring for ${tag}-0.`);
  const { api: unknowing } = await project.newKey(['sends:read']);
  expect(must(await unknowing.get(`/sends/${send.id}/mail`), 200).text).not.toContain(`${tag}-0.`);
  const other = await newProject();
  expect((await other.api.get(`/sends/${send.id}/mail`)).status).toBe(404);

  must(await project.api.post('/send', { template: 'newsletter', to: emails[0], data: { what: 'told' } }), 200);
  const [told] = must(await project.api.get('/sends?sourceType=api'), 200).sends;
  expect(must(await project.api.get(`/sends/${told.id}/mail`), 200)).toMatchObject({
    data: 'none',
    version: 3,
    publication: 2,
    isCurrent: true,
  });
});

test('what is published when a campaign starts is what everybody gets, whatever is published meanwhile', async () => {
  const project = await projectWith('newsletter');
  const publish = async (text: string) =>
    must(await project.api.put('/templates/newsletter/content', { content: { blocks: [{ type: 'text', text }] }, publish: true }), 200);
  await publish('The first words.');
  const { tag, emails } = await newAudience(project, 4);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
  await campaignBecomes(project, id, ({ sent_count }) => sent_count > 0);
  await publish('The second words.');
  expect(await campaignEnds(project, id)).toMatchObject({ sent_count: 4 });
  for (const email of emails) expect((await mailTo(email))[0]?.raw).toContain('The first words.');
});

test('what the provider reports counts once for each mail, in its arm and in all, and the send log is filtered by the arm', async () => {
  const project = await projectWith('newsletter');
  const { tag } = await newAudience(project, 6);
  const variants = [{ key: 'a' }, { key: 'b' }];
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, variants });
  await campaignEnds(project, id);
  const mails = await rows(
    em,
    sql<{ provider_id: string; variant: string }>`select provider_id, variant from sends where source_id = ${id} order by id`,
  );
  const tell = (from: number, upTo: number, event: object) =>
    Promise.all(mails.slice(from, upTo).map(({ provider_id }) => report(project, { providerId: provider_id, ...event } as never)));
  await Promise.all([tell(0, 5, { type: 'delivered' }), tell(0, 5, { type: 'delivered' })]);
  await tell(5, 6, { type: 'bounced', bounce: { kind: 'hard' } });
  await Promise.all([tell(0, 2, { type: 'complained' }), tell(0, 2, { type: 'complained' })]);
  const record = await campaignBecomes(project, id, ({ complained_count, bounced_count }) => complained_count >= 2 && bounced_count >= 1);
  expect(record).toMatchObject({ sent_count: 6, delivered_count: 5, bounced_count: 1, complained_count: 2 });
  for (const { key, ...counts } of record.variants) {
    const of = (from: number, upTo: number) => mails.slice(from, upTo).filter(({ variant }) => variant === key).length;
    expect(counts).toMatchObject({ sent_count: of(0, 6), delivered_count: of(0, 5), bounced_count: of(5, 6), complained_count: of(0, 2) });
    const { sends } = must(await project.api.get(`/sends?sourceType=campaign&sourceId=${id}&variant=${key}`), 200);
    const ofArm = mails.filter(({ variant }) => variant === key).map(({ provider_id }) => provider_id);
    expect(sends.map((send: { provider_id: string }) => send.provider_id).toSorted()).toEqual(ofArm.toSorted());
  }
});
