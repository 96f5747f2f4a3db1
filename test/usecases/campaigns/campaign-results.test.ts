import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type CampaignHead, ProductEvent } from '../../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { writeCampaign } from '../../../db/queries/campaigns/campaign-drafts.ts';
import { changeCampaign, findCampaign, insertCampaign, setAudience } from '../../../db/queries/campaigns/campaigns.ts';
import { campaignsToCount, type DueCampaign } from '../../../db/queries/campaigns/kept-results.ts';
import { eraseTraces } from '../../../db/queries/contacts/erasures.ts';
import { lockHitSends } from '../../../db/queries/sends/send-hits.ts';
import { row } from '../../../db/rows.ts';
import type { Goal } from '../../../domain/campaigns/goal.ts';
import { MOST_COUNTED_AT_ONCE } from '../../../domain/campaigns/results.ts';
import { countAndKeep, readResults } from '../../../usecases/campaigns/campaign-results.ts';
import { recordHits } from '../../../usecases/sends/record-hits.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

const DAY_MS = 86_400_000;
const LARGE = MOST_COUNTED_AT_ONCE + 1;
const GOAL: Goal = { event: 'paid', withinHours: 720, sum: null };

let orm: MikroORM;
let em: EntityManager;
let project: { id: string; slug: string };

beforeAll(async () => {
  orm = await ownDatabase();
});

beforeEach(async () => {
  em = orm.em.fork();
  await row(em, sql`delete from campaigns`);
  project = await bareProject(em);
});

/** One that has ended so many days ago, with a mail to each of two. */
async function campaign(
  recipients: number,
  endedDaysAgo = 1,
): Promise<{ id: string; contacts: readonly string[]; sends: readonly string[] }> {
  const id = uuidv7();
  const at = new Date(Date.now() - endedDaysAgo * DAY_MS);
  await insertCampaign(em, {
    ...{ id, projectId: project.id, name: '', template: 'newsletter', type: 'marketing', brand: project.slug, subject: 's' },
    ...{ hasOwnSubject: false, data: {}, audience: { mode: 'entire' }, variants: null, scheduledAt: null, endsAt: null },
    ...{ ratePerSecond: null, goal: GOAL, now: at },
  });
  await setAudience(em, id, { audienceSize: recipients, enrolled: recipients }, at);
  await changeCampaign(em, id, { status: 'sent', started_at: at, sent_at: at });
  const mails = [];
  for (let each = 0; each < 2; each++)
    mails.push(await bareSend(em, project, { source_type: 'campaign', source_id: id, opened_at: at, closed_at: at, created_at: at }));
  return { id, contacts: mails.map(({ contact_id }) => contact_id as string), sends: mails.map((mail) => mail.id) };
}

async function follows(sendId: string, url: string): Promise<void> {
  const at = new Date();
  await em.fork().transactional(async (tx) => {
    const hit = { sendId, kind: 'clicked', url, isBot: false, count: 1, firstAt: at, lastAt: at } as const;
    await recordHits(tx, await lockHitSends(tx, [sendId]), [hit]);
  });
}

const pays = (contactId: string, type = GOAL.event) =>
  em.insert(ProductEvent, { id: uuidv7(), project_id: project.id, contact_id: contactId, type, data: {}, created_at: new Date() });

const due = (): Promise<DueCampaign[]> => campaignsToCount(orm.em.fork(), 10);
const count = async (): Promise<void> => {
  for (const one of await due()) await countAndKeep(orm.em.fork(), one);
};
const head = async (id: string): Promise<CampaignHead> => (await findCampaign(orm.em.fork(), project.id, id))!;
const read = async (id: string) => {
  const { mails, conversions } = await readResults(orm.em.fork(), await head(id), new Date());
  return {
    urls: mails?.links.most.map(({ url }) => url),
    clicks: mails?.links.clicks,
    people: conversions && Object.values(conversions.byVariant)[0]?.people,
  };
};
/** As if so many seconds had passed since it was counted. */
const passes = (seconds: number) => row(em, sql`update campaign_results set counted_at = counted_at - make_interval(secs => ${seconds})`);

