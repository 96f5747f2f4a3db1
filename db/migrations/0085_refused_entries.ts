import { Migration } from '@mikro-orm/migrations';

/** What was refused since its contact had unsubscribed: events, and enrollments. For the timeline of the contact. */
export class Migration0085RefusedEntries extends Migration {
  override up(): void {
    this.addSql(`
      create table refused_entries (
        id uuid not null,
        project_id uuid not null,
        contact_id uuid not null,
        -- Of the event, or which sequence: one of the two.
        event_type text,
        sequence_id uuid,
        created_at timestamptz(3) not null default now(),
        constraint refused_entries_pkey primary key (id),
        constraint refused_entries_contact_fkey foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade,
        constraint refused_entries_what_check check (num_nonnulls(event_type, sequence_id) = 1)
      );
      create index refused_entries_contact_idx on refused_entries (contact_id, created_at desc);
    `);
  }
}
