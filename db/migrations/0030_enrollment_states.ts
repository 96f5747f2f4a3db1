import { Migration } from '@mikro-orm/migrations';

/** What open enrollments wait for and until when, so that they are counted without being read. */
export class Migration0030EnrollmentStates extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // The build of the index stops nobody: it may wait for long transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists enrollments_standing_idx');
    this.addSql(
      `create index concurrently enrollments_standing_idx on enrollments (waiting_for text_pattern_ops, wakes_at) where status = 'active'`,
    );
    this.addSql('reset lock_timeout');
  }
}
