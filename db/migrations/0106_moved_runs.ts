import { Migration } from '@mikro-orm/migrations';

/** Runs that were moved into a version began before it: they are found by themselves. Built beside the writers; may run again. */
export class Migration0106MovedRuns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists enrollments_moved_idx');
    this.addSql(`
      create index concurrently enrollments_moved_idx on enrollments (sequence_id, sequence_version, started_at)
      where moved_step is not null`);
    this.addSql('reset lock_timeout');
  }
}
