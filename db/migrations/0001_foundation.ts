import { Migration } from '@mikro-orm/migrations';

/** Projects, keys, contacts, templates, sends, sequences, the outbox: everything a durable drip stands on. */
export class Migration0001Foundation extends Migration {
  override up(): void {
    this.addSql(`
      create table projects (
        id uuid not null,
        slug text not null,
        name text not null,
        status text not null default 'active',
        owner_email_verified boolean not null default true,
        inbound_id text not null,
        sealed_link_secret bytea not null,
        sealed_inbound_secret bytea not null,
        sealed_webhook_secret bytea not null,
        created_at timestamptz(3) not null default now(),
        constraint projects_pkey primary key (id),
        constraint projects_slug_key unique (slug),
        constraint projects_inbound_id_key unique (inbound_id),
        constraint projects_status_check check (status in ('active', 'suspended'))
      );

      -- brand_id of every record is the brand's slug, so the slug is the key and is never renamed.
      create table brands (
        project_id uuid not null,
        slug text not null,
        name text not null,
        from_email text,
        from_name text,
        reply_to text,
        logo_url text,
        color text,
        website text,
        address text,
        track_transactional boolean not null default false,
        is_default boolean not null default false,
        created_at timestamptz(3) not null default now(),
        constraint brands_pkey primary key (project_id, slug),
        constraint brands_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      );
      create unique index brands_one_default_key on brands (project_id) where is_default;

      create table sending_domains (
        id uuid not null,
        project_id uuid not null,
        domain text not null,
        verified boolean not null default false,
        created_at timestamptz(3) not null default now(),
        constraint sending_domains_pkey primary key (id),
        constraint sending_domains_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint sending_domains_domain_key unique (project_id, domain)
      );

      create table api_keys (
        id uuid not null,
        project_id uuid not null,
        public_id text not null,
        hash bytea not null,
        name text,
        scopes text[] not null,
        last_used_at timestamptz(3),
        revoked_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        constraint api_keys_pkey primary key (id),
        constraint api_keys_public_id_key unique (public_id),
        constraint api_keys_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      );

      create table contacts (
        id uuid not null,
        project_id uuid not null,
        email text not null,
        first_name text,
        last_name text,
        display_name text,
        status text not null,
        brand_id text not null,
        source text not null default '',
        tags text[] not null default '{}',
        timezone text,
        locale text,
        attributes jsonb not null default '{}',
        consent_source text,
        consent_ip text,
        consent_user_agent text,
        consent_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint contacts_pkey primary key (id),
        constraint contacts_email_key unique (project_id, email),
        constraint contacts_brand_fkey foreign key (project_id, brand_id) references brands (project_id, slug) on delete cascade,
        constraint contacts_status_check check (status in ('subscribed', 'unsubscribed', 'pending', 'bounced'))
      );
      create index contacts_page_idx on contacts (project_id, created_at desc, id desc);
      create index contacts_status_page_idx on contacts (project_id, status, created_at desc, id desc);
      create index contacts_tags_idx on contacts using gin (tags);

      create table suppressions (
        project_id uuid not null,
        email text not null,
        reason text not null,
        created_at timestamptz(3) not null default now(),
        constraint suppressions_pkey primary key (project_id, email),
        constraint suppressions_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint suppressions_reason_check check (reason in ('bounce', 'complaint', 'manual', 'global_unsubscribe'))
      );

      create table template_settings (
        project_id uuid not null,
        brand_id text not null,
        template text not null,
        enabled boolean not null,
        subject text not null default '',
        from_email text,
        from_name text,
        updated_at timestamptz(3) not null default now(),
        constraint template_settings_pkey primary key (project_id, brand_id, template),
        constraint template_settings_brand_fkey foreign key (project_id, brand_id) references brands (project_id, slug) on delete cascade
      );

      -- One row is the draft (is_draft), one the published version, the others its predecessors, which running work may have pinned.
      create table template_versions (
        project_id uuid not null,
        brand_id text not null,
        template text not null,
        version integer not null,
        is_draft boolean not null,
        content jsonb not null,
        compiled jsonb not null,
        created_at timestamptz(3) not null default now(),
        constraint template_versions_pkey primary key (project_id, brand_id, template, version),
        constraint template_versions_brand_fkey foreign key (project_id, brand_id) references brands (project_id, slug) on delete cascade
      );
      create unique index template_versions_one_draft_key on template_versions (project_id, brand_id, template) where is_draft;

      create table sequences (
        id uuid not null,
        project_id uuid not null,
        key text not null,
        name text not null,
        status text not null,
        version integer not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint sequences_pkey primary key (id),
        constraint sequences_key_key unique (project_id, key),
        constraint sequences_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint sequences_status_check check (status in ('draft', 'active', 'paused', 'archived'))
      );

      -- Running enrollments keep the version they started with.
      create table sequence_versions (
        sequence_id uuid not null,
        version integer not null,
        graph jsonb not null,
        created_at timestamptz(3) not null default now(),
        constraint sequence_versions_pkey primary key (sequence_id, version),
        constraint sequence_versions_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade
      );

      -- The enabled event triggers of each sequence's current version: one look-up finds whom an event enrolls.
      create table sequence_triggers (
        sequence_id uuid not null,
        project_id uuid not null,
        event_type text not null,
        constraint sequence_triggers_pkey primary key (sequence_id, event_type),
        constraint sequence_triggers_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade
      );
      create index sequence_triggers_type_idx on sequence_triggers (project_id, md5(event_type));

      create table events (
        id uuid not null,
        project_id uuid not null,
        contact_id uuid not null,
        type text not null,
        data jsonb not null,
        created_at timestamptz(3) not null default now(),
        constraint events_pkey primary key (id),
        constraint events_contact_id_fkey foreign key (contact_id) references contacts (id) on delete cascade
      );
      create index events_contact_idx on events (contact_id, created_at desc);
      create index events_age_idx on events using brin (created_at);

      create table enrollments (
        id uuid not null,
        project_id uuid not null,
        sequence_id uuid not null,
        sequence_version integer not null,
        contact_id uuid not null,
        event_id uuid,
        status text not null default 'active',
        end_reason text,
        current_node_id text,
        waiting_for text,
        wakes_at timestamptz(3),
        started_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        constraint enrollments_pkey primary key (id),
        constraint enrollments_sequence_id_fkey foreign key (sequence_id) references sequences (id) on delete cascade,
        constraint enrollments_contact_id_fkey foreign key (contact_id) references contacts (id) on delete cascade,
        constraint enrollments_status_check check (status in ('active', 'completed', 'cancelled'))
      );
      create index enrollments_contact_idx on enrollments (contact_id, sequence_id, started_at desc);
      create index enrollments_sequence_idx on enrollments (sequence_id, started_at desc, id desc);
      create index enrollments_active_idx on enrollments (sequence_id) where status = 'active';

      -- The trace: one row a visited node, in the order of the visits. A row without outcome is where the enrollment stands.
      create table enrollment_steps (
        enrollment_id uuid not null,
        step integer not null,
        node_id text not null,
        visit integer not null,
        kind text not null,
        at timestamptz(3) not null default now(),
        until timestamptz(3),
        outcome text,
        detail text,
        constraint enrollment_steps_pkey primary key (enrollment_id, step),
        constraint enrollment_steps_visit_key unique (enrollment_id, node_id, visit),
        constraint enrollment_steps_enrollment_id_fkey foreign key (enrollment_id) references enrollments (id) on delete cascade
      );

      -- status is null while the row is an intent: written before the provider is called, not shown until it has its outcome.
      create table sends (
        id uuid not null,
        project_id uuid not null,
        contact_id uuid,
        brand_id text not null,
        to_email text not null,
        template text not null,
        type text not null,
        subject text not null default '',
        status text,
        error text,
        delivery_status text,
        provider_id text,
        source_type text not null,
        source_id text,
        enrollment_id uuid,
        node_id text,
        visit integer,
        idempotency_key text,
        request_hash bytea,
        opened_at timestamptz(3) not null default now(),
        first_opened_at timestamptz(3),
        open_count integer not null default 0,
        first_clicked_at timestamptz(3),
        click_count integer not null default 0,
        last_event_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        constraint sends_pkey primary key (id),
        constraint sends_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint sends_status_check check (status in ('sent', 'failed')),
        constraint sends_type_check check (type in ('transactional', 'marketing'))
      );
      create unique index sends_idempotency_key_key on sends (project_id, idempotency_key) where idempotency_key is not null;
      create unique index sends_enrollment_visit_key on sends (enrollment_id, node_id, visit) where enrollment_id is not null;
      create index sends_page_idx on sends (project_id, created_at desc, id desc) where status is not null;
      create index sends_contact_idx on sends (contact_id, created_at desc) where contact_id is not null;
      create index sends_source_idx on sends (source_id, created_at desc) where source_id is not null;
      create index sends_in_doubt_idx on sends (opened_at) where status is null;

      -- Answers of keyed calls (POST /send keeps its own on the send).
      create table idempotency_keys (
        project_id uuid not null,
        route text not null,
        key text not null,
        request_hash bytea not null,
        response jsonb,
        response_status integer,
        leased_until timestamptz(3) not null,
        created_at timestamptz(3) not null default now(),
        constraint idempotency_keys_pkey primary key (project_id, route, key),
        constraint idempotency_keys_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      );
      create index idempotency_keys_age_idx on idempotency_keys (created_at);

      -- What must reach Temporal: written with the change that makes it due, deleted when Temporal has it.
      create table outbox (
        id bigserial,
        workflow_id text not null,
        message jsonb not null,
        -- 1 for single changes, 5 for bulk ones, which must not hold the others up.
        priority smallint not null default 1,
        attempts integer not null default 0,
        due_at timestamptz(3) not null default now(),
        created_at timestamptz(3) not null default now(),
        constraint outbox_pkey primary key (id)
      );
      create index outbox_due_idx on outbox (priority, id);
      create index outbox_workflow_idx on outbox (workflow_id);
    `);
  }
}
