import { Migration } from '@mikro-orm/migrations';

/** When a campaign was cancelled. Of those that were before, nothing says when. */
export class Migration0033CancelledCampaigns extends Migration {
  override up(): void {
    this.addSql('alter table campaigns add column cancelled_at timestamptz(3)');
  }
}
