import { Migration } from '@mikro-orm/migrations';

/**
 * What Home tells of a project at any size: mails that could not be rendered and runs that failed by index, few among many, and how its
 * contacts grow, by hour. Each statement may run again; the long ones hold up nobody.
 */
export class Migration0071Home extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create table if not exists contact_growth (
        project_id uuid not null,
        -- In which it happened to the contacts.
        hour timestamptz(3) not null,
        ${columns},
        constraint contact_growth_pkey primary key (project_id, hour)
      )`);
    // Rows are only added, so that no two writers wait for each other; now and then they are added to contact_growth.
    this.addSql(`
      create table if not exists contact_growth_changes (
        id bigserial,
        project_id uuid not null,
        hour timestamptz(3) not null,
        ${columns},
        constraint contact_growth_changes_pkey primary key (project_id, hour, id)
      )`);
    // The triggers of migration 0004 count this, too: a statement that changes contacts has no others for it.
    this.addSql(`
      create or replace function count_added_contacts() returns trigger language plpgsql as $$
      begin
        insert into contact_counts (project_id, status, delta) select project_id, status, count(*) from added group by project_id, status;
        insert into contact_growth_changes (project_id, hour, ${names})
        select project_id, date_trunc('hour', created_at, 'UTC'), count(*), 0, 0, 0, 0 from added group by 1, 2;
        return null;
      end $$`);
    this.addSql(`
      create or replace function count_removed_contacts() returns trigger language plpgsql as $$
      begin
        insert into contact_counts (project_id, status, delta) select project_id, status, -count(*) from removed group by project_id, status;
        insert into contact_growth_changes (project_id, hour, ${names})
        select project_id, date_trunc('hour', now(), 'UTC'), 0, 0, 0, 0, count(*) from removed group by 1, 2;
        return null;
      end $$`);
    this.addSql(`
      create or replace function count_moved_contacts() returns trigger language plpgsql as $$
      begin
        insert into contact_counts (project_id, status, delta)
        select project_id, status, sum(change) from (
          select project_id, status, 1 as change from added union all select project_id, status, -1 from removed) moved
        group by project_id, status having sum(change) <> 0;
        insert into contact_growth_changes (project_id, hour, ${names})
        select project_id, date_trunc('hour', now(), 'UTC'), 0, ${moves}, 0 from (
          select project_id, r.status as from_status, a.status as to_status from removed r join added a using (id, project_id)) moved
        where ${isMove} group by 1, 2;
        return null;
      end $$`);
    this.addSql('set lock_timeout = 0');
    // What happened before. Of contacts that were erased by then nothing is known any more.
    this.addSql(`
      insert into contact_growth as c (project_id, hour, ${names})
      select project_id, hour, ${each((name) => `greatest(sum(${name}), 0)`)} from (
        select project_id, date_trunc('hour', created_at, 'UTC') as hour, count(*) as made, 0 as unsubscribed, 0 as bounced, 0 as resubscribed, 0 as erased
        from contacts group by 1, 2
        union all
        select project_id, date_trunc('hour', at, 'UTC'), 0, ${moves}, 0 from consent_changes where ${isMove} group by 1, 2
        union all select project_id, hour, ${each((name) => `-${name}`)} from contact_growth
        union all select project_id, hour, ${each((name) => `-${name}`)} from contact_growth_changes) missing
      group by project_id, hour having (${each((name) => `greatest(sum(${name}), 0)`)}) <> (0, 0, 0, 0, 0)
      on conflict (project_id, hour) do update set ${each((name) => `${name} = c.${name} + excluded.${name}`)}`);

    this.addSql('drop index concurrently if exists sends_unrendered_idx');
    this.addSql(`
      create index concurrently sends_unrendered_idx on sends (project_id, created_at desc)
      where status = 'failed' and error like 'render_failed%'`);
    this.addSql('drop index concurrently if exists enrollments_failed_ends_idx');
    this.addSql(`
      create index concurrently enrollments_failed_ends_idx on enrollments (project_id, ended_at desc) where end_reason = 'failed'`);
    this.addSql('reset lock_timeout');
  }
}

const COUNTERS = ['made', 'unsubscribed', 'bounced', 'resubscribed', 'erased'] as const;

function each(write: (name: string) => string): string {
  return COUNTERS.map(write).join(', ');
}

const names = each((name) => name);
const columns = each((name) => `${name} bigint not null`);

/** Who has unsubscribed or bounced is lost once, whichever of the two follows. */
const GONE = `('unsubscribed', 'bounced')`;
const isMove = `(from_status in ${GONE}) <> (to_status in ${GONE})`;
const moves = `count(*) filter (where to_status = 'unsubscribed'), count(*) filter (where to_status = 'bounced'),
  count(*) filter (where from_status in ${GONE})`;
