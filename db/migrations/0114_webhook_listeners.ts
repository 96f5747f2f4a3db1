import { Migration } from '@mikro-orm/migrations';

/** Events that are fetched by whoever listens for a while, beside those that are sent to endpoints. */
export class Migration0114WebhookListeners extends Migration {
  override up(): void {
    this.addSql(`
      create table webhook_listeners (
        id uuid not null,
        project_id uuid not null,
        -- null: all.
        events text[],
        sealed_secret bytea not null,
        -- When somebody last asked. It is over when that is some time ago.
        heard_at timestamptz(3) not null default now(),
        created_at timestamptz(3) not null default now(),
        constraint webhook_listeners_pkey primary key (id),
        constraint webhook_listeners_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      );
      create index webhook_listeners_project_idx on webhook_listeners (project_id);
      create index webhook_listeners_created_idx on webhook_listeners (created_at);

      -- One event for one listener, until it is told as done.
      create table listener_deliveries (
        id uuid not null default uuid_v7(),
        place bigserial not null,
        listener_id uuid not null,
        event_id uuid not null,
        -- null: it was not handed out yet.
        handed_out_until timestamptz(3),
        constraint listener_deliveries_pkey primary key (id),
        constraint listener_deliveries_listener_id_fkey foreign key (listener_id) references webhook_listeners (id) on delete cascade,
        constraint listener_deliveries_event_id_fkey foreign key (event_id) references webhook_events (id) on delete cascade
      );
      create index listener_deliveries_place_idx on listener_deliveries (listener_id, place);
      create index listener_deliveries_event_idx on listener_deliveries (event_id);

      create or replace function note_webhooks() returns trigger language plpgsql as $$
        begin
          -- The lock comes first, so that the look below sees what others did before.
          perform 1 from projects where id = coalesce(new.project_id, old.project_id) for no key update;
          update projects p set has_webhooks = exists (select 1 from webhook_endpoints w where w.project_id = p.id and w.enabled)
            or exists (select 1 from webhook_listeners l where l.project_id = p.id)
          where p.id = coalesce(new.project_id, old.project_id);
          return null;
        end
      $$;
      create trigger webhook_listeners_note after insert or delete on webhook_listeners for each row execute function note_webhooks();
    `);
  }
}
