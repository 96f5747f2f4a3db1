import { Migration } from '@mikro-orm/migrations';

/** Since when a step is held, how long its outages lasted, and when it first met the frequency cap. */
export class Migration0005Sending extends Migration {
  override up(): void {
    this.addSql(`
      alter table enrollments add column held_at timestamptz(3);
      alter table enrollment_steps add column outage_ms bigint not null default 0, add column capped_at timestamptz(3);
    `);
  }
}
