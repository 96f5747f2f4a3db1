import { Migration } from '@mikro-orm/migrations';

/** Events are delivered: one delivery for each endpoint that wants the event. */
export class Migration0017WebhookDeliveries extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhook_endpoints
        -- Signs beside the present one until then, after a rotation with overlap.
        add column sealed_previous_secret bytea,
        add column previous_secret_until timestamptz(3),
        -- A lane makes the first attempts of its deliveries: workflows/webhook-burst.ts.
        add column has_lane boolean not null default false;

      create table webhook_deliveries (
        id uuid not null default uuid_v7(),
        -- Order of creation, also within one millisecond.
        place bigserial not null,
        project_id uuid not null,
        endpoint_id uuid not null,
        event_id uuid not null,
        status text not null default 'pending',
        -- Of attempts: a retry by hand begins another.
        series integer not null default 1,
        -- Of this series, those that have ended.
        attempts smallint not null default 0,
        response_status smallint,
        next_attempt_at timestamptz(3) not null default now(),
        -- Its first attempt is the lane's, and it has no workflow.
        in_lane boolean not null default false,
        -- Each attempt that has ended, of every series.
        attempt_log jsonb not null default '[]',
        created_at timestamptz(3) not null default now(),
        constraint webhook_deliveries_pkey primary key (id),
        constraint webhook_deliveries_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint webhook_deliveries_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints (id) on delete cascade,
        constraint webhook_deliveries_event_id_fkey foreign key (event_id) references webhook_events (id) on delete cascade,
        constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed'))
      );
      create index webhook_deliveries_event_idx on webhook_deliveries (event_id);
      create index webhook_deliveries_endpoint_idx on webhook_deliveries (endpoint_id, place);
      create index webhook_deliveries_lane_idx on webhook_deliveries (endpoint_id, place) where in_lane;
      create index webhook_deliveries_first_idx on webhook_deliveries (endpoint_id) where status = 'pending' and attempts = 0 and not in_lane;
      -- Those that have a workflow.
      create index webhook_deliveries_open_idx on webhook_deliveries (id) where status = 'pending' and not in_lane;

      -- Attempts that have begun and not ended. Written before the call, so that an attempt whose process died is counted.
      create table webhook_attempts (
        delivery_id uuid not null,
        -- Of whoever makes it: a later attempt has another.
        token uuid not null,
        begun_at timestamptz(3) not null,
        constraint webhook_attempts_pkey primary key (delivery_id)
      );
    `);
  }
}
