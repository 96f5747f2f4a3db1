import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeysetPage, Place } from '../../../db/cursor-page.ts';
import { type EntityManager, type MikroORM, openDatabase } from '../../../db/orm.ts';
import { type ContactFilter, listContacts, sumUpContactCounts } from '../../../db/queries/contacts/contact-list.ts';
import { mergeSearchEntries } from '../../../db/queries/operations/search-entries.ts';
import { listSends, type SendFilter } from '../../../db/queries/sends/send-log.ts';
import { sumUpSendCounts } from '../../../db/queries/sends/send-stats.ts';
import { rows } from '../../../db/rows.ts';
import { rareParts } from '../../../db/text-search.ts';
import { createMigrated } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { keepSearchEntriesFew } from '../../support/own-database.ts';

let url: string;
let orm: MikroORM;
let em: EntityManager;
const project = uuidv7();
const other = uuidv7();
/** More than are looked through next to a place. */
const COUNT = 12_000;

const run = <T>(statement: ReturnType<typeof sql<T>>) => rows(em, statement);

beforeAll(async () => {
  url = await createMigrated(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 1, applicationName: 'everpost-test' });
  em = orm.em.fork();
  // The tables are small enough here to be read as a whole.
  await run(sql`set enable_seqscan = off`);
  for (const id of [project, other]) {
    await run(sql`insert into projects (id, slug, name, inbound_id, sealed_link_secret, sealed_inbound_secret, sealed_webhook_secret)
      values (${id}, ${id}, 'p', ${id}, 'a', 'b', 'c')`);
    await run(sql`insert into brands (project_id, slug, name) values (${id}, 'b', 'b')`);
  }
  await keepSearchEntriesFew(em);
  // Number 1 is the oldest. "first" are the 30 oldest, "each" has every 500th, "odd" every second.
  for (const owner of [project, other]) {
    await run(sql`
      insert into contacts (id, project_id, email, status, brand_id, first_name, last_name, tags, created_at)
      select uuid_v7(), ${owner}, 'person-' || n || '@example.com', case when n % 3 = 0 then 'pending' else 'subscribed' end, 'b',
             case when n % 500 = 0 then 'Мария' || n end, case when n <= 30 then '100%_of\\them' end,
             array_remove(array[case when n <= 30 then 'first' end, case when n <= 400 then 'old' end, case when n % 500 = 0 then 'each' end, case when n % 2 = 1 then 'odd' end], null),
             now() - make_interval(secs => ${COUNT} - n)
      from generate_series(1, ${owner === project ? COUNT : 40}::integer) n`);
  }
  // Every third to somebody who is no contact, some with digits that stand for letters in the index.
  await run(sql`
    insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, status, source_type, created_at)
    select uuid_v7(), project_id, case when status = 'subscribed' then id end, 'b',
           case when status = 'subscribed' then email when email like '%9@%' then 'ж' || email else 'guest-' || email end,
           'welcome', 'transactional', 'sent', 'api', created_at from contacts`);
  // An intent is no part of the log.
  await run(sql`
    insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, source_type)
    select uuid_v7(), project_id, id, 'b', email, 'welcome', 'transactional', 'api' from contacts where email = 'person-1@example.com'`);
  await run(sql`analyze`);
});

afterAll(async () => {
  await orm.close();
});

interface Listed {
  readonly id: string;
  readonly created_at: Date;
}

/** Every row, page by page to the end and back; both ways have to give the same. */
async function walk<T extends Listed>(read: (place: Place) => Promise<KeysetPage<T>>, limit: number): Promise<T[]> {
  const found: T[] = [];
  let page = await read({ limit, from: undefined, direction: 'next' });
  for (;;) {
    found.push(...page.rows);
    if (!page.next) break;
    page = await read({ limit, from: page.next, direction: 'next' });
  }
  const back = [...page.rows];
  while (page.previous) {
    page = await read({ limit, from: page.previous, direction: 'previous' });
    back.unshift(...page.rows);
  }
  expect(back.map(({ id }) => id)).toEqual(found.map(({ id }) => id));
  return found;
}

