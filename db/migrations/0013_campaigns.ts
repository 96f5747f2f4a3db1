import { Migration } from '@mikro-orm/migrations';

/** Campaigns, their recipients in pages, and their counters. */
export class Migration0013Campaigns extends Migration {
  override up(): void {
    this.addSql(`
      create table campaigns (
        id uuid not null,
        project_id uuid not null,
        name text not null default '',
        template text not null,
        type text not null,
        brand_id text not null,
        subject text not null,
        has_own_subject boolean not null,
        data jsonb not null default '{}',
        audience jsonb not null,
        variants jsonb,
        scheduled_at timestamptz(3),
        ends_at timestamptz(3),
        rate_per_second integer,
        status text not null,
        paused boolean not null default false,
        reason text,
        audience_size integer not null default 0,
        total_recipients integer not null default 0,
        -- Null until the audience is the one that gets the mails, not only a count of it.
        resolved_at timestamptz(3),
        started_at timestamptz(3),
        -- Pinned at the start; null: the registry's own content.
        published_version integer,
        -- How often in a row the provider was away, since when, and when it is asked again.
        outages integer not null default 0,
        first_outage_at timestamptz(3),
        retry_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        sent_at timestamptz(3),
        constraint campaigns_pkey primary key (id),
        constraint campaigns_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint campaigns_status_check check (status in ('draft', 'scheduled', 'queued', 'sending', 'sent', 'cancelled', 'failed')),
        constraint campaigns_type_check check (type in ('transactional', 'marketing'))
      );
      create index campaigns_page_idx on campaigns (project_id, created_at desc, id desc);
      create index campaigns_open_idx on campaigns (id) where status in ('scheduled', 'queued', 'sending');

      -- Recipients that are not settled yet, some in each row. A page is pending, then leased by a worker that makes its mails ready, then
      -- open while they are handed over: it is the intent of each of them. It goes when all of its mails have their outcome.
      create table campaign_pages (
        campaign_id uuid not null,
        no integer not null,
        contact_ids uuid[] not null,
        state text not null default 'pending',
        -- When a worker may take it: what is leased once the lease is over, what is open never.
        available_at timestamptz(3) not null default '-infinity',
        token uuid,
        opened_at timestamptz(3),
        send_ids uuid[],
        subjects text[],
        variants text[],
        -- How often the provider wanted its mails later, and since when.
        attempts integer not null default 0,
        first_later_at timestamptz(3),
        constraint campaign_pages_pkey primary key (campaign_id, no),
        constraint campaign_pages_campaign_id_fkey foreign key (campaign_id) references campaigns (id) on delete cascade,
        constraint campaign_pages_state_check check (state in ('pending', 'leased', 'open'))
      ) with (fillfactor = 50);
      create index campaign_pages_available_idx on campaign_pages (campaign_id, available_at, no);

      -- The sum of its rows is the number. Rows are only added, so that no two writers wait for each other; now and then they are summed up.
      create table campaign_counts (
        id bigserial,
        campaign_id uuid not null,
        -- '' where there are none.
        variant text not null,
        counter text not null,
        delta bigint not null,
        constraint campaign_counts_pkey primary key (id),
        constraint campaign_counts_campaign_id_fkey foreign key (campaign_id) references campaigns (id) on delete cascade
      );
      create index campaign_counts_campaign_idx on campaign_counts (campaign_id, variant, counter) include (delta);

      alter table sends add column variant text;
    `);
  }
}
