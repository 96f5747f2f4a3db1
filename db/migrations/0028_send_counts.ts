import { Migration } from '@mikro-orm/migrations';

/**
 * Exact numbers of mails by project and hour without counting them, and mails that failed or came back found by index. Each statement stands
 * alone and may run again; the long ones hold up nobody.
 */
export class Migration0028SendCounts extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create table if not exists send_counts (
        project_id uuid not null,
        -- In which the mails were sent, whenever something became of them.
        hour timestamptz(3) not null,
        ${columns},
        constraint send_counts_pkey primary key (project_id, hour)
      )`);
    // Rows are only added, so that no two writers wait for each other; now and then they are added to send_counts.
    this.addSql(`
      create table if not exists send_count_changes (
        id bigserial,
        project_id uuid not null,
        hour timestamptz(3) not null,
        ${columns},
        constraint send_count_changes_pkey primary key (project_id, hour, id)
      )`);
    this.addSql(counting('count_added_sends', rowsOf('added', 1)));
    this.addSql(counting('count_removed_sends', rowsOf('removed', -1)));
    this.addSql(counting('count_moved_sends', `${rowsOf('added', 1)} union all ${rowsOf('removed', -1)}`));
    this.addSql(`
      create or replace trigger sends_added after insert on sends referencing new table as added
        for each statement execute function count_added_sends()`);
    this.addSql(`
      create or replace trigger sends_removed after delete on sends referencing old table as removed
        for each statement execute function count_removed_sends()`);
    this.addSql(`
      create or replace trigger sends_moved after update on sends referencing old table as removed new table as added
        for each statement execute function count_moved_sends()`);

    this.addSql('set lock_timeout = 0');
    // What the triggers have not counted: one statement sees sends and counts at one instant, so it needs no lock.
    this.addSql(`
      insert into send_counts as c (project_id, hour, ${names})
      select project_id, hour, ${each((name) => `sum(${name})`)} from (
        select project_id, date_trunc('hour', created_at, 'UTC') as hour, ${each((name, of) => `count(*) filter (where ${of}) as ${name}`)}
        from sends where status is not null group by 1, 2
        union all select project_id, hour, ${each((name) => `-${name}`)} from send_counts
        union all select project_id, hour, ${each((name) => `-${name}`)} from send_count_changes) missing
      group by project_id, hour having (${each((name) => `sum(${name})`)}) <> (${each(() => '0')})
      on conflict (project_id, hour) do update set ${each((name) => `${name} = c.${name} + excluded.${name}`)}`);

    // What few mails are is found by index; of mails that went well these have no entry.
    this.addSql('drop index concurrently if exists sends_failed_idx');
    this.addSql(`create index concurrently sends_failed_idx on sends (project_id, created_at desc, id desc) where status = 'failed'`);
    this.addSql('drop index concurrently if exists sends_returned_idx');
    this.addSql(`
      create index concurrently sends_returned_idx on sends (project_id, delivery_status, created_at desc, id desc)
      where delivery_status in ('bounced', 'complained') and status is not null`);
    this.addSql('reset lock_timeout');
  }
}

/** Each with what must hold of a mail that has its outcome. */
const COUNTERS = {
  sent: `status = 'sent'`,
  failed: `status = 'failed'`,
  unreported: `status = 'sent' and delivery_status is null`,
  queued: `delivery_status = 'queued'`,
  delivered: `delivery_status = 'delivered'`,
  bounced: `delivery_status = 'bounced'`,
  complained: `delivery_status = 'complained'`,
  opened: 'first_opened_at is not null',
  clicked: 'first_clicked_at is not null',
};

function each(write: (name: string, holds: string) => string): string {
  return Object.entries(COUNTERS)
    .map(([name, holds]) => write(name, holds))
    .join(', ');
}

const names = each((name) => name);
const columns = each((name) => `${name} bigint not null`);

/** The rows of a transition table that count, once or once less. */
function rowsOf(table: string, change: 1 | -1): string {
  return `
    select project_id, created_at, status, delivery_status, first_opened_at, first_clicked_at, ${change} as change
    from ${table} where status is not null`;
}

function counting(name: string, changed: string): string {
  const sums = each((_, holds) => `coalesce(sum(change) filter (where ${holds}), 0)`);
  return `
    create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      insert into send_count_changes (project_id, hour, ${names})
      select project_id, date_trunc('hour', created_at, 'UTC') as hour, ${sums} from (${changed}) changed
      group by project_id, hour having (${sums}) <> (${each(() => '0')});
      return null;
    end $$`;
}
