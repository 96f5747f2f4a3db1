import { Migration } from '@mikro-orm/migrations';

/** One mail of a campaign for each contact, whatever crashes. Built beside the writers; a build that was cut off begins anew. */
export class Migration0014CampaignSends extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists sends_campaign_contact_key');
    this.addSql(`
      create unique index concurrently sends_campaign_contact_key on sends (source_id, contact_id) where source_type = 'campaign'`);
    this.addSql('reset lock_timeout');
  }
}