describe('pages of a search hold every match once, newest first, and the number is exact', () => {
  test.each<[string, ContactFilter, string]>([
    ['many, everywhere', { tag: 'odd' }, `'odd' = any(tags)`],
    ['few, everywhere', { tag: 'each' }, `'each' = any(tags)`],
    ['few, far away', { tag: 'first' }, `'first' = any(tags)`],
    ['of a status', { tag: 'each', status: 'pending' }, `'each' = any(tags) and status = 'pending'`],
    ['none', { tag: 'none' }, 'false'],
    ['part of an address', { q: 'SON-119' }, `email like '%son-119%'`],
    ['part of a name beyond ASCII', { q: 'АРИ' }, `first_name is not null`],
    ['a single letter', { q: 'я5' }, `first_name like '%я5%'`],
    ['% and _ and \\ as they are', { q: '0%_of\\t' }, `last_name is not null`],
    ['not a pattern', { q: '1%them' }, 'false'],
    ['not across columns', { q: 'comмария' }, 'false'],
    ['digits that only stand for other letters', { q: '320' }, `email like '%320%'`],
    ['a search in a tag', { q: 'person-1', tag: 'first' }, `email like 'person-1%' and 'first' = any(tags)`],
  ])('%s', async (_, filter, condition) => {
    const wanted = await run(
      sql<Listed>`select id from contacts where project_id = ${project} and ${sql.raw(condition)} order by created_at desc, id desc`,
    );
    const found = await walk((place) => listContacts(em, project, filter, place), wanted.length > 1000 ? 250 : 7);
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    const { totalCount } = await listContacts(em, project, filter, { limit: 1, from: undefined, direction: 'next' });
    expect(totalCount).toBe(wanted.length);
  });

  test.each<[string, string, SendFilter?]>([
    ['son-119', `to_email like '%son-119%'`],
    ['PERSON-11999@', `to_email like '%person-11999@%'`],
    ['son-1@', `to_email = 'person-1@example.com'`],
    ['guest-person-3', `to_email like 'guest-person-3%'`],
    ['Ж', `to_email like 'ж%'`],
    ['ЖPERSON-99@', `to_email = 'жperson-99@example.com'`],
    ['320', `to_email like '%320%'`],
    ['@EXAMPLE', 'true'],
    ['no_such', 'false'],
    ['Мария', 'false'],
    ['person-50', `to_email like '%person-50%' and type = 'marketing'`, { type: 'marketing' }],
    ['person-50', `to_email like '%person-50%' and template = 'welcome'`, { template: 'welcome' }],
  ])('%s in the send log', async (q, condition, filter = {}) => {
    const wanted = await run(
      sql<Listed>`select id from sends where project_id = ${project} and status is not null and ${sql.raw(condition)}
        order by created_at desc, id desc`,
    );
    const found = await walk((place) => listSends(em, project, { ...filter, q }, place), wanted.length > 1000 ? 250 : 7);
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
  });
});

test('with kept numbers a search that only the index answers counts up to 1,000, and its pages hold every match still', async () => {
  const kept = (q: string) => (place: Place) => listContacts(em, project, { q }, place, 'kept');
  const first: Place = { limit: 50, from: undefined, direction: 'next' };
  expect((await walk(kept('person-3'), 250)).map(({ id }) => id)).toEqual(
    (
      await run(
        sql<Listed>`select id from contacts where project_id = ${project} and email like 'person-3%' order by created_at desc, id desc`,
      )
    ).map(({ id }) => id),
  );
  const page = await kept('person-3')(first);
  expect(page.totalCount).toBe(null);
  expect((await kept('person-3')({ ...first, from: page.next })).totalCount).toBe(null);
  expect((await kept('person-30')(first)).totalCount).toBe(111);
  expect((await listContacts(em, project, { q: 'person-3' }, first)).totalCount).toBe(1_111);
});

