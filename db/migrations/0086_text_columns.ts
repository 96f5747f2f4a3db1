import { Migration } from '@mikro-orm/migrations';

const CONTACT_TEXTS = ['email', 'first_name', 'last_name', 'display_name'];

/**
 * Contacts are found by each column's own trigrams: as one text of all names, `first1` and `last1` could not be told apart by what is rare in
 * them. A search reads the list of new entries once for each column, so that list is kept shorter. Mails to somebody who is no contact have their
 * addresses in the order of pages, too, to be walked through where many match; by the function in its condition no other statement reads that index
 * in place of the one of texts. Built beside the writers; a build that was cut off begins anew. What the version before asks of the old index is
 * still answered without it, by reading more.
 */
export class Migration0086TextColumns extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists contacts_columns_idx');
    this.addSql(`
      create index concurrently contacts_columns_idx on contacts using gin (project_id,
        ${CONTACT_TEXTS.map((column) => `show_trgm(searchable(${column})) collate "C"`).join(', ')}) with (gin_pending_list_limit = 256)`);
    this.addSql('drop index concurrently if exists contacts_trigrams_idx');
    this.addSql('drop index concurrently if exists sends_strangers_idx');
    this.addSql(`
      create index concurrently sends_strangers_idx on sends (project_id, created_at desc, id desc) include (to_email)
        where num_nonnulls(contact_id) = 0 and status is not null`);
    // Without it the planner knows nothing of what is common among the trigrams.
    this.addSql('analyze contacts, sends');
    this.addSql('reset lock_timeout');
  }
}
