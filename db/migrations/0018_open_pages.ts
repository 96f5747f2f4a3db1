import { Migration } from '@mikro-orm/migrations';

/**
 * The pages of a campaign that are in hand, some tens at most, are found without reading those that wait for their turn and those that went.
 * Built beside the writers; a build that was cut off begins anew.
 */
export class Migration0018OpenPages extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists campaign_pages_open_idx');
    this.addSql("create index concurrently campaign_pages_open_idx on campaign_pages (campaign_id, opened_at) where state = 'open'");
    this.addSql('reset lock_timeout');
  }
}
