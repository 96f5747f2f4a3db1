import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { rows } from '../../../db/rows.ts';
import { campaignBecomes, campaignEnds, campaignOf, checkCampaign, newAudience, newCampaign } from '../../support/campaigns.ts';
import { later, restIsFast } from '../../support/campaigns-under-way.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';
import { erase, tablesWith } from '../contacts/erasing.ts';

interface Person {
  readonly contact_id: string;
  readonly email: string;
  readonly reason: string;
}

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

async function page(id: string, query: string) {
  return must(await project.api.get(`/campaigns/${id}/people?outcome=left_out&${query}`), 200);
}

/** All pages, of which no two have the same person. */
async function leftOut(id: string, query = 'limit=100'): Promise<Person[]> {
  const people: Person[] = [];
  for (let cursor = ''; ; ) {
    const { people: found, nextCursor } = await page(id, `${query}${cursor}`);
    people.push(...found);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(new Set(people.map(({ contact_id }) => contact_id)).size).toBe(people.length);
  return people;
}

async function timelineOf(contactId: string) {
  const { timeline } = must(await project.api.get(`/contacts/${contactId}/timeline`), 200);
  return timeline.filter(({ kind }: { kind: string }) => kind === 'campaign_left_out').map(({ details }: { details: object }) => details);
}

test('who is left out when a campaign begins is counted, listed by reason and named in their timelines', async () => {
  const tag = 'begin';
  const add = async (status: string) => {
    const email = project.address();
    return { email, id: await newContact(project, email, { tags: [tag], status }) };
  };
  const [ann, ben, cem, dan, eve] = [
    ...[await add('subscribed'), await add('unsubscribed'), await add('unsubscribed')],
    ...[await add('bounced'), await add('subscribed')],
  ] as const;
  must(await project.api.post('/suppressions', { email: eve.email, reason: 'manual' }), 201);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, name: 'Spring' });
  await campaignEnds(project, id);
  const { record } = await checkCampaign(em, project, id, [ann.email]);
  expect(record).toMatchObject({ audience_size: 5, total_recipients: 1, sent_count: 1 });
  expect(record.left_out).toEqual({
    suppressed: 1,
    unsubscribed: 2,
    bounced: 1,
    capped: 0,
    unconfirmed: 0,
    topic_off: 0,
    late: 0,
    erased: 0,
    ended: 0,
    cancelled: 0,
  });
  const told = (people: readonly Person[]) => people.map(({ email, reason }) => [email, reason]).toSorted();
  const unsubscribed = [ben, cem].map(({ email }) => [email, 'unsubscribed']).toSorted();
  const all = [...unsubscribed, [dan.email, 'bounced'], [eve.email, 'suppressed']].toSorted();
  expect(told(await leftOut(id))).toEqual(all);
  expect(told(await leftOut(id, 'limit=1'))).toEqual(all);
  expect(told(await leftOut(id, 'limit=1&reason=unsubscribed'))).toEqual(unsubscribed);
  expect(await leftOut(id, 'reason=cancelled')).toEqual([]);
  expect(await leftOut(id, 'reason=bounced')).toEqual([
    { contact_id: dan.id, email: dan.email, reason: 'bounced', at: expect.any(String) },
  ]);
  expect(await leftOut(id, 'reason=suppressed')).toMatchObject([{ contact_id: eve.id, suppression: 'manual' }]);
  must(await project.api.delete(`/suppressions/${eve.email}`), 200);
  expect(await leftOut(id, 'reason=suppressed')).toEqual([
    { contact_id: eve.id, email: eve.email, reason: 'suppressed', at: expect.any(String) },
  ]);
  expect(await timelineOf(ben.id)).toEqual([
    { campaign_id: id, campaign_name: 'Spring', template: 'newsletter', reason: 'unsubscribed', sandboxed: false },
  ]);
  expect(await timelineOf(ann.id)).toEqual([]);
});

