import { Migration } from '@mikro-orm/migrations';

/** The campaigns of a recurring one are listed. Built beside the writers; may run again. */
export class Migration0095CampaignsOfRecurring extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists campaigns_recurring_idx');
    this.addSql(`
      create index concurrently campaigns_recurring_idx on campaigns (recurring_id, created_at desc, id desc) where recurring_id is not null`);
    this.addSql('reset lock_timeout');
  }
}
