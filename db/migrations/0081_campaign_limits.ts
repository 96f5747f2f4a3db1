import { Migration } from '@mikro-orm/migrations';

/** Campaigns that pause by themselves when too many of their mails bounce or are complained about. */
export class Migration0081CampaignLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table projects
        -- Shares, 0 to 1; null: no limit.
        add column campaign_bounce_limit double precision,
        add column campaign_complaint_limit double precision`);
    this.addSql(`
      alter table campaigns
        -- Of one that has paused by itself: the limit and what was counted.
        add column paused_reason jsonb,
        -- What had been counted when it was resumed after that.
        add column judged jsonb`);
  }
}
