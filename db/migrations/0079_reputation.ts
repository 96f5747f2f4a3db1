import { Migration } from '@mikro-orm/migrations';

/**
 * What became of mails by sending domain and receiver, counted as they change. Of mails from before nobody knows the sender: none of them counts. Each
 * statement stands alone and may run again.
 */
export class Migration0079Reputation extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      alter table sends
        -- Of the address that it is from; null before this migration, and where no sender was found.
        add column if not exists from_domain text,
        -- Of the recipient: domain/sends/receiver-group.ts. null of who was erased, unless it has an entry there.
        add column if not exists receiver text,
        add column if not exists bounce_kind text,
        -- Reported as put off at least once, whatever came of it.
        add column if not exists was_delayed boolean`);
    this.addSql(`
      create table if not exists reputation_counts (
        project_id uuid not null,
        -- In which the mails were sent, whenever something became of them.
        hour timestamptz(3) not null,
        from_domain text not null,
        receiver text not null,
        ${columns},
        constraint reputation_counts_pkey primary key (project_id, hour, from_domain, receiver)
      )`);
    this.addSql('create index if not exists reputation_counts_hour_idx on reputation_counts (hour)');
    // Rows are only added, so that no two writers wait for each other; now and then they are added to reputation_counts.
    this.addSql(`
      create table if not exists reputation_count_changes (
        id bigserial,
        project_id uuid not null,
        hour timestamptz(3) not null,
        from_domain text not null,
        receiver text not null,
        ${columns},
        constraint reputation_count_changes_pkey primary key (project_id, hour, id)
      )`);
    this.addSql(counting('count_added_reputation', rowsOf('added', 1)));
    this.addSql(counting('count_removed_reputation', rowsOf('removed', -1)));
    this.addSql(counting('count_moved_reputation', `${rowsOf('added', 1)} union all ${rowsOf('removed', -1)}`));
    this.addSql(`
      create or replace trigger reputation_added after insert on sends referencing new table as added
        for each statement execute function count_added_reputation()`);
    this.addSql(`
      create or replace trigger reputation_removed after delete on sends referencing old table as removed
        for each statement execute function count_removed_reputation()`);
    this.addSql(`
      create or replace trigger reputation_moved after update on sends referencing old table as removed new table as added
        for each statement execute function count_moved_reputation()`);
  }
}

/** Each with what must hold of a mail that was sent, or refused because of its address. */
const COUNTERS = {
  sent: `status = 'sent'`,
  rejected: `status = 'failed'`,
  delivered: `delivery_status = 'delivered'`,
  deferred: 'was_delayed',
  hard_bounced: `delivery_status = 'bounced' and bounce_kind = 'hard'`,
  soft_bounced: `delivery_status = 'bounced' and bounce_kind is distinct from 'hard'`,
  complained: `delivery_status = 'complained'`,
};

function each(write: (name: string, holds: string) => string): string {
  return Object.entries(COUNTERS)
    .map(([name, holds]) => write(name, holds))
    .join(', ');
}

const names = each((name) => name);
const columns = each((name) => `${name} bigint not null`);

/** The rows of a transition table that count, once or once less. What never left is nobody's reputation. */
function rowsOf(table: string, change: 1 | -1): string {
  return `
    select project_id, created_at, from_domain, receiver, status, delivery_status, bounce_kind, was_delayed, ${change} as change
    from ${table} where from_domain is not null and not sandboxed and (status = 'sent' or status = 'failed' and delivery_status = 'bounced')`;
}

function counting(name: string, changed: string): string {
  const sums = each((_, holds) => `coalesce(sum(change) filter (where ${holds}), 0)`);
  return `
    create or replace function ${name}() returns trigger language plpgsql as $$
    begin
      insert into reputation_count_changes (project_id, hour, from_domain, receiver, ${names})
      select project_id, date_trunc('hour', created_at, 'UTC') as hour, from_domain, coalesce(receiver, ''), ${sums} from (${changed}) changed
      group by 1, 2, 3, 4 having (${sums}) <> (${each(() => '0')});
      return null;
    end $$`;
}
