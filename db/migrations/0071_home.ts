import { Migration } from '@mikro-orm/migrations';

/** Mails that could not be rendered and runs that failed, the latest first: few among many. Built beside the writers; it may run again. */
export class Migration0071Home extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists sends_unrendered_idx');
    this.addSql(`
      create index concurrently sends_unrendered_idx on sends (project_id, created_at desc)
      where status = 'failed' and error like 'render_failed%'`);
    this.addSql('drop index concurrently if exists enrollments_failed_ends_idx');
    this.addSql(`
      create index concurrently enrollments_failed_ends_idx on enrollments (project_id, ended_at desc) where end_reason = 'failed'`);
    this.addSql('reset lock_timeout');
  }
}
