import { Migration } from '@mikro-orm/migrations';

/** The pace of a campaign stands in its row, so that it holds for all who take its pages. */
export class Migration0020CampaignPace extends Migration {
  override up(): void {
    this.addSql(`
      -- Under a rate: when the next page may be taken. Null: at once.
      alter table campaigns add column next_page_at timestamptz(3)`);
  }
}
