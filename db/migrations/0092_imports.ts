import { Migration } from '@mikro-orm/migrations';

/** Files of contacts, which a workflow reads, and the rows of them that were refused. */
export class Migration0092Imports extends Migration {
  override up(): void {
    this.addSql(`
      create table imports (
        id uuid not null,
        project_id uuid not null,
        key_id uuid,
        status text not null default 'receiving',
        filename text not null,
        size bigint not null,
        settings jsonb not null,
        dry_run boolean not null,
        has_file boolean not null default true,
        -- Bytes of the file that are done: in one transaction with what they came to.
        read_to bigint not null,
        rows integer not null default 0,
        inserted integer not null default 0,
        updated integer not null default 0,
        unchanged integer not null default 0,
        refused integer not null default 0,
        reasons jsonb not null default '{}',
        problems jsonb not null default '[]',
        error text,
        created_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        constraint imports_pkey primary key (id),
        constraint imports_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint imports_status_check check (status in ('receiving', 'running', 'paused', 'completed', 'cancelled', 'failed'))
      );
      create index imports_page_idx on imports (project_id, created_at desc, id desc);
      create index imports_open_idx on imports (id) where status in ('running', 'paused');
      create index imports_file_idx on imports (created_at) where has_file;
      create table import_refusals (
        import_id uuid not null,
        row integer not null,
        reason text not null,
        message text not null,
        email text,
        cells text[] not null,
        at timestamptz(3) not null default now(),
        constraint import_refusals_pkey primary key (import_id, row),
        constraint import_refusals_import_id_fkey foreign key (import_id) references imports (id) on delete cascade
      );
      create index import_refusals_at_idx on import_refusals (at);
      create index import_refusals_email_idx on import_refusals (email) where email is not null;
    `);
  }
}
