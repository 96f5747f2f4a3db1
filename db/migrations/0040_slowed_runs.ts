import { Migration } from '@mikro-orm/migrations';

/** Since when a run makes one pass a minute: it took too many steps within one. */
export class Migration0040SlowedRuns extends Migration {
  override up(): void {
    this.addSql('alter table enrollments add column slowed_at timestamptz(3)');
  }
}
