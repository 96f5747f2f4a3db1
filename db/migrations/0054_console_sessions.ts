import { Migration } from '@mikro-orm/migrations';

/** Sessions of the console, each of a key, in place of which it is shown. A session is known by a hash alone, as a key is. */
export class Migration0054ConsoleSessions extends Migration {
  override up(): void {
    this.addSql(`
      create table console_sessions (
        id uuid not null,
        key_id uuid not null,
        hash bytea not null,
        user_agent text,
        created_at timestamptz(3) not null,
        last_used_at timestamptz(3) not null,
        constraint console_sessions_pkey primary key (id),
        constraint console_sessions_hash_key unique (hash),
        constraint console_sessions_key_id_fkey foreign key (key_id) references api_keys (id) on delete cascade
      )`);
    this.addSql('create index console_sessions_key_idx on console_sessions (key_id, last_used_at)');
    this.addSql('create index console_sessions_created_at_idx on console_sessions (created_at)');
  }
}
