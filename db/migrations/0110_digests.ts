import { Migration } from '@mikro-orm/migrations';

/** What has gathered at a visit to a digest, and events that came while no digest of their run was open. */
export class Migration0110Digests extends Migration {
  override up(): void {
    this.addSql(`
      create table digests (
        enrollment_id uuid not null,
        step integer not null,
        -- What its events have in common; null: nothing that tells them from others.
        key text,
        count integer not null,
        -- The latest of them, oldest first.
        event_ids uuid[] not null,
        constraint digests_pkey primary key (enrollment_id, step),
        -- With the trace it goes. The digest may be opened before its visit is written.
        constraint digests_step_fkey foreign key (enrollment_id, step) references enrollment_steps (enrollment_id, step)
          on delete cascade deferrable initially deferred
      ) with (fillfactor = 50);

      create table kept_events (
        -- The run that was under way.
        enrollment_id uuid not null,
        -- The order in which they came.
        place integer not null,
        event_id uuid not null,
        constraint kept_events_pkey primary key (enrollment_id, place),
        constraint kept_events_enrollment_id_fkey foreign key (enrollment_id) references enrollments (id) on delete cascade,
        constraint kept_events_event_id_fkey foreign key (event_id) references events (id) on delete cascade
      );
      create index kept_events_event_idx on kept_events (event_id);
    `);
  }
}
