import { Migration } from '@mikro-orm/migrations';

/** All members of a segment are enrolled by one call, which a workflow carries out. */
export class Migration0068BulkEnrollments extends Migration {
  override up(): void {
    this.addSql(`
      create table bulk_enrollments (
        id uuid not null,
        project_id uuid not null,
        sequence_id uuid not null,
        status text not null default 'running',
        -- The segment as it was when it was asked for.
        label text not null,
        filter jsonb not null,
        brand_id text,
        -- How many were in it then, how many were enrolled, and why the others were not.
        total integer not null,
        enrolled integer not null default 0,
        skipped jsonb not null default '{}',
        -- The last contact that was looked at, in order of creation.
        after_created_at timestamptz(3),
        after_id uuid,
        created_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        constraint bulk_enrollments_pkey primary key (id),
        constraint bulk_enrollments_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint bulk_enrollments_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade,
        constraint bulk_enrollments_status_check check (status in ('running', 'completed', 'cancelled'))
      );
      create index bulk_enrollments_sequence_idx on bulk_enrollments (sequence_id, created_at desc, id desc);
      create index bulk_enrollments_project_idx on bulk_enrollments (project_id);
      create index bulk_enrollments_open_idx on bulk_enrollments (id) where status = 'running';
      -- One at a time.
      create unique index bulk_enrollments_running_key on bulk_enrollments (sequence_id) where status = 'running';
    `);
  }
}
