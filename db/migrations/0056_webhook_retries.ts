import { Migration } from '@mikro-orm/migrations';

/** All that an endpoint was refused for good is begun again by one call, which a workflow carries out. */
export class Migration0056WebhookRetries extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_retries (
        id uuid not null,
        project_id uuid not null,
        endpoint_id uuid not null,
        status text not null default 'running',
        -- Of which deliveries; null: whatever it is.
        event_type text,
        made_from timestamptz(3),
        made_to timestamptz(3),
        -- How many there were, and how many were begun again.
        total integer not null,
        retried integer not null default 0,
        -- The last delivery that was looked at, in order of creation.
        after_created_at timestamptz(3),
        after_place bigint,
        created_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        constraint webhook_retries_pkey primary key (id),
        constraint webhook_retries_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint webhook_retries_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints (id) on delete cascade,
        constraint webhook_retries_status_check check (status in ('running', 'completed', 'cancelled'))
      );
      create index webhook_retries_endpoint_idx on webhook_retries (endpoint_id, id);
      create index webhook_retries_project_idx on webhook_retries (project_id);
      -- One at a time.
      create unique index webhook_retries_running_key on webhook_retries (endpoint_id) where status = 'running';
    `);
  }
}
