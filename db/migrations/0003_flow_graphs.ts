import { Migration } from '@mikro-orm/migrations';

/** Subflows, contact-dependent waits and the hop guard of flow graphs. */
export class Migration0003FlowGraphs extends Migration {
  override up(): void {
    this.addSql(`
      alter table enrollments
        -- The enrollment whose subflow node waits for this one, and which of its steps.
        add parent_id uuid,
        add parent_step integer,
        -- How many subflows deep.
        add depth smallint not null default 0,
        -- Whether a change of the contact may move it on: it waits for a condition, or its goal has one.
        add watches_contact boolean not null default false,
        -- Nodes visited since the last wait.
        add hops integer not null default 0,
        add constraint enrollments_parent_id_fkey foreign key (parent_id) references enrollments (id) on delete set null;
      -- Counting contacts reads the index alone as long as the table was vacuumed after a bulk insert.
      alter table contacts set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

      create index enrollments_watching_idx on enrollments (contact_id) where status = 'active' and watches_contact;
      create index enrollments_contact_active_idx on enrollments (contact_id) where status = 'active';
      create index enrollments_event_idx on enrollments (event_id) where event_id is not null;
      create index enrollments_parent_idx on enrollments (parent_id) where parent_id is not null;
      create index enrollments_project_idx on enrollments (project_id, sequence_id, status);
      create index enrollments_held_idx on enrollments (project_id) where status = 'active' and waiting_for like 'held:%';
    `);
  }
}
