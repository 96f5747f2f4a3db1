import { Migration } from '@mikro-orm/migrations';

/** Since when a step is held, how long its outages lasted, and when it first met the frequency cap. */
export class Migration0005Sending extends Migration {
  override up(): void {
    this.addSql(`
      -- Each row of a page would lock its project's row for it; no project is ever deleted while it sends.
      alter table sends drop constraint sends_project_id_fkey;
      alter table enrollments add column held_at timestamptz(3);
      alter table enrollment_steps add column outage_ms bigint not null default 0, add column capped_at timestamptz(3);
    `);
  }
}
