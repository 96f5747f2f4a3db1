import { Migration } from '@mikro-orm/migrations';

/** Who signed up and was asked whether it was them, how each brand asks, and what they agreed to. */
export class Migration0089Confirmations extends Migration {
  override up(): void {
    this.addSql(`
      alter table brands
        add column double_opt_in boolean not null default false,
        -- null: the one that ships.
        add column confirm_template text,
        -- Hours after the sign-up.
        add column confirm_reminders integer[] not null default '{}',
        -- null: nobody is pruned.
        add column confirm_prune_days integer default 30;
      create table confirmations (
        id uuid not null,
        project_id uuid not null,
        contact_id uuid not null,
        state text not null default 'waiting',
        -- Whether the sign-up made the contact.
        made_contact boolean not null,
        -- One of many that were asked at once.
        is_bulk boolean not null default false,
        -- The sign-ups that were answered by a mail, and when the person was asked after the last of them.
        round integer not null default 1,
        asked_at timestamptz(3) not null,
        -- Mails of this round, when the last of all was opened, and why it did not leave.
        mails integer not null default 0,
        mailed_at timestamptz(3),
        failure text,
        created_at timestamptz(3) not null,
        ended_at timestamptz(3),
        -- Of the person's own request: its address and browser, and the words of the page.
        by_ip text,
        by_user_agent text,
        shown_text text,
        constraint confirmations_pkey primary key (id),
        constraint confirmations_contact_fkey foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade,
        constraint confirmations_state_check check (state in ('waiting', 'confirmed', 'expired', 'ended'))
      );
      create index confirmations_contact_idx on confirmations (contact_id, id desc);
      create unique index confirmations_unconfirmed_key on confirmations (contact_id, project_id) where state in ('waiting', 'expired');
      create index confirmations_waiting_idx on confirmations (id) where state = 'waiting';
      alter table campaign_left_out drop constraint campaign_left_out_reason_check;
      alter table campaign_left_out add constraint campaign_left_out_reason_check
        check (reason in ('suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'capped', 'erased', 'ended', 'cancelled')) not valid;
    `);
  }
}
