import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { Project } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { MOST_COUNTED_AT_ONCE } from '../../../domain/campaigns/results.ts';
import { campaignEnds, campaignOf, newCampaign } from '../../support/campaigns.ts';
import { eventually } from '../../support/eventually.ts';
import { report } from '../../support/inbound.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';
import { erase, tablesWith } from '../contacts/erasing.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
});

interface Sent {
  readonly id: string;
  readonly people: readonly { readonly id: string; readonly email: string; readonly providerId: string; readonly variant: string | null }[];
}

const GOAL = { event: 'order_paid', withinHours: 1, sum: 'total' };

/** A campaign that is sent, to people at these domains of the project's. */
async function sentCampaign(domains: readonly string[], body: object = {}): Promise<Sent> {
  const tag = `of-${Math.random().toString(36).slice(2)}`;
  for (const [index, domain] of domains.entries())
    await newContact(project, `n${index}.${tag}@${domain}.${project.domain}`, { tags: [tag] });
  const id = await newCampaign(project, { audience: { mode: 'tag', tag }, goal: GOAL, ...body });
  await campaignEnds(project, id);
  const people = await rows(
    em,
    sql<Sent['people'][number]>`
      select contact_id as id, to_email as email, provider_id as "providerId", variant from sends where source_id = ${id} order by to_email`,
  );
  return { id, people };
}

const resultsOf = async (id: string, query = '') => must(await project.api.get(`/campaigns/${id}/results${query}`), 200);

const happens = async ({ providerId }: Pick<Sent['people'][number], 'providerId'>, type: string, url?: string) =>
  expect((await report(project, { type, providerId, ...(url ? { url } : {}) })).status).toBe(200);

const buys = async (email: string, data: object = {}, type = GOAL.event) =>
  must(await project.api.post('/events', { type, email, data }), 200);

const patchGoal = (id: string, goal: object | null, body: object = {}) => project.api.call('PATCH', `/campaigns/${id}`, { goal, ...body });

test('results count opens and clicks by time, link, variant and receiver, in the words of the campaign itself', async () => {
  const variants = ['a', 'b'].map((key) => ({ key, subject: key }));
  const { id, people } = await sentCampaign(['one', 'one', 'one', 'two'], { variants });
  const [ann, ben, cem, dan] = people as [Sent['people'][number], Sent['people'][number], Sent['people'][number], Sent['people'][number]];
  for (const person of people) await happens(person, 'delivered');
  for (const person of [ann, ben, ann]) await happens(person, 'opened');
  for (const person of [ann, ben, ben]) await happens(person, 'clicked', 'https://shop.example/?page=1');
  // Of what one person alone has followed the query may be theirs.
  await happens(ben, 'clicked', 'https://shop.example/login?token=of-ben#x');
  await happens(cem, 'complained');
  await happens(dan, 'bounced');
  const results = await eventually(async () => {
    const found = await resultsOf(id);
    return found.funnel.bounced === 1 && found;
  });
  const record = await campaignOf(project, id);
  expect(results.funnel).toEqual({
    ...{ matched: 4, left_out: 0, sent: 4, delivered: 4, opened: 2, clicked: 2, converted: 0, unsubscribed: 0, bounced: 1, complained: 1 },
  });
  expect(record).toMatchObject({
    delivered_count: 4,
    opened_count: 2,
    clicked_count: 2,
    bounced_count: 1,
    complained_count: 1,
    goal: GOAL,
  });
  expect(results.links).toEqual([
    { url: 'https://shop.example/?page=1', clicks: 3, people: 2 },
    { url: 'https://shop.example/login', clicks: 1, people: 1 },
  ]);
  expect(results.otherLinks).toEqual({ links: 0, clicks: 0 });
  expect(results.byReceivers).toEqual([
    { domain: `one.${project.domain}`, sent: 3, delivered: 3, bounced: 0, opened: 2, clicked: 2 },
    { domain: `two.${project.domain}`, sent: 1, delivered: 1, bounced: 1, opened: 0, clicked: 0 },
  ]);
  for (const [place, variant] of results.byVariant.entries()) {
    const { sent_count, opened_count, recipients } = record.variants[place];
    expect(variant).toMatchObject({ key: variants[place]!.key, recipients, sent: sent_count, opened: opened_count });
  }
  for (const bucket of ['hour', 'day']) {
    const { counts } = (await resultsOf(id, `?bucket=${bucket}`)).overTime;
    const sum = (name: string) => counts.reduce((all: number, one: Record<string, number>) => all + (one[name] ?? 0), 0);
    expect([sum('opened'), sum('clicked')]).toEqual([2, 2]);
  }
  expect((await (await newProject()).api.get(`/campaigns/${id}/results`)).status).toBe(404);
});

