import { Migration } from '@mikro-orm/migrations';

/**
 * What campaigns led to. It is counted from the send log, the hits and the events, and of a campaign to many kept as it was counted last: nothing
 * is written while a mail goes.
 */
export class Migration0065CampaignResults extends Migration {
  override up(): void {
    // { event, withinHours, sum }; null: none.
    this.addSql('alter table campaigns add column goal jsonb');
    this.addSql(`
      create table campaign_results (
        campaign_id uuid not null,
        -- Goes up when somebody is erased whose clicks were counted: what was counted meanwhile is not kept.
        erasures integer not null default 0,
        -- Null: not counted yet.
        counted_at timestamptz(3),
        -- How long that took, in milliseconds.
        took integer,
        hours jsonb,
        days jsonb,
        links jsonb,
        receivers jsonb,
        -- By which goal the conversions were counted, and when.
        goal jsonb,
        conversions jsonb,
        converted_at timestamptz(3),
        constraint campaign_results_pkey primary key (campaign_id),
        constraint campaign_results_campaign_id_fkey foreign key (campaign_id) references campaigns (id) on delete cascade
      )`);
  }
}
