import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { eraseTraces } from '../../../db/queries/contacts/erasures.ts';
import { countReputation, sumUpReputation } from '../../../db/queries/sends/reputation.ts';
import { row, rows } from '../../../db/rows.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

const HOUR_MS = 3_600_000;

let orm: MikroORM;
let em: EntityManager;
beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
});

const COUNTERS = ['sent', 'rejected', 'delivered', 'deferred', 'hard_bounced', 'soft_bounced', 'complained'];
const NAMES = sql.join(COUNTERS.map((name) => sql.ref(name)));
const SUMS = sql.join(COUNTERS.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`));
const ANY = sql.join(
  COUNTERS.map((name) => sql`sum(${sql.ref(name)}) <> 0`),
  sql` or `,
);

/** What the log says, by hour, sending domain and receiver. */
const counted = () =>
  rows(
    em,
    sql`select project_id, date_trunc('hour', created_at, 'UTC') as hour, from_domain, coalesce(receiver, '') as receiver,
          count(*) filter (where status = 'sent') as sent, count(*) filter (where status = 'failed') as rejected,
          count(*) filter (where delivery_status = 'delivered') as delivered, count(*) filter (where was_delayed) as deferred,
          count(*) filter (where delivery_status = 'bounced' and bounce_kind = 'hard') as hard_bounced,
          count(*) filter (where delivery_status = 'bounced' and coalesce(bounce_kind, 'soft') = 'soft') as soft_bounced,
          count(*) filter (where delivery_status = 'complained') as complained
        from sends where from_domain is not null and not sandboxed and (status = 'sent' or status = 'failed' and delivery_status = 'bounced')
        group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  );

const kept = () =>
  rows(
    em,
    sql`select project_id, hour, from_domain, receiver, ${SUMS} from (
          select project_id, hour, from_domain, receiver, ${NAMES} from reputation_counts
          union all select project_id, hour, from_domain, receiver, ${NAMES} from reputation_count_changes) k
        group by 1, 2, 3, 4 having ${ANY} order by 1, 2, 3, 4`,
  );

async function expectExact(): Promise<void> {
  const exact = await counted();
  expect(exact.length).toBeGreaterThan(0);
  expect(await kept()).toEqual(exact);
}

/** So many mails of ten hours, from two domains or from nobody knows where, to three receivers, some of them intents still, or sandboxed. */
const write = (project: { id: string; slug: string }, from: number, to: number) =>
  row(
    em,
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, created_at, status, delivery_status, bounce_kind,
                           from_domain, receiver, sandboxed, idempotency_key)
        select gen_random_uuid(), ${project.id}, ${project.slug}, n || '@to.example', 't', 'marketing', 'api', now() - make_interval(mins => n * 11),
               (array['sent', 'sent', 'failed', null])[1 + n % 4], case when n % 8 = 2 then 'bounced' end, case when n % 8 = 2 then 'hard' end,
               (array['a.example', 'b.example', null])[1 + n % 3], (array['gmail.com', 'to.example', null])[1 + n % 5 % 3], n % 7 = 0, n::text
        from generate_series(${from}::integer, ${to}::integer) n on conflict do nothing`,
  );

test('the counts by sending domain and receiver follow every change of a mail, before and after they are summed up', async () => {
  const [one, other] = [await bareProject(em), await bareProject(em)];
  await write(one, 1, 90);
  await write(other, 1, 30);
  await expectExact();
  const changes = [
    sql`update sends set status = 'sent' where status is null and project_id = ${one.id}`,
    sql`update sends set delivery_status = 'delivered', was_delayed = n % 2 = 0 or null
        from (select id, row_number() over (order by id) as n from sends) k where k.id = sends.id and status = 'sent'`,
    sql`update sends set delivery_status = 'bounced', bounce_kind = (array['hard', 'soft', null])[1 + n % 3]
        from (select id, row_number() over (order by id) as n from sends) k where k.id = sends.id and status = 'sent' and n % 4 = 1`,
    sql`update sends set delivery_status = 'complained' where status = 'sent' and bounce_kind = 'soft'`,
    sql`update sends set receiver = null where receiver = 'to.example'`,
    sql`update sends set first_opened_at = now(), sandboxed = to_email like '1%' where status = 'sent'`,
    sql`delete from sends where project_id = ${one.id} and created_at < now() - interval '8 hours'`,
  ];
  for (const [index, change] of changes.entries()) {
    await row(em, change);
    await expectExact();
    if (index % 2 === 0) await sumUpReputation(em);
    await expectExact();
  }
  await Promise.all([sumUpReputation(em), sumUpReputation(orm.em.fork())]);
  await expectExact();
  expect(await rows(em, sql`select 1 from reputation_count_changes`)).toEqual([]);
});

test('beyond the largest all are counted together, and those of nobody with them', async () => {
  const project = await bareProject(em);
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const times = { begins: [new Date(now - HOUR_MS)], end: new Date(now + HOUR_MS) };
  for (const [receiver, mails] of [
    ['gmail.com', 3],
    ['one.example', 2],
    ['two.example', 1],
    [null, 4],
  ] as const)
    for (let n = 0; n < mails; n++) await bareSend(em, project, { from_domain: 'a.example', receiver, created_at: new Date() });
  const nothing = { rejected: 0, delivered: 0, deferred: 0, hard_bounced: 0, soft_bounced: 0, complained: 0 };
  const by = { ...times, by: 'receiver' } as const;
  expect(await countReputation(em, project.id, { ...by, most: 2 })).toEqual([
    { group: 'gmail.com', groups: 1, sent: 3, ...nothing },
    { group: 'one.example', groups: 1, sent: 2, ...nothing },
    { group: null, groups: 2, sent: 5, ...nothing },
  ]);
  expect(await countReputation(em, project.id, { ...times, by: 'domain', most: 5 })).toEqual([
    { group: 'a.example', groups: 1, sent: 10, ...nothing },
  ]);
  expect(await countReputation(em, (await bareProject(em)).id, { ...by, most: 2 })).toEqual([]);
});

test('of who is erased the domain goes from the counts too, but not a receiver that many have', async () => {
  const project = await bareProject(em);
  const sent = { from_domain: 'a.example', status: 'sent' } as const;
  const mails = [
    await bareSend(em, project, { ...sent, receiver: 'gmail.com' }),
    await bareSend(em, project, { ...sent, receiver: 'her-own.example' }),
  ];
  await sumUpReputation(em);
  for (const { contact_id, to_email } of mails)
    await eraseTraces(
      em,
      { id: contact_id!, project_id: project.id, contact_id: contact_id!, email: to_email, begun_at: new Date() } as never,
      project.id,
    );
  const receivers = await rows(em, sql`select receiver from sends where project_id = ${project.id} order by receiver`);
  expect(receivers).toEqual([{ receiver: 'gmail.com' }, { receiver: null }]);
  await expectExact();
  await sumUpReputation(em);
  await expectExact();
});