describe('what very many have, and none of the latest, is found as by reading all', () => {
  const old = uuidv7();

  beforeAll(async () => {
    await run(sql`insert into projects (id, slug, name, inbound_id, sealed_link_secret, sealed_inbound_secret, sealed_webhook_secret)
      values (${old}, ${old}, 'p', ${old}, 'a', 'b', 'c')`);
    await run(sql`insert into brands (project_id, slug, name) values (${old}, 'b', 'b')`);
    // Number 1 is the oldest. "abcxb cxbcd" has all that an index knows of "abcxbcd"; the trigrams of "quent1" are spread over two names.
    await run(sql`
      insert into contacts (id, project_id, email, status, brand_id, first_name, last_name, display_name, tags, created_at)
      select uuid_v7(), ${old}, 'n' || n || '@' || case when n <= 5000 then 'frequent' else 'late' end || '.example',
             case when n % 3 = 0 then 'pending' else 'subscribed' end, 'b', case when n % 5 = 0 then 'Frequent' when n between 4501 and 5000 then 'Quent' end,
             case when n <= 4000 then 'FREQUENT' || n when n between 4501 and 5000 then 'ent1' end, case when n <= 1500 then 'abcxbcd' when n <= 4500 then 'abcxb cxbcd' when n = 5000 then 'Rare' end,
             array_remove(array[case when n % 2 = 0 then 'half' end, case when n % 100 = 0 then 'few' end], null),
             now() - make_interval(secs => (9000 - n) / 2)
      from generate_series(1, 9000) n where n > 5000 and n % 5 > 0 or n <= 5000`);
    // Ids are a project's own: another one may have the same.
    const twin = uuidv7();
    await run(sql`insert into projects (id, slug, name, inbound_id, sealed_link_secret, sealed_inbound_secret, sealed_webhook_secret)
      values (${twin}, ${twin}, 'p', ${twin}, 'a', 'b', 'c')`);
    await run(sql`insert into brands (project_id, slug, name) values (${twin}, 'b', 'b')`);
    await run(sql`
      insert into contacts (id, project_id, email, status, brand_id)
      select id, ${twin}, email, status, 'b' from contacts where project_id = ${old} and email like '%@frequent%'`);
    // To people who are no contacts; the latest have nothing of what is searched for.
    await run(sql`
      insert into sends (id, project_id, brand_id, to_email, template, type, status, source_type, created_at)
      select uuid_v7(), ${old}, 'b', case when n > 3500 then 'late-' when n % 7 = 0 then 'abcxb.cxbcd-' when n % 3 = 0 then 'abcxbcd-' else 'guest-1' end || n || '@to.example',
             'template-' || n % 2, 'transactional', 'sent', 'api', now() - make_interval(secs => (14000 - n) / 2)
      from generate_series(1, 14000) n`);
    await run(sql`analyze`);
  });

  test.each<[ContactFilter & { q: string }, string]>([
    [{ q: 'quent1' }, `last_name like 'FREQUENT1%'`],
    [{ q: 'Frequent' }, `(last_name like 'FREQUENT%' or first_name = 'Frequent' or email like '%@frequent%')`],
    [{ q: '@freq' }, `email like '%@freq%'`],
    [{ q: '@freq', tag: 'half' }, `email like '%@freq%' and tags @> array['half']`],
    [{ q: '@freq', tag: 'few' }, `email like '%@freq%' and tags @> array['few']`],
    [{ q: '@freq', tag: 'none' }, 'false'],
    [{ q: '@freq', status: 'pending' }, `email like '%@freq%' and status = 'pending'`],
    [{ q: 'abcxbcd' }, `display_name = 'abcxbcd'`],
    [{ q: 'abcxbcd', tag: 'few' }, `display_name = 'abcxbcd' and tags @> array['few']`],
    [{ q: 'rare' }, `display_name = 'Rare'`],
    [{ q: 'rare', tag: 'half' }, `display_name = 'Rare' and tags @> array['half']`],
    [{ q: 'fq' }, 'false'],
    [{ q: 'nobody' }, 'false'],
  ])('contacts: %j', async (filter, condition) => {
    const wanted = await run(
      sql<Listed>`select id from contacts where project_id = ${old} and ${sql.raw(condition)} order by created_at desc, id desc`,
    );
    const ids = wanted.map(({ id }) => id);
    const read = (place: Place) => listContacts(em, old, filter, place, 'kept');
    expect((await walk(read, ids.length > 1000 ? 250 : 7)).map(({ id }) => id)).toEqual(ids);
    const page = await read({ limit: 5, from: undefined, direction: 'next' });
    expect([page.rows.map(({ id }) => id), page.totalCount]).toEqual([ids.slice(0, 5), ids.length > 1000 ? null : ids.length]);
    // Of what is found next to the place nothing is counted.
    if (page.next) expect([page.totalCount, null]).toContain((await read({ limit: 5, from: page.next, direction: 'next' })).totalCount);
    expect((await listContacts(em, old, filter, { limit: 5, from: page.next, direction: 'next' })).totalCount).toBe(ids.length);
  });

  test.each<[SendFilter & { q: string }, string]>([
    [{ q: 'guest-1' }, `to_email like 'guest-1%'`],
    [{ q: 'guest-1', template: 'template-1' }, `to_email like 'guest-1%' and template = 'template-1'`],
    [{ q: 'guest-1', template: 'no_such' }, 'false'],
    [{ q: 'guest-1', status: 'failed' }, 'false'],
    [{ q: 'abcxbcd' }, `to_email like 'abcxbcd%'`],
    [{ q: 'guest-13' }, `to_email like 'guest-13%'`],
    [{ q: 'guest-13499@' }, `to_email like 'guest-13499@%'`],
    [{ q: 'nobody' }, 'false'],
    [{ q: '-0' }, 'false'],
  ])('sends: %j', async (filter, condition) => {
    const [{ time } = { time: new Date() }] = await run(
      sql<{ time: Date }>`select created_at as time from sends where project_id = ${old} and to_email = 'guest-12000@to.example'`,
    );
    for (const within of [{}, { to: time }, { from: time }]) {
      const wanted = await run(
        sql<Listed>`select id from sends where project_id = ${old} and ${sql.raw(condition)} and created_at >= ${'from' in within ? time : new Date(0)}
          and created_at < ${'to' in within ? time : new Date(Date.now() + 60_000)} order by created_at desc, id desc`,
      );
      const found = await walk(
        (place) => listSends(em, old, { ...filter, ...within }, place),
        [17, 100].find((limit) => limit * 20 > wanted.length) ?? 250,
      );
      expect([within, found.map(({ id }) => id)]).toEqual([within, wanted.map(({ id }) => id)]);
    }
  });

  test('mails to very many are met by going through their addresses, those to few are not', async () => {
    const first: Place = { limit: 20, from: undefined, direction: 'next' };
    const before = await scansOf('sends_strangers_idx');
    await listSends(em, old, { q: 'guest-1349' }, first);
    await listSends(em, old, { q: 'nobody' }, first);
    expect(await scansOf('sends_strangers_idx')).toBe(before);
    await listSends(em, old, { q: 'guest-1' }, first);
    await eventually(async () => (await scansOf('sends_strangers_idx')) > before);
  });
});