test('who may not get it any more when their turn comes is left out for that', async () => {
  const { tag, emails } = await newAudience(project, 40);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
  must(await project.api.post(`/campaigns/${id}/pause`), 200);
  const [gone, gives] = (await rows(
    em,
    sql<{
      id: string;
    }>`select contact_ids[1] as id from campaign_pages where campaign_id = ${id} and state = 'pending' order by no desc limit 2`,
  )) as [{ id: string }, { id: string }];
  const { contact } = must(await project.api.get(`/contacts/${gives.id}`), 200);
  must(await project.api.post('/contacts', { email: contact.email, status: 'unsubscribed' }), 200);
  must(await erase(project, gone.id), 200);
  await restIsFast(em, id);
  must(await project.api.post(`/campaigns/${id}/resume`), 200);
  await campaignEnds(project, id);
  const { record } = await checkCampaign(em, project, id, emails);
  expect(record).toMatchObject({ sent_count: 38, skipped_count: 2, left_out: { unsubscribed: 1, erased: 1 } });
  expect(await leftOut(id)).toMatchObject([{ contact_id: gives.id, reason: 'unsubscribed' }]);
  expect(await timelineOf(gives.id)).toMatchObject([{ campaign_id: id, reason: 'unsubscribed' }]);
  expect(await tablesWith(em, gone.id)).toEqual([]);
});

test('a scheduled campaign leaves nobody out before it runs, nor one that is cancelled by then', async () => {
  const { tag } = await newAudience(project, 2);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, scheduleAt: later() });
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  expect(await campaignOf(project, id)).toMatchObject({ cancelled_count: 2, left_out: { cancelled: 0 } });
  expect(await leftOut(id)).toEqual([]);
});

test('whom a cancellation left out is kept for each of hundreds, and nothing of who is erased later but that they were one', async () => {
  const SIZE = 250;
  const { tag, emails } = await newAudience(project, SIZE);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
  await campaignBecomes(project, id, ({ sent_count }) => sent_count > 0);
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  const { record } = await checkCampaign(em, project, id, emails);
  expect(record.left_out.cancelled).toBe(record.cancelled_count);
  const before = await leftOut(id, 'limit=17');
  expect(before).toHaveLength(record.cancelled_count);
  expect(await timelineOf(before.at(-1)?.contact_id as string)).toMatchObject([{ campaign_id: id, reason: 'cancelled' }]);
  // The first of each row of the table, and some between them: whoever is beside them is found all the same.
  const inOrder = before.map(({ contact_id }) => contact_id).toSorted();
  const erased = inOrder.filter((_, place) => place % 100 === 0 || place % 50 === 7);
  for (const one of erased) must(await erase(project, one), 200);
  for (const one of erased) expect(await tablesWith(em, one)).toEqual([]);
  expect((await campaignOf(project, id)).left_out).toEqual(record.left_out);
  const rest = inOrder.filter((one) => !erased.includes(one));
  expect((await leftOut(id, 'limit=9')).map(({ contact_id }) => contact_id)).toEqual(rest);
  for (const place of [0, 1, 98, 99, 100, rest.length - 1])
    expect(await timelineOf(rest[place] as string)).toMatchObject([{ campaign_id: id }]);
});

test('people who were left out are read by what is asked alone: their own project, their cursor, an outcome', async () => {
  const { tag } = await newAudience(project, 3);
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, ratePerSecond: 1 });
  must(await project.api.post(`/campaigns/${id}/cancel`), 200);
  const other = await newProject();
  expect((await other.api.get(`/campaigns/${id}/people?outcome=left_out`)).status).toBe(404);
  const { nextCursor } = await page(id, 'limit=1&reason=cancelled');
  if (nextCursor)
    expect((await project.api.get(`/campaigns/${id}/people?outcome=left_out&cursor=${nextCursor}`)).body.code).toBe('invalid_cursor');
  for (const query of ['reason=cancelled', 'outcome=left_out&reason=nope', 'outcome=sent'])
    expect((await project.api.get(`/campaigns/${id}/people?${query}`)).status).toBe(422);
  expect(must(await project.api.get(`/campaigns/${id}/people`), 200)).toMatchObject({ emails: [], people: [], nextCursor: null });
});
