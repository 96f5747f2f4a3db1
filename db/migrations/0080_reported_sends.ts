import { Migration } from '@mikro-orm/migrations';

/** A bounce that comes by mail names the send itself, by the address that it was sent to. */
export class Migration0080ReportedSends extends Migration {
  override up(): void {
    this.addSql('alter table provider_events add column reported_send_id uuid');
  }
}
