import { Migration } from '@mikro-orm/migrations';

/** How many campaign mails a day a new sending domain starts with, and the campaigns that wait for the next day. */
export class Migration0083Ramps extends Migration {
  override up(): void {
    this.addSql(`
      -- Its steps and its first day; null: no limit.
      alter table sending_domains add column ramp jsonb`);
    this.addSql(`
      create table domain_days (
        domain_id uuid not null references sending_domains on delete cascade,
        day date not null,
        taken integer not null,
        primary key (domain_id, day)
      )`);
    this.addSql(`
      -- Whose allowance of the day it has used; null: it does not wait for one.
      alter table campaigns add column allowance jsonb`);
  }
}
