import { Migration } from '@mikro-orm/migrations';

/** Many runs are moved, cancelled, resumed or retried by one call, which a workflow carries out. */
export class Migration0105EnrollmentActions extends Migration {
  override up(): void {
    this.addSql(`
      -- The last step that a move left: no mail of it or of one before it may go any more.
      alter table enrollments add column moved_step integer;
      -- When it began again after it had failed.
      alter table enrollments add column retried_at timestamptz(3);

      create table enrollment_actions (
        id uuid not null,
        project_id uuid not null,
        sequence_id uuid not null,
        action text not null,
        status text not null default 'running',
        -- Which runs it is about, as it was asked.
        filter jsonb not null,
        -- Of a move: where to, and in which version of the graph.
        to_node text,
        -- Of a migration: by the node at which a run stands where it goes on, or null where it ends.
        migrate jsonb,
        to_version integer,
        -- Which key asked for it.
        key_id uuid,
        -- How many runs matched when it was asked for, with how many it was done, and how many were as they should be no more.
        total integer not null,
        done integer not null default 0,
        skipped integer not null default 0,
        -- The last run that was looked at.
        after_id uuid,
        created_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        constraint enrollment_actions_pkey primary key (id),
        constraint enrollment_actions_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint enrollment_actions_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade,
        constraint enrollment_actions_action_check check (action in ('move', 'cancel', 'resume', 'retry', 'migrate')),
        constraint enrollment_actions_status_check check (status in ('running', 'completed', 'cancelled'))
      );
      create index enrollment_actions_sequence_idx on enrollment_actions (sequence_id, created_at desc, id desc);
      create index enrollment_actions_project_idx on enrollment_actions (project_id);
      create index enrollment_actions_open_idx on enrollment_actions (id) where status = 'running';

      -- The runs that an action has before it.
      create table enrollment_action_runs (
        action_id uuid not null,
        enrollment_id uuid not null,
        constraint enrollment_action_runs_pkey primary key (action_id, enrollment_id),
        constraint enrollment_action_runs_action_id_fkey foreign key (action_id) references enrollment_actions (id) on delete cascade
      );
    `);
  }
}
