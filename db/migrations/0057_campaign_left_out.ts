import { Migration } from '@mikro-orm/migrations';

/**
 * Whom campaigns left out, and why. Many stand in one row, in the order of their ids, since a row each would take a minute for a million. Those
 * of one statement make a run, whose rows do not overlap, so that the one row which can have somebody is found by an index; those who are left
 * out one by one have a row each, in run 0.
 */
export class Migration0057CampaignLeftOut extends Migration {
  override up(): void {
    this.addSql(`
      create table campaign_left_out (
        id uuid not null default uuid_v7(),
        campaign_id uuid not null,
        reason text not null,
        run integer not null,
        first_id uuid not null,
        contact_ids uuid[] not null,
        size integer not null,
        at timestamptz(3) not null default now(),
        constraint campaign_left_out_pkey primary key (id),
        constraint campaign_left_out_campaign_id_fkey foreign key (campaign_id) references campaigns (id) on delete cascade,
        constraint campaign_left_out_reason_check
          check (reason in ('suppressed', 'unsubscribed', 'bounced', 'capped', 'erased', 'ended', 'cancelled'))
      );
      create index campaign_left_out_campaign_id_idx on campaign_left_out (campaign_id, reason, run, first_id) include (size);
      create index campaign_left_out_single_idx on campaign_left_out (first_id) where run = 0;
    `);
  }
}
