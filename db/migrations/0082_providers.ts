import { Migration } from '@mikro-orm/migrations';

/** Of several mail providers: how many mails of a day's allowance were taken, and which of them a process passes over. */
export class Migration0082Providers extends Migration {
  override up(): void {
    this.addSql(`
      create table provider_days (
        provider text not null,
        day date not null,
        taken integer not null,
        primary key (provider, day)
      );
      create table provider_states (
        provider text not null,
        process_id uuid not null,
        since timestamptz not null,
        reason text not null,
        told_at timestamptz not null,
        primary key (provider, process_id)
      )`);
  }
}