test('a recipient converts once, by events after the mail and within the hours, whose numbers are added up by variant', async () => {
  const variants = ['a', 'b'].map((key) => ({ key }));
  const { id, people } = await sentCampaign(['one', 'one', 'one', 'one'], { variants });
  const [ann, ben, cem] = people as [Sent['people'][number], Sent['people'][number], Sent['people'][number]];
  await buys(ann.email, { total: 19.99 });
  await buys(ann.email, { total: 0.01 });
  await buys(ann.email, { total: '5' });
  await buys(ann.email, { total: 1e300 });
  await buys(ben.email);
  await buys(cem.email, { total: 7 }, 'page_viewed');
  await buys(project.address('stranger'), { total: 7 });
  // As if the mail had gone out two hours ago, and another just now.
  await row(em, sql`update sends set created_at = created_at - interval '2 hours' where source_id = ${id} and contact_id = ${ben.id}`);
  await row(em, sql`update campaigns set started_at = started_at - interval '2 hours' where id = ${id}`);
  const first = await resultsOf(id);
  expect(first.conversions).toEqual({
    ...{ goal: GOAL, as_of: expect.any(String), complete: true, people: 1, events: 4, sum: 20, not_summed: 2 },
  });
  expect(first.funnel.converted).toBe(1);
  const of = (key: string | null) => first.byVariant.find((one: { key: string }) => one.key === key).conversions;
  const other = ann.variant === 'a' ? 'b' : 'a';
  expect([of(ann.variant), of(other)]).toEqual([
    { people: 1, events: 4, sum: 20, not_summed: 2 },
    { people: 0, events: 0, sum: 0, not_summed: 0 },
  ]);
  must(await patchGoal(id, { event: 'order_paid', withinHours: 3 }), 200);
  expect((await resultsOf(id)).conversions).toMatchObject({ people: 2, events: 5, sum: null, not_summed: null });
  await row(em, sql`update sends set created_at = created_at + interval '1 minute' where source_id = ${id} and contact_id = ${ann.id}`);
  expect((await resultsOf(id)).conversions).toMatchObject({ people: 1, events: 1 });
});

test('the goal alone changes whatever became of a campaign, takes no approval back, and comes along with a copy', async () => {
  const { id } = await sentCampaign(['one'], { goal: null });
  expect((await resultsOf(id)).conversions).toBeNull();
  expect((await patchGoal(id, GOAL, { name: 'x' })).body.code).toBe('invalid_status');
  expect(must(await patchGoal(id, GOAL), 200).campaign).toMatchObject({ status: 'sent', goal: GOAL });
  expect((await project.api.call('PATCH', `/campaigns/${id}?ifVersion=1`, { goal: null })).body.code).toBe('version_conflict');
  const copy = must(await project.api.post('/campaigns?draft=1', { copyOf: id }), 201).campaignId;
  expect((await campaignOf(project, copy)).goal).toEqual(GOAL);
  expect((await resultsOf(copy)).funnel).toMatchObject({ matched: 0, sent: 0, converted: 0 });
  expect(must(await patchGoal(id, null), 200).campaign.goal).toBeNull();

  const asking = await newProject();
  await enableTemplates(asking, 'newsletter');
  await newContact(asking, asking.address(), { tags: ['t'] });
  const scheduled = await newCampaign(asking, { audience: { mode: 'tag', tag: 't' }, scheduleAt: '2999-01-01T00:00:00Z' });
  await em.nativeUpdate(Project, { id: asking.id }, { campaign_approval: true });
  const { draft } = must(await asking.api.call('PATCH', `/campaigns/${scheduled}`, { goal: GOAL }), 200);
  expect(draft).toMatchObject({ version: 2, needs_approval: false });

  const body = { template: 'newsletter', audience: { mode: 'tag', tag: 't' } };
  const faulty = { event: '', withinHours: 721, sum: '', window: 1 };
  const refused = await project.api.post('/campaigns', { ...body, goal: faulty });
  expect(refused.body.issues.map(({ path }: { path: string }) => path).sort()).toEqual([
    'goal.event',
    'goal.sum',
    'goal.window',
    'goal.withinHours',
  ]);
});

test('who was erased still counts, and nothing of what they followed is left', async () => {
  const { id, people } = await sentCampaign(['one', 'two']);
  const [ann, ben] = people as [Sent['people'][number], Sent['people'][number]];
  await happens(ann, 'opened');
  await happens(ann, 'clicked', 'https://shop.example/for/ann-own-page');
  await happens(ben, 'clicked', 'https://shop.example/all');
  await eventually(async () => (await resultsOf(id)).funnel.clicked === 2);
  expect((await resultsOf(id)).links).toHaveLength(2);
  expect((await erase(project, ann.id)).status).toBe(200);
  const results = await resultsOf(id);
  expect(results.funnel).toMatchObject({ sent: 2, opened: 1, clicked: 2 });
  expect(results.links).toEqual([{ url: 'https://shop.example/all', clicks: 1, people: 1 }]);
  expect(results.otherLinks).toEqual({ links: 0, clicks: 1 });
  expect(results.byReceivers).toEqual([{ domain: `two.${project.domain}`, sent: 1, delivered: 0, bounced: 0, opened: 0, clicked: 1 }]);
  expect(results.otherReceivers).toMatchObject({ receivers: 0, sent: 1, opened: 1, clicked: 1 });
  expect(await tablesWith(em, 'ann-own-page')).toEqual([]);
});

test('a worker counts a large campaign, and its results say as of when', async () => {
  const { id, people } = await sentCampaign(['one']);
  await buys(people[0]!.email, { total: 3 });
  const { total_recipients: recipients } = await campaignOf(project, id);
  const becomes = (size: number) =>
    row(em, sql`update campaigns set total_recipients = ${size}::integer, audience_size = ${size}::integer where id = ${id}`);
  await becomes(MOST_COUNTED_AT_ONCE + 1);
  const counted = await eventually(
    async () => {
      const results = await resultsOf(id);
      return results.asOf !== null && results;
    },
    { timeoutMs: 90_000 },
  );
  expect(counted.byReceivers).toHaveLength(1);
  expect(counted.conversions).toMatchObject({ people: 1, sum: 3, as_of: counted.asOf });
  expect((await resultsOf(id)).asOf).toBe(counted.asOf);
  await becomes(recipients);
  expect((await resultsOf(id)).asOf > counted.asOf).toBe(true);
});
