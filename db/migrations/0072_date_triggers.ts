import { Migration } from '@mikro-orm/migrations';

/** Sequences that contacts enter by a date among their attributes: who is due soon, and for which dates somebody has entered. */
export class Migration0072DateTriggers extends Migration {
  override up(): void {
    this.addSql(`
      create table date_triggers (
        id uuid not null default uuid_v7(),
        project_id uuid not null,
        sequence_id uuid not null,
        name text not null,
        rule jsonb not null,
        since timestamptz(3) not null,
        look_at timestamptz(3),
        look_began_at timestamptz(3),
        looked_to_at timestamptz(3),
        looked_to uuid,
        ended_at timestamptz(3),
        constraint date_triggers_pkey primary key (id),
        constraint date_triggers_name_key unique (sequence_id, name),
        constraint date_triggers_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade
      );
      create index date_triggers_look_idx on date_triggers (look_at) where look_at is not null;

      -- Without a key to contacts: a look must wait for nobody who has locked one.
      create table date_entries (
        trigger_id uuid not null,
        contact_id uuid not null,
        date text not null,
        due_at timestamptz(3) not null,
        settled_at timestamptz(3),
        constraint date_entries_pkey primary key (trigger_id, contact_id, date),
        constraint date_entries_trigger_id_fkey foreign key (trigger_id) references date_triggers (id) on delete cascade
      );
      create index date_entries_due_idx on date_entries (trigger_id, due_at) where settled_at is null;
      create index date_entries_contact_idx on date_entries (contact_id);
      create index date_entries_expiry_idx on date_entries (due_at);
    `);
  }
}
