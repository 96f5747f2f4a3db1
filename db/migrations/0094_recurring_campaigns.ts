import { Migration } from '@mikro-orm/migrations';

/** Campaigns that are made again and again by a rule, what became of each of its instants, and which campaigns came of them. */
export class Migration0094RecurringCampaigns extends Migration {
  override up(): void {
    this.addSql(`
      create table recurring_campaigns (
        id uuid not null,
        project_id uuid not null,
        status text not null default 'active',
        name text not null default '',
        recurrence jsonb not null,
        -- The first instant that has no outcome yet; null unless it is active.
        next_due_at timestamptz(3),
        -- What its campaigns are made of, as the columns of campaigns have it.
        template text not null,
        audience jsonb not null,
        subject text not null default '',
        has_own_subject boolean not null default false,
        type text not null,
        has_own_type boolean not null default false,
        brand_id text not null default '',
        has_own_brand boolean not null default false,
        data jsonb not null default '{}',
        rate_per_second integer,
        topic text,
        variants jsonb,
        goal jsonb,
        -- After the instant that a campaign is for.
        ends_after_minutes integer,
        sandboxed boolean not null default false,
        version integer not null default 1,
        created_at timestamptz(3) not null,
        changed_at timestamptz(3) not null,
        changed_by uuid,
        approved_at timestamptz(3),
        approved_by uuid,
        ended_at timestamptz(3),
        end_reason text,
        constraint recurring_campaigns_pkey primary key (id),
        constraint recurring_campaigns_project_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint recurring_campaigns_status_check check (status in ('active', 'paused', 'ended'))
      );
      create index recurring_campaigns_project_idx on recurring_campaigns (project_id, created_at desc, id desc);
      create index recurring_campaigns_open_idx on recurring_campaigns (id) where status <> 'ended';
      create table recurring_runs (
        recurring_id uuid not null,
        due_at timestamptz(3) not null,
        outcome text not null,
        reason text,
        campaign_id uuid,
        at timestamptz(3) not null,
        constraint recurring_runs_pkey primary key (recurring_id, due_at),
        constraint recurring_runs_recurring_fkey foreign key (recurring_id) references recurring_campaigns (id) on delete cascade,
        constraint recurring_runs_outcome_check check (outcome in ('created', 'not_created', 'missed', 'skipped')),
        constraint recurring_runs_campaign_check check ((outcome = 'created') = (campaign_id is not null))
      );
      alter table campaigns add column recurring_id uuid;
    `);
  }
}
