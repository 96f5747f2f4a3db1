import { Migration } from '@mikro-orm/migrations';

/** What a receiver answered to an event that a listener handed on. */
export class Migration0115ListenerAnswers extends Migration {
  override up(): void {
    this.addSql(`
      alter table listener_deliveries
        add column created_at timestamptz(3) not null default now(),
        -- As in the log of a delivery to an endpoint; null: it was not told.
        add column attempt jsonb;
    `);
  }
}