describe('pages of the send log by what was reported and by time hold every match once, newest first', () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

  beforeAll(async () => {
    await run(sql`
      update sends set delivery_status = case when to_email like '%7@%' then 'bounced' when to_email like '%40@%' then 'complained'
          when created_at between ${ago(2)} and ${ago(1.5)} then 'delivered' when to_email like '%119@%' then 'queued' end,
        status = case when to_email like '%55@%' then 'failed' else 'sent' end
      where project_id = ${project} and status is not null`);
    // Many of one instant, which begins an hour.
    await run(sql`
      update sends set created_at = date_trunc('hour', ${ago(1)}::timestamptz) where project_id = ${project} and status is not null
        and (delivery_status = 'queued' and created_at < ${ago(2)} or to_email like '%person-11_@%')`);
    await sumUpSendCounts(em);
    await run(sql`update sends set delivery_status = 'delivered' where project_id = ${project} and to_email like '%person-33@%'`);
  });

  test.each<[SendFilter, string]>([
    [{ deliveryStatus: 'bounced' }, `delivery_status = 'bounced'`],
    [{ deliveryStatus: 'complained', template: 'welcome' }, `delivery_status = 'complained'`],
    [{ deliveryStatus: 'delivered' }, `delivery_status = 'delivered'`],
    [{ deliveryStatus: 'delivered', status: 'failed' }, `delivery_status = 'delivered' and status = 'failed'`],
    [{ deliveryStatus: 'queued' }, `delivery_status = 'queued'`],
    [{ deliveryStatus: 'none' }, `delivery_status is null and status = 'sent'`],
    [{ deliveryStatus: 'none', template: 'no_such' }, 'false'],
    [{ status: 'failed' }, `status = 'failed'`],
    [{ deliveryStatus: 'none', q: 'person-5' }, `delivery_status is null and status = 'sent' and to_email like '%person-5%'`],
  ])('%j', async (filter, condition) => {
    // Both ends are instants of mails: the first is of the time, the last is not.
    const [{ from, to }] = (await run(sql<{ from: Date; to: Date }>`
      select percentile_disc(0.2) within group (order by created_at) as from, percentile_disc(0.9) within group (order by created_at) as to
      from sends where project_id = ${project} and status is not null and ${sql.raw(condition)}`)) as [{ from: Date; to: Date }];
    for (const time of [{}, { from: from ?? ago(3), to: to ?? ago(1) }, { from: ago(2.2) }, { to: ago(2.7) }]) {
      const wanted = await run(
        sql<Listed>`select id from sends where project_id = ${project} and status is not null and ${sql.raw(condition)}
          and created_at >= ${time.from ?? ago(24)} and created_at < ${time.to ?? ago(-1)} order by created_at desc, id desc`,
      );
      const found = await walk(
        (place) => listSends(em, project, { ...filter, ...time }, place),
        [17, 250].find((limit) => limit * 20 > wanted.length) ?? 250,
      );
      expect([time, found.map(({ id }) => id)]).toEqual([time, wanted.map(({ id }) => id)]);
    }
  });

  test('what no hour has is looked for in no mail', async () => {
    const before = await scansOf('sends_page_idx');
    expect((await listSends(em, other, { deliveryStatus: 'queued' }, { limit: 7, from: undefined, direction: 'next' })).rows).toEqual([]);
    expect((await run(sql`select 1 from sends limit 1`)).length).toBe(1);
    expect(await scansOf('sends_page_idx')).toBe(before);
  });
});

