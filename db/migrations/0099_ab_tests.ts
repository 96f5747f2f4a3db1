import { Migration } from '@mikro-orm/migrations';

/** Tests of campaigns that decide: batches of the rest wait with `not_before` at the end of time, and go with the winner. */
export class Migration0099AbTests extends Migration {
  override up(): void {
    this.addSql(`
      alter table campaigns
        -- How it decides; null: the arms go to everybody by their weights.
        add column ab_test jsonb,
        -- Since the last mail of the test has its outcome; null: before, or it waits for somebody.
        add column decides_at timestamptz(3),
        -- What the rest gets, and why; null: not yet decided.
        add column ab_decision jsonb;
    `);
  }
}
