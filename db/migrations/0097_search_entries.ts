import { Migration } from '@mikro-orm/migrations';

/**
 * New entries of the indexes of texts and tags are merged by workers (usecases/operations/search-entry-sweeper.ts). Until then they are in the index's
 * list of pending entries, which may become so long before whoever writes has to merge it: by 256 kB that was nine tenths of what an import cost, since
 * a merge is the dearer for each entry the fewer it takes.
 */
export class Migration0097SearchEntries extends Migration {
  override up(): void {
    this.addSql(`
      alter index contacts_columns_idx set (gin_pending_list_limit = 65536);
      alter index contacts_project_tags_idx set (gin_pending_list_limit = 16384);
      alter index sends_stranger_trigrams_idx set (gin_pending_list_limit = 16384);
      alter index suppressions_trigrams_idx set (gin_pending_list_limit = 16384);
    `);
  }
}
