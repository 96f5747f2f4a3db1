import { Migration } from '@mikro-orm/migrations';

/**
 * A delivery says which retry of all that had failed has begun it again last, so that what came of a retry is counted. Only those that were begun
 * again so have an entry of the index; built beside the writers, and each statement may run again.
 */
export class Migration0074RetriedDeliveries extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table webhook_deliveries add column if not exists retried_by uuid');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists webhook_deliveries_retried_idx');
    this.addSql(`
      create index concurrently webhook_deliveries_retried_idx on webhook_deliveries (retried_by, status) where retried_by is not null`);
    this.addSql('reset lock_timeout');
  }
}
