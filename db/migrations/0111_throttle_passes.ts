import { Migration } from '@mikro-orm/migrations';

/** When runs of a contact pass a throttle; an instant that is to come belongs to a run that waits for it. */
export class Migration0111ThrottlePasses extends Migration {
  override up(): void {
    this.addSql(`
      create table throttle_passes (
        enrollment_id uuid not null,
        step integer not null,
        project_id uuid not null,
        contact_id uuid not null,
        sequence_id uuid not null,
        node_id text not null,
        sandboxed boolean not null,
        at timestamptz(3) not null,
        constraint throttle_passes_pkey primary key (enrollment_id, step),
        constraint throttle_passes_contact_fkey foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade,
        constraint throttle_passes_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade
      );
      create index throttle_passes_contact_idx on throttle_passes (contact_id, sequence_id, node_id, at desc);
      create index throttle_passes_sequence_idx on throttle_passes (sequence_id);
      create index throttle_passes_age_idx on throttle_passes (at);
    `);
  }
}
