import { Migration } from '@mikro-orm/migrations';

/** Sequences whose runs end in batches, and an outbox that is leased fairly among projects. */
export class Migration0008BulkChanges extends Migration {
  override up(): void {
    this.addSql(`
      alter table sequences
        -- When it was archived last: runs that started until then are over, whatever it became afterwards.
        add column archived_at timestamptz(3),
        -- Gone for every caller; the row goes when the last of its enrollments has gone.
        add column deleted_at timestamptz(3),
        -- Whether some of its runs may still have to be ended, or its rows to be deleted.
        add column is_ending boolean not null default false;
      -- The key of a deleted sequence is free at once.
      alter table sequences drop constraint sequences_key_key;
      create unique index sequences_key_key on sequences (project_id, key) where deleted_at is null;
      create index sequences_ending_idx on sequences (archived_at) where is_ending;

      -- Whether it began in bulk: what it starts itself then is bulk too.
      alter table enrollments add column is_bulk boolean not null default false;

      -- Rows that the version before writes belong to no project.
      alter table outbox add column project_id uuid not null default '00000000-0000-0000-0000-000000000000';
      create index outbox_fair_idx on outbox (priority, project_id, due_at, id);
      drop index outbox_due_idx;
    `);
  }
}
