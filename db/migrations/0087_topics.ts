import { Migration } from '@mikro-orm/migrations';

/** What people choose to get: a project's topics, each contact's choices, and what changed of them. */
export class Migration0087Topics extends Migration {
  override up(): void {
    this.addSql(`
      create table topics (
        project_id uuid not null,
        key text not null,
        name text not null,
        description text not null default '',
        -- Whether it goes to those who have not chosen.
        default_on boolean not null,
        -- Whether the page of choices offers it to everybody.
        public boolean not null,
        created_at timestamptz(3) not null default now(),
        constraint topics_pkey primary key (project_id, key),
        constraint topics_project_fkey foreign key (project_id) references projects (id)
      );
      -- What the person chose, true or false by the key of the topic; a topic that is not there is as its default.
      alter table contacts add column topics jsonb not null default '{}';
      -- null: it is of no topic.
      alter table campaigns add column topic text;
      alter table campaign_left_out drop constraint campaign_left_out_reason_check;
      alter table campaign_left_out add constraint campaign_left_out_reason_check
        check (reason in ('suppressed', 'unsubscribed', 'bounced', 'topic_off', 'capped', 'erased', 'ended', 'cancelled')) not valid;
      alter table consent_changes
        -- Of the choices that changed, as they were and as they are; null where none did.
        add column topics_before jsonb,
        add column topics_after jsonb,
        -- The person's own request, where the change came by a page: its address and browser.
        add column by_ip text,
        add column by_user_agent text;
    `);
  }
}