async function scansOf(index: string): Promise<number> {
  await run(sql`select pg_stat_force_next_flush()`);
  return (await run(sql<{ scans: number }>`select idx_scan as scans from pg_stat_user_indexes where indexrelname = ${index}`))[0]!.scans;
}

test.each([
  ['contacts_columns_idx', () => listContacts(em, project, { q: 'person-117' }, { limit: 250, from: undefined, direction: 'next' })],
  ['contacts_columns_idx', () => listContacts(em, project, { q: 'мария5' }, { limit: 250, from: undefined, direction: 'next' })],
  ['contacts_project_tags_idx', () => listContacts(em, project, { tag: 'each' }, { limit: 250, from: undefined, direction: 'next' })],
  ['contacts_columns_idx', () => listSends(em, project, { q: 'person-117' }, { limit: 250, from: undefined, direction: 'next' })],
  ['sends_contact_idx', () => listSends(em, project, { q: 'person-117' }, { limit: 250, from: undefined, direction: 'next' })],
  ['sends_stranger_trigrams_idx', () => listSends(em, project, { q: 'person-117' }, { limit: 250, from: undefined, direction: 'next' })],
])('a search that few rows match reads the index %s', async (index, search) => {
  const before = await scansOf(index);
  await search();
  await eventually(async () => (await scansOf(index)) > before);
});

