import { Migration } from '@mikro-orm/migrations';

/** Finds the scheduled mails of a project that have copies, so that an erasure need not look at all that wait. */
export class Migration0052ScheduledCopies extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists scheduled_sends_copies_idx');
    this.addSql(`
      create index concurrently scheduled_sends_copies_idx on scheduled_sends (project_id)
      where call -> 'details' -> 'cc' is not null or call -> 'details' -> 'bcc' is not null`);
    this.addSql('reset lock_timeout');
  }
}
