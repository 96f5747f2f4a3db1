import { Migration } from '@mikro-orm/migrations';

/**
 * A failed mail that people let go again names the send that followed it, and beside it the contact of a campaign may have another row: of
 * those that nothing followed there is still one for each. Indexes are built beside the writers; a build that was cut off begins anew. The old
 * index goes when the new one stands, so that at no time a contact may have two.
 */
export class Migration0042RetriedSends extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table sends add column if not exists retried_as uuid, add column if not exists retried_at timestamptz(3)');
    // Whose workflow may be started again after it has completed.
    this.addSql('alter table campaigns add column if not exists retried_at timestamptz(3)');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists sends_retried_as_key');
    this.addSql('create unique index concurrently sends_retried_as_key on sends (retried_as) where retried_as is not null');
    this.addSql('drop index concurrently if exists sends_campaign_latest_key');
    this.addSql(`
      create unique index concurrently sends_campaign_latest_key on sends (source_id, contact_id)
      where source_type = 'campaign' and retried_as is null`);
    this.addSql('drop index concurrently if exists sends_campaign_contact_key');
    this.addSql('reset lock_timeout');
  }
}
