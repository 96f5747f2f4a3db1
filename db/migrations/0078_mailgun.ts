import { Migration } from '@mikro-orm/migrations';

/** Mailgun's events prove themselves with a key that is stored for a project. */
export class Migration0078Mailgun extends Migration {
  override up(): void {
    this.addSql(`
      alter table inbound_settings drop constraint inbound_settings_provider_check;
      alter table inbound_settings add constraint inbound_settings_provider_check
        check (provider in ('resend', 'ses', 'sendgrid', 'postmark', 'mailgun'));
    `);
  }
}
