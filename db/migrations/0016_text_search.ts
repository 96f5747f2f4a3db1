import { Migration } from '@mikro-orm/migrations';

/**
 * Mails to contacts are searched by the addresses of the contacts, so that a send costs no entry in an index of texts: only mails to
 * somebody who is no contact have one. Contacts are found by address and by names apart. Built beside the writers; a build that was cut off
 * begins anew. What the version before asks of the old indexes is still answered without them, by reading more.
 */
export class Migration0016TextSearch extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists contacts_text_idx');
    this.addSql(`
      create index concurrently contacts_text_idx on contacts using gin (project_id, searchable(email) gin_trgm_ops, searchable(
        coalesce(first_name, '') || E'\\n' || coalesce(last_name, '') || E'\\n' || coalesce(display_name, '')) gin_trgm_ops)
        with (gin_pending_list_limit = 1024)`);
    this.addSql('drop index concurrently if exists sends_stranger_idx');
    this.addSql(`
      create index concurrently sends_stranger_idx on sends using gin (project_id, searchable(to_email) gin_trgm_ops)
        with (gin_pending_list_limit = 1024) where contact_id is null and status is not null`);
    this.addSql('drop index concurrently if exists contacts_search_idx');
    this.addSql('drop index concurrently if exists sends_search_idx');
    this.addSql('reset lock_timeout');
  }
}
