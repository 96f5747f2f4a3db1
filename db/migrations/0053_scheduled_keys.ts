import { Migration } from '@mikro-orm/migrations';

/** The key of a scheduled mail is known for as long as it waits. Those that wait already keep the answer that is stored for theirs. */
export class Migration0053ScheduledKeys extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table scheduled_sends add column if not exists idempotency_key text, add column if not exists request_hash bytea');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists scheduled_sends_key_key');
    this.addSql(`
      create unique index concurrently scheduled_sends_key_key on scheduled_sends (project_id, idempotency_key)
      where idempotency_key is not null`);
    this.addSql('reset lock_timeout');
  }
}
