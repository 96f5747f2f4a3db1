import { Migration } from '@mikro-orm/migrations';

/** The type of an event may be longer than a row of an index can be (2,704 bytes), so triggers are unique by its digest. */
export class Migration0011TriggerKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table sequence_triggers drop constraint sequence_triggers_pkey;
      create unique index sequence_triggers_event_key on sequence_triggers (sequence_id, md5(event_type));
    `);
  }
}
