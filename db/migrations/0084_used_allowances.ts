import { Migration } from '@mikro-orm/migrations';

/** Since when the day of a mail provider is used up, for `GET /attention`. */
export class Migration0084UsedAllowances extends Migration {
  override up(): void {
    this.addSql(`
      -- Since when mails have found nothing left of its daily allowance; null: there is some.
      alter table provider_days add column used_at timestamptz(3)`);
  }
}
