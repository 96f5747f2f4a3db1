import { Migration } from '@mikro-orm/migrations';

/** Of several mail providers: which of them answered a mail, how many of a day's allowance were taken, and which a process passes over. */
export class Migration0082Providers extends Migration {
  override up(): void {
    this.addSql('alter table sends add column provider text');
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
        since timestamptz(3) not null,
        reason text not null,
        told_at timestamptz(3) not null,
        primary key (provider, process_id)
      )`);
  }
}
