import { Migration } from '@mikro-orm/migrations';

/**
 * The idempotency key that a failed send has let go: whoever sends it again does so under that key, so that a caller who comes back with it gets
 * no second mail.
 */
export class Migration0043FreedKeys extends Migration {
  override up(): void {
    this.addSql('alter table sends add column freed_key text');
  }
}
