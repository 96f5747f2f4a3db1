import { Migration } from '@mikro-orm/migrations';

/**
 * How far the comparison of rows with their workflows has come, and the order in which it takes the open ones. Each statement stands alone
 * and may run again.
 */
export class Migration0009Reconcile extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // The build of the index stops nobody: it may wait for long transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql(`
      create table if not exists reconcile_progress (
        workflow_type text not null,
        closed_until timestamptz(3),
        compared_to uuid,
        constraint reconcile_progress_pkey primary key (workflow_type)
      )`);
    this.addSql('drop index concurrently if exists enrollments_open_idx');
    this.addSql(`create index concurrently enrollments_open_idx on enrollments (id) where status = 'active'`);
    this.addSql('reset lock_timeout');
  }
}
