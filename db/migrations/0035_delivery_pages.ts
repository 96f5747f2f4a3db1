import { Migration } from '@mikro-orm/migrations';

/**
 * The deliveries of an endpoint are listed by when they were made, so that a time is where a page begins or ends: two indexes have that
 * time in place of the ones that did not. Events of the types that are few among many are found by their type; what each mail has costs no
 * entry. Built beside the writers; each statement may run again. What the version before asks of the old indexes is still answered without
 * them, by reading more.
 */
export class Migration0035DeliveryPages extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.#index('webhook_deliveries_page_idx', 'webhook_deliveries (endpoint_id, created_at, place)');
    this.#index('webhook_deliveries_failures_idx', `webhook_deliveries (endpoint_id, created_at, place) where status = 'failed'`);
    this.#index(
      'webhook_events_type_idx',
      `webhook_events (project_id, type, created_at) where type not in ('email.sent', 'email.delivered', 'email.opened')`,
    );
    this.addSql('drop index concurrently if exists webhook_deliveries_endpoint_idx');
    this.addSql('drop index concurrently if exists webhook_deliveries_failed_idx');
    this.addSql('reset lock_timeout');
  }

  #index(name: string, on: string): void {
    this.addSql(`drop index concurrently if exists ${name}`);
    this.addSql(`create index concurrently ${name} on ${on}`);
  }
}
