import { Migration } from '@mikro-orm/migrations';

/** Runs that are held by more than the hours of the day, which hold many every night: those that somebody should look at are found without reading the others. */
export class Migration0101HeldRuns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // The build of the index stops nobody: it may wait for long transactions.
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists enrollments_held_up_idx');
    this.addSql(
      `create index concurrently enrollments_held_up_idx on enrollments (project_id) where status = 'active' and waiting_for like 'held:%' and waiting_for <> 'held:send_window'`,
    );
    this.addSql('reset lock_timeout');
  }
}
