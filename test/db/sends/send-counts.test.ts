import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { migrateUp } from '../../../bin/migrate.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { countSends, sumUpSendCounts } from '../../../db/queries/sends/send-stats.ts';
import { row, rows } from '../../../db/rows.ts';
import { earlierDatabase, PROJECT } from '../../support/earlier-database.ts';
import { eventually } from '../../support/eventually.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

const HOUR_MS = 3_600_000;

let orm: MikroORM;
let em: EntityManager;
beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
});

/** What the log says, by hour. */
const counted = () =>
  rows(
    em,
    sql`select project_id, date_trunc('hour', created_at, 'UTC') as hour, count(*) filter (where status = 'sent') as sent,
          count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'sent' and delivery_status is null) as unreported,
          count(*) filter (where delivery_status = 'queued') as queued, count(*) filter (where delivery_status = 'delivered') as delivered,
          count(*) filter (where delivery_status = 'bounced') as bounced, count(*) filter (where delivery_status = 'complained') as complained,
          count(first_opened_at) as opened, count(first_clicked_at) as clicked
        from sends where status is not null group by 1, 2 order by 1, 2`,
  );

/** What is kept, beside rows that have come to nothing. */
const kept = () =>
  rows(
    em,
    sql`select project_id, hour, ${SUMS} from (
          select project_id, hour, ${NAMES} from send_counts union all select project_id, hour, ${NAMES} from send_count_changes) k
        group by 1, 2 having (${SUMS_ONLY}) <> (0, 0, 0, 0, 0, 0, 0, 0, 0) order by 1, 2`,
  );

const COUNTERS = ['sent', 'failed', 'unreported', 'queued', 'delivered', 'bounced', 'complained', 'opened', 'clicked'];
const NAMES = sql.join(COUNTERS.map((name) => sql.ref(name)));
const SUMS_ONLY = sql.join(COUNTERS.map((name) => sql`sum(${sql.ref(name)})`));
const SUMS = sql.join(COUNTERS.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`));

async function expectExact(): Promise<void> {
  const exact = await counted();
  expect(exact.length).toBeGreaterThan(0);
  expect(await kept()).toEqual(exact);
}

/** So many mails of ten hours, some of them intents still. */
const write = (project: { id: string; slug: string }, from: number, to: number, on = em) =>
  row(
    on,
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, created_at, status, delivery_status, first_opened_at, idempotency_key)
        select gen_random_uuid(), ${project.id}, ${project.slug}, n || '@to.example', 't', 'marketing', 'api',
               now() - make_interval(mins => n * 11), (array['sent', 'sent', 'failed', null])[1 + n % 4],
               case when n % 8 = 0 then 'queued' end, case when n % 8 = 1 then now() end, n::text
        from generate_series(${from}::integer, ${to}::integer) n on conflict do nothing`,
  );

test('the kept numbers of mails follow every change, before and after they are summed up', async () => {
  const [one, other] = [await bareProject(em), await bareProject(em)];
  await write(one, 1, 60);
  await write(other, 1, 20);
  await expectExact();
  const changes = [
    sql`update sends set status = 'sent' where status is null and project_id = ${one.id}`,
    sql`update sends set delivery_status = case when random() < 0.5 then 'delivered' else 'bounced' end where status = 'sent'`,
    sql`update sends set first_opened_at = now(), first_clicked_at = now() where delivery_status = 'delivered'`,
    // An erasure: what is counted stays.
    sql`update sends set to_email = '', contact_id = null where project_id = ${other.id}`,
    sql`update sends set created_at = created_at - interval '1 hour' where status = 'failed'`,
    sql`delete from sends where project_id = ${one.id} and created_at < now() - interval '3 hours'`,
  ];
  for (const [index, change] of changes.entries()) {
    await row(em, change);
    await expectExact();
    if (index % 2 === 0) await sumUpSendCounts(em);
    await expectExact();
  }
  // Those that are there already are not counted again.
  await write(one, 1, 70);
  await expectExact();
  await Promise.all([sumUpSendCounts(em), sumUpSendCounts(orm.em.fork())]);
  await expectExact();
  expect(await rows(em, sql`select 1 from send_count_changes`)).toEqual([]);
});

test('what becomes of a mail counts for the hour in which it was sent, and for its project only', async () => {
  const [project, other] = [await bareProject(em), await bareProject(em)];
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const at = new Date(now - 5 * HOUR_MS);
  const { id } = await bareSend(em, project, { created_at: at });
  await row(em, sql`update sends set delivery_status = 'delivered', first_opened_at = now() where id = ${id}`);
  const begins = Array.from({ length: 24 }, (_, index) => new Date(now - (23 - index) * HOUR_MS));
  const period = { begins, end: new Date(now + HOUR_MS) };
  const hours = await countSends(em, project.id, period);
  expect(hours).toHaveLength(24);
  expect(hours.filter(({ sent, opened }) => sent + opened > 0)).toEqual([
    { from: at, sent: 1, failed: 0, delivered: 1, bounced: 0, complained: 0, opened: 1, clicked: 0 },
  ]);
  expect((await countSends(em, other.id, period)).some(({ sent }) => sent > 0)).toBe(false);
});

test('senders of one project wait neither for each other nor for the summing up, and nothing is lost between them', async () => {
  const project = await bareProject(em);
  const others = orm.em.fork();
  await write(project, 1, 5);
  await orm.em.fork().transactional(async (tx) => {
    await write(project, 6, 10, tx);
    await others.transactional(async (second) => {
      await row(second, sql`set local lock_timeout = '2s'`);
      await write(project, 11, 15, second);
    });
    await sumUpSendCounts(others);
    await expectExact();
  });
  await expectExact();
  await sumUpSendCounts(em);
  await expectExact();
});

test('mails that come while migrations run are written at once and counted exactly', async () => {
  const database = await earlierDatabase('0027_finished_passes');
  try {
    const [holder, writer] = [await database.connect(), await database.connect()];
    const send = `insert into sends (id, project_id, brand_id, to_email, template, type, source_type, status)
      values (gen_random_uuid(), '${PROJECT}', 'p', 'a@to.example', 't', 'marketing', 'api', 'sent')`;
    await writer.query(send);
    await holder.query('begin');
    await holder.query(send);
    const migrating = migrateUp(database.url, { tableLockMs: 300 });
    await eventually(async () => {
      const waits = `select 1 from pg_stat_activity where application_name = 'everpost-migrate' and wait_event_type = 'Lock' and datname = current_database()`;
      return (await writer.query(waits)).rowCount === 1;
    });
    await writer.query(`set lock_timeout = '5s'`);
    await writer.query(send);
    await holder.query('commit');
    expect(await migrating).toContain('0028_send_counts');
    await writer.query(send);
    const total = async () =>
      Number(
        (await writer.query('select sum(sent) as sum from (select sent from send_counts union all select sent from send_count_changes) s'))
          .rows[0].sum,
      );
    expect(await total()).toBe(4);
    // As if it had been cut off at its end.
    await writer.query(`delete from migrations where name = '0028_send_counts'; drop index sends_returned_idx`);
    expect(await migrateUp(database.url)).toEqual(['0028_send_counts']);
    expect(await total()).toBe(4);
    const invalid = await writer.query('select indexrelid::regclass from pg_index where not indisvalid');
    expect(invalid.rows).toEqual([]);
  } finally {
    await database.close();
  }
});