async function erase(contactId: string): Promise<void> {
  const contact = { project_id: project.id, contact_id: contactId, email: 'nobody@to.example', begun_at: new Date() };
  await orm.em.fork().transactional((tx) => eraseTraces(tx, contact, uuidv7()));
}

test('a large campaign is read as it was counted last, and counted again when a share of its age has passed', async () => {
  const { id, sends, contacts } = await campaign(LARGE);
  expect(await read(id)).toEqual({ urls: undefined, clicks: undefined, people: undefined });
  await follows(sends[0] as string, 'https://a.example/one');
  await pays(contacts[0] as string);
  await count();
  await follows(sends[1] as string, 'https://a.example/two');
  expect(await read(id)).toEqual({ urls: ['https://a.example/one'], clicks: 1, people: 1 });
  expect(await due()).toEqual([]);
  // It ended a day ago: a twentieth of that are 72 minutes.
  await passes(60 * 60);
  expect(await due()).toEqual([]);
  await passes(15 * 60);
  await count();
  expect(await read(id)).toMatchObject({ urls: ['https://a.example/one', 'https://a.example/two'], clicks: 2 });
});

test('a small campaign is counted when it is read, and by nobody before', async () => {
  const { id, sends } = await campaign(MOST_COUNTED_AT_ONCE);
  expect(await due()).toEqual([]);
  await follows(sends[0] as string, 'https://a.example/one');
  expect(await read(id)).toMatchObject({ urls: ['https://a.example/one'], clicks: 1 });
});

test.each([LARGE, MOST_COUNTED_AT_ONCE])(
  '60 days after its end a campaign to %s is counted once more and stays as it is, without what one alone followed',
  async (size) => {
    const { id, sends, contacts } = await campaign(size, 60);
    for (const send of sends) await follows(send, 'https://a.example/both');
    await follows(sends[0] as string, 'https://a.example/alone');
    await pays(contacts[0] as string);
    await row(em, sql`update events set created_at = now() - interval '40 days'`);
    expect(await due()).toEqual([{ id, areMailsDue: true, isLast: true }]);
    await count();
    await row(em, sql`delete from send_hits`);
    await row(em, sql`delete from events`);
    await passes(-365 * 86_400);
    expect(await due()).toEqual([]);
    expect(await read(id)).toEqual({ urls: ['https://a.example/both'], clicks: 3, people: 1 });
  },
);

test('another goal is counted at once, also long after, and until then none of the old is shown', async () => {
  const { id, contacts, sends } = await campaign(LARGE, 61);
  for (const send of sends) await follows(send, 'https://a.example/both');
  await count();
  await row(em, sql`delete from send_hits`);
  for (const contact of contacts) await pays(contact, 'other');
  await row(em, sql`update events set created_at = now() - interval '40 days'`);
  await writeCampaign(em, id, { goal: { ...GOAL, event: 'other' }, version: 2 });
  expect((await read(id)).people).toBeUndefined();
  expect(await due()).toEqual([{ id, areMailsDue: false, isLast: true }]);
  await count();
  expect(await read(id)).toEqual({ urls: ['https://a.example/both'], clicks: 2, people: 2 });
});

test('of what is kept an erasure takes the links that the person alone has followed, and counts begun before it are not kept', async () => {
  const { id, contacts, sends } = await campaign(LARGE);
  for (const send of sends) await follows(send, 'https://a.example/both');
  await follows(sends[0] as string, 'https://a.example/login?token=hers');
  await count();
  expect((await read(id)).urls).toEqual(['https://a.example/both', 'https://a.example/login']);
  await passes(86_400);
  const [one] = await due();
  let counting: Promise<void> | undefined;
  await orm.em.fork().transactional(async (tx) => {
    // The count has read the links, and waits before what is counted last.
    await row(tx, sql`lock table events in access exclusive mode`);
    counting = countAndKeep(orm.em.fork(), one as DueCampaign);
    await untilBlocked(tx);
    await erase(contacts[0] as string);
    expect(await read(id)).toMatchObject({ urls: ['https://a.example/both'], clicks: 3 });
  });
  await counting;
  expect(await read(id)).toMatchObject({ urls: ['https://a.example/both'], clicks: 3 });
  expect(await due()).toHaveLength(1);
});