test('what was just written is found before its entries are merged into the indexes, and after', async () => {
  const written = sql`insert into contacts (id, project_id, email, status, brand_id, tags) values (uuid_v7(), ${other}, 'just-now@new.example', 'pending', 'b', '{just}')`;
  const find = async (filter: ContactFilter) =>
    (await listContacts(em, other, filter, { limit: 9, from: undefined, direction: 'next' })).rows.length;
  await mergeSearchEntries(em);
  await run(written);
  expect([await find({ q: 'ust-now@' }), await find({ tag: 'just' })]).toEqual([1, 1]);
  expect(await mergeSearchEntries(em)).toBeGreaterThanOrEqual(2);
  expect(await mergeSearchEntries(em)).toBe(0);
  expect([await find({ q: 'ust-now@' }), await find({ tag: 'just' })]).toEqual([1, 1]);
  await run(sql`delete from contacts where project_id = ${other} and email = 'just-now@new.example'`);
});

test('what only old rows have is not looked for from page to page', async () => {
  const before = await scansOf('contacts_page_idx');
  await listContacts(em, project, { tag: 'old' }, { limit: 7, from: undefined, direction: 'next' });
  await eventually(async () => (await scansOf('contacts_page_idx')) > before);
  // Next to the place only.
  expect(await scansOf('contacts_page_idx')).toBe(before + 1);
});

test.each([
  ['person-45', ['n-45']],
  ['45@EXAMPLE.com', ['45@e']],
  ['xyz-person-45', ['xyz-pe', 'n-45']],
  // Octets of letters, as the index has them.
  ['person-ж', ['n-320266']],
  ['xperzz', ['xpe', 'erzz']],
  // No others.
  ['PERSON-', ['person-']],
  ['45', ['45']],
])('of %s the index is asked for %j: for what most rows have only where a text has nothing else', async (text, parts) => {
  const sampled = { table: 'contacts', list: sql`project_id = ${project}`, columns: ['email'] } as const;
  expect(await rareParts(em, sampled, text)).toEqual([parts]);
});

test('a text of any length is looked up by few of its trigrams, and each of its matches is found', async () => {
  const long = `${'x'.repeat(150)}@long.example`;
  await run(sql`insert into contacts (id, project_id, email, status, brand_id) values (uuid_v7(), ${other}, ${long}, 'pending', 'b')`);
  const sampled = { table: 'contacts', list: sql`project_id = ${other}`, columns: ['email'] } as const;
  expect((await rareParts(em, sampled, long)).flat().join('').length).toBeLessThan(70);
  const { rows: found, totalCount } = await listContacts(em, other, { q: long.slice(1) }, { limit: 1, from: undefined, direction: 'next' });
  expect([found.map(({ email }) => email), totalCount]).toEqual([[long], 1]);
});

test('the kept numbers of tags follow every change, before and after they are summed up', async () => {
  const check = async () => {
    const counted = sql`select t.tag, status, count(*) as count from contacts, unnest(tags) t(tag)
      where project_id = ${other} group by 1, 2 order by 1, 2`;
    const kept = sql`select tag, status, sum(delta)::bigint as count from contact_tag_counts where project_id = ${other}
      group by 1, 2 having sum(delta) <> 0 order by 1, 2`;
    expect(await run(kept)).toEqual(await run(counted));
  };
  await check();
  await run(sql`update contacts set status = 'bounced' where project_id = ${other} and 'odd' = any(tags) and 'first' = any(tags)`);
  await run(sql`update contacts set tags = array['new', 'odd'] where project_id = ${other} and status = 'pending'`);
  await run(sql`delete from contacts where project_id = ${other} and last_name is null`);
  await check();
  const second = await openDatabase({ url, poolSize: 1, applicationName: 'everpost-test' });
  await Promise.all([sumUpContactCounts(em), sumUpContactCounts(second.em.fork())]).finally(() => second.close());
  await sumUpContactCounts(em);
  await check();
  expect(await run(sql`select 1 from contact_tag_counts where not is_sum`)).toEqual([]);
  await run(sql`update contacts set tags = '{}' where project_id = ${other}`);
  await sumUpContactCounts(em);
  expect(await run(sql`select 1 from contact_tag_counts where project_id = ${other}`)).toEqual([]);
});
