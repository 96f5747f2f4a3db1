import { Migration } from '@mikro-orm/migrations';

/** Keys are made by keys, too: which one made it stays known when it is revoked. */
export class Migration0064MadeKeys extends Migration {
  override up(): void {
    // null: an operator made it. Keys are never deleted but with their project.
    this.addSql('alter table api_keys add column if not exists made_by uuid');
  }
}
