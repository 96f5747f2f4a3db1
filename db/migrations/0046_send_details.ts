import { Migration } from '@mikro-orm/migrations';

/**
 * What the caller of a single mail said of it beside its template and recipient: names, copies, headers, tags. Null for all others, mails of
 * campaigns among them, which take no room for it and have no entry in its index.
 */
export class Migration0046SendDetails extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table sends add column if not exists details jsonb');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists sends_details_idx');
    this.addSql(
      'create index concurrently sends_details_idx on sends using gin (project_id, details jsonb_path_ops) where details is not null',
    );
    this.addSql('reset lock_timeout');
  }
}
