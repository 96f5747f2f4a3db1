import { Migration } from '@mikro-orm/migrations';

/** Segments, what providers report and recipients do about sends, and the events that webhooks tell. */
export class Migration0002Audience extends Migration {
  override up(): void {
    this.addSql(`
      -- RFC 9562 5.7, for rows that statements make by themselves; PostgreSQL has its own only from version 18 on.
      create function uuid_v7() returns uuid language sql volatile parallel safe as $$
        select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
          placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
      $$;

      create table segments (
        id uuid not null,
        project_id uuid not null,
        label text not null,
        brand_id text,
        filter jsonb not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint segments_pkey primary key (id),
        constraint segments_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint segments_brand_fkey foreign key (project_id, brand_id) references brands (project_id, slug) on delete cascade
      );
      create unique index segments_label_key on segments (project_id, lower(label));

      -- Everything that a segment's filter reads but tags: a count needs the index alone.
      create index contacts_segment_idx on contacts (project_id, source, status, brand_id);
      -- Such a scan stays off the table as long as the table was vacuumed, and after an import that would come late.
      alter table contacts set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

      -- When the outcome of a hand-over was recorded.
      alter table sends add column closed_at timestamptz(3);
      create index sends_provider_id_idx on sends (project_id, provider_id) where provider_id is not null;

      -- What recipients did with links and images of a mail, and what providers say they did. Bot hits are kept and count nowhere.
      create table send_hits (
        id bigserial,
        send_id uuid not null,
        kind text not null,
        url text,
        is_bot boolean not null,
        at timestamptz(3) not null,
        constraint send_hits_pkey primary key (id),
        constraint send_hits_send_id_fkey foreign key (send_id) references sends (id) on delete cascade,
        constraint send_hits_kind_check check (kind in ('opened', 'clicked', 'unsubscribed'))
      );
      create index send_hits_send_idx on send_hits (send_id, kind);

      -- One row an event that a provider reported, unique by the provider's own mark. Its body is kept until the event is applied: one that is
      -- about a send whose hand-over is not recorded yet waits for it.
      create table provider_events (
        id uuid not null,
        project_id uuid not null,
        provider text not null,
        event_key text not null,
        type text not null,
        provider_ids text[] not null,
        details jsonb not null,
        body text,
        occurred_at timestamptz(3) not null,
        received_at timestamptz(3) not null,
        applied_at timestamptz(3),
        send_id uuid,
        -- The recipient's address, once it is known.
        email text,
        constraint provider_events_pkey primary key (id),
        constraint provider_events_event_key_key unique (project_id, provider, event_key),
        constraint provider_events_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint provider_events_send_id_fkey foreign key (send_id) references sends (id) on delete cascade
      );
      create index provider_events_waiting_idx on provider_events (received_at) where applied_at is null;
      create index provider_events_send_idx on provider_events (send_id, type) where send_id is not null;
      create index provider_events_email_idx on provider_events (project_id, email, occurred_at desc) where type in ('bounced', 'delivered');
      create index provider_events_age_idx on provider_events using brin (received_at);

      -- What proves a provider's events beside the project's inbound secret: a signing secret, a public key, a list of topics. Sealed.
      create table inbound_settings (
        project_id uuid not null,
        provider text not null,
        sealed_value bytea not null,
        updated_at timestamptz(3) not null default now(),
        constraint inbound_settings_pkey primary key (project_id, provider),
        constraint inbound_settings_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint inbound_settings_provider_check check (provider in ('resend', 'ses', 'sendgrid', 'postmark'))
      );

      create table webhook_endpoints (
        id uuid not null,
        project_id uuid not null,
        url text not null,
        -- null: all.
        events text[],
        enabled boolean not null default true,
        sealed_secret bytea not null,
        created_at timestamptz(3) not null default now(),
        constraint webhook_endpoints_pkey primary key (id),
        constraint webhook_endpoints_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      );
      create index webhook_endpoints_project_idx on webhook_endpoints (project_id);

      -- Whether any endpoint is enabled, on the row that every send reads anyway: where nobody listens, events cost nothing.
      alter table projects add column has_webhooks boolean not null default false;
      create function note_webhooks() returns trigger language plpgsql as $$
        begin
          -- The lock comes first, so that the look below sees what others did before.
          perform 1 from projects where id = coalesce(new.project_id, old.project_id) for update;
          update projects p set has_webhooks = exists (select 1 from webhook_endpoints w where w.project_id = p.id and w.enabled)
          where p.id = coalesce(new.project_id, old.project_id);
          return null;
        end
      $$;
      create trigger webhook_endpoints_note after insert or delete or update of enabled on webhook_endpoints
        for each row execute function note_webhooks();

      -- Only what some endpoint wants is kept.
      create table webhook_events (
        id uuid not null default uuid_v7(),
        project_id uuid not null,
        type text not null,
        data jsonb not null,
        created_at timestamptz(3) not null default now(),
        constraint webhook_events_pkey primary key (id),
        constraint webhook_events_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      );
      create index webhook_events_project_idx on webhook_events (project_id, created_at);
    `);
  }
}
