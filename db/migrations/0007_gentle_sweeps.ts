import { Migration } from '@mikro-orm/migrations';

/**
 * One row for all hits of one link, indexes that stay good while old rows go, and pauses between looks at events that nobody knows. Each
 * statement stands alone and may run again, so that none holds a lock while another works.
 */
export class Migration0007GentleSweeps extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What waits here are builds of indexes, which stop nobody: they may wait for long transactions.
    this.addSql('set lock_timeout = 0');

    // Rows that the version before writes have no hash: they collide with nothing.
    this.addSql(
      'alter table send_hits add column if not exists link_hash bytea, add column if not exists count integer not null default 1',
    );
    this.addSql(`
      update send_hits h set link_hash = sha256(convert_to(coalesce(h.url, ''), 'UTF8'))
      from (select min(id) as id from send_hits group by send_id, kind, is_bot, url) one
      where h.id = one.id and h.link_hash is null`);
    this.#index('send_hits_link_key', 'send_hits (send_id, kind, is_bot, link_hash)', { unique: true });
    this.#index('send_hits_at_idx', 'send_hits (at)');

    // A block range holds rows of all ages as soon as the space of old ones is used again.
    this.#index('events_created_idx', 'events (created_at)');
    this.addSql('drop index concurrently if exists events_age_idx');
    this.#index('provider_events_received_idx', 'provider_events (received_at)');
    this.addSql('drop index concurrently if exists provider_events_age_idx');

    this.addSql('alter table provider_events add column if not exists look_at timestamptz(3) not null default now()');
    this.#index('provider_events_look_idx', 'provider_events (look_at) where applied_at is null');

    // The place of a trigger in its graph.
    this.addSql('alter table sequence_triggers add column if not exists place smallint not null default 0');
    this.addSql(`
      update sequence_triggers t set place = g.place
      from (
        select s.id, e.trigger #>> '{config,type}' as event_type, min(e.place) as place
        from sequences s join sequence_versions v on v.sequence_id = s.id and v.version = s.version,
             jsonb_array_elements(v.graph -> 'triggers') with ordinality as e(trigger, place)
        where (e.trigger ->> 'enabled')::boolean group by 1, 2) g
      where t.sequence_id = g.id and t.event_type = g.event_type`);

    // What the triggers of 0004 have not counted: one statement sees contacts and counts at one instant, so it needs no lock.
    this.addSql(`
      insert into contact_counts (project_id, status, delta)
      select project_id, status, sum(change) from (
        select project_id, status, count(*) as change from contacts group by project_id, status
        union all
        select project_id, status, -sum(delta) from contact_counts group by project_id, status) missing
      group by project_id, status having sum(change) <> 0`);

    this.addSql('reset lock_timeout');
  }

  /** Built while others write. One that an interrupted build has left is not valid and starts over. */
  #index(name: string, on: string, { unique = false } = {}): void {
    this.addSql(`drop index concurrently if exists ${name}`);
    this.addSql(`create ${unique ? 'unique ' : ''}index concurrently ${name} on ${on}`);
  }
}
