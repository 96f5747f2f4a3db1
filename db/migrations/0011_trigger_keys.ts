import { Migration } from '@mikro-orm/migrations';

/**
 * The type of an event may be longer than a row of an index can be (2,704 bytes), so triggers are unique by its digest. The new index is
 * built beside the writers before the old key goes, and each statement may run again.
 */
export class Migration0011TriggerKeys extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists sequence_triggers_event_key');
    this.addSql('create unique index concurrently sequence_triggers_event_key on sequence_triggers (sequence_id, md5(event_type))');
    this.addSql('reset lock_timeout');
    this.addSql('alter table sequence_triggers drop constraint if exists sequence_triggers_pkey');
  }
}
