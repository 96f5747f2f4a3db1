import { Migration } from '@mikro-orm/migrations';

/** The runs of a sequence with a failed step, in the order of its list: few among many. Built beside the writers; it may run again. */
export class Migration0038FailedRuns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists enrollments_failed_list_idx');
    this.addSql(
      'create index concurrently enrollments_failed_list_idx on enrollments (sequence_id, started_at desc, id desc) where failed_steps > 0',
    );
    this.addSql('reset lock_timeout');
  }
}
