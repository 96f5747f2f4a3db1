import { Migration } from '@mikro-orm/migrations';

/**
 * What is read of an endpoint's deliveries is found by index, however many it has. An endpoint is deleted without those, which may be
 * millions: they are left to be dropped some at a time. Built beside the writers; each statement may run again.
 */
export class Migration0019WebhookLists extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create table if not exists deleted_webhook_endpoints (
        id uuid not null,
        deleted_at timestamptz(3) not null default now(),
        constraint deleted_webhook_endpoints_pkey primary key (id)
      )`);
    this.addSql('alter table webhook_deliveries drop constraint if exists webhook_deliveries_endpoint_id_fkey');
    this.addSql('set lock_timeout = 0');
    // Those that have a workflow; attempts: how many wait for their first.
    this.addSql('drop index concurrently if exists webhook_deliveries_waiting_idx');
    this.addSql(`
      create index concurrently webhook_deliveries_waiting_idx on webhook_deliveries (endpoint_id, attempts)
      where status = 'pending' and not in_lane`);
    this.addSql('drop index concurrently if exists webhook_deliveries_first_idx');
    this.addSql('drop index concurrently if exists webhook_deliveries_failed_idx');
    this.addSql(
      `create index concurrently webhook_deliveries_failed_idx on webhook_deliveries (endpoint_id, place) where status = 'failed'`,
    );
    this.addSql('reset lock_timeout');
  }
}
