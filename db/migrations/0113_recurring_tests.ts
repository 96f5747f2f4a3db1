import { Migration } from '@mikro-orm/migrations';

/** Tests of recurring campaigns, what came while one was paused, and where the parts of a test begin. */
export class Migration0113RecurringTests extends Migration {
  override up(): void {
    this.addSql(`
      alter table recurring_campaigns
        -- How the arms of its campaigns are tried; null: they go to everybody by their weights.
        add column ab_test jsonb,
        -- What comes after it while it is paused has no outcome yet; null: it is not paused, or was before this was kept.
        add column paused_from timestamptz(3);
      -- At which hash each part of its test ends; null: its recipients are not found, or were by an earlier version.
      alter table campaigns add column test_bounds jsonb;
    `);
  }
}
