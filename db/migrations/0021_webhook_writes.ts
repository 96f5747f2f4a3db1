import { Migration } from '@mikro-orm/migrations';

/**
 * What each event and delivery paid for and nobody used: a project's deliveries go with its events, which each of them has, and events are
 * read by their id. Each statement may run again.
 */
export class Migration0021WebhookWrites extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table webhook_deliveries drop constraint if exists webhook_deliveries_project_id_fkey');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists webhook_events_project_idx');
    this.addSql('reset lock_timeout');
  }
}
