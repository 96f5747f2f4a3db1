import { Migration } from '@mikro-orm/migrations';

/**
 * Suppressions by pages and by text, and the types of product events that a project has. Built beside the writers; each statement may run
 * again.
 */
export class Migration0029Lists extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create table if not exists event_types (
        project_id uuid not null,
        -- Of the type, which may be longer than an index takes.
        type_hash bytea not null,
        type text not null,
        last_seen_at timestamptz(3) not null,
        constraint event_types_pkey primary key (project_id, type_hash),
        constraint event_types_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      )`);
    this.addSql('create index if not exists event_types_seen_idx on event_types (last_seen_at)');
    this.addSql('set lock_timeout = 0');
    this.addSql(`
      insert into event_types (project_id, type_hash, type, last_seen_at)
      select project_id, sha256(convert_to(type, 'UTF8')), type, last_seen_at from (
        select project_id, type, last_seen_at, row_number() over (partition by project_id order by last_seen_at desc) as place from (
          select project_id, type, max(created_at) as last_seen_at from events group by project_id, type) seen) placed
      where place <= 1000
      on conflict do nothing`);
    // In the order of pages, of all and of each reason. An address has its place among those of one instant by a hash: cursors do not tell it.
    this.#index('suppressions_page_idx', 'suppressions (project_id, created_at desc, md5(email) desc)');
    this.#index('suppressions_reason_idx', 'suppressions (project_id, reason, created_at desc, md5(email) desc)');
    this.#index('suppressions_text_idx', 'suppressions using gin (project_id, searchable(email) gin_trgm_ops)');
    this.addSql('reset lock_timeout');
  }

  #index(name: string, on: string): void {
    this.addSql(`drop index concurrently if exists ${name}`);
    this.addSql(`create index concurrently ${name} on ${on}`);
  }
}
