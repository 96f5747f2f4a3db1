import { Migration } from '@mikro-orm/migrations';

/**
 * Runs and campaigns that a test key asked for, whose mails never leave. The index finds the scheduled mails of a project that are overdue, put
 * off or not. Each statement may run again.
 */
export class Migration0051SandboxedRuns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table enrollments add column if not exists sandboxed boolean not null default false');
    this.addSql('alter table campaigns add column if not exists sandboxed boolean not null default false');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists scheduled_sends_due_idx');
    this.addSql('create index concurrently scheduled_sends_due_idx on scheduled_sends (project_id, due_at)');
    this.addSql('reset lock_timeout');
  }
}
