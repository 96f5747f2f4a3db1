import { Migration } from '@mikro-orm/migrations';

/** Sequences that people enter as they become members of a segment: who is a member by what is known, and whose contact is to be looked at again. */
export class Migration0067SegmentTriggers extends Migration {
  override up(): void {
    this.addSql(`
      create table segment_triggers (
        id uuid not null default uuid_v7(),
        project_id uuid not null,
        sequence_id uuid not null,
        label text not null,
        look_at timestamptz(3),
        look_began_at timestamptz(3),
        looked_to_at timestamptz(3),
        looked_to uuid,
        ended_at timestamptz(3),
        constraint segment_triggers_pkey primary key (id),
        constraint segment_triggers_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade
      );
      create unique index segment_triggers_open_key on segment_triggers (project_id, sequence_id, label) where ended_at is null;
      create index segment_triggers_sequence_idx on segment_triggers (sequence_id);
      create index segment_triggers_look_idx on segment_triggers (look_at) where look_at is not null;
      create index segment_triggers_ended_idx on segment_triggers (ended_at) where ended_at is not null;

      -- Without a key to contacts: a million members are written at once, and must wait for nobody who has locked a contact.
      create table segment_trigger_members (
        trigger_id uuid not null,
        contact_id uuid not null,
        constraint segment_trigger_members_pkey primary key (trigger_id, contact_id),
        constraint segment_trigger_members_trigger_id_fkey foreign key (trigger_id) references segment_triggers (id) on delete cascade
      );

      -- Rows are only added, one for each change, so that no change waits for another or for who works them off.
      create table membership_checks (
        id bigserial,
        project_id uuid not null,
        contact_id uuid not null,
        sandboxed boolean not null,
        constraint membership_checks_pkey primary key (id)
      );
      create index membership_checks_project_idx on membership_checks (project_id, id);
      create index membership_checks_contact_idx on membership_checks (contact_id);
    `);
  }
}
