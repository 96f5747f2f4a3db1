import { Migration } from '@mikro-orm/migrations';

/** Which key cancelled a run. The key is not kept for it. */
export class Migration0037CancellingKeys extends Migration {
  override up(): void {
    this.addSql('alter table enrollments add column cancelled_by_key_id uuid');
  }
}
