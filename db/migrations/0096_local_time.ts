import { Migration } from '@mikro-orm/migrations';

/** Campaigns that go at a time of each recipient's own clock: their batches are of one zone each. */
export class Migration0096LocalTime extends Migration {
  override up(): void {
    this.addSql(`
      alter table campaigns
        -- The time, and the zone of who has none; null: everybody gets it at once.
        add column local_schedule jsonb,
        -- How many of each zone were found when it began.
        add column zones jsonb;
      alter table campaign_pages
        -- IANA name, '' of who has none; null: it goes whatever its people's clocks show.
        add column zone text,
        -- Not earlier, whatever else lets it go.
        add column not_before timestamptz(3);
      alter table campaign_left_out drop constraint campaign_left_out_reason_check;
      alter table campaign_left_out add constraint campaign_left_out_reason_check
        check (reason in ('suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'late', 'capped', 'erased', 'ended', 'cancelled')) not valid;
    `);
  }
}
