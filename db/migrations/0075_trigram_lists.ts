import { Migration } from '@mikro-orm/migrations';

/** What each index of texts had, and what is indexed in its place. */
const INDEXES = [
  {
    before: 'contacts_text_idx',
    name: 'contacts_trigrams_idx',
    on: `contacts using gin (project_id, ${trigrams('email')},
      ${trigrams(`coalesce(first_name, '') || E'\\n' || coalesce(last_name, '') || E'\\n' || coalesce(display_name, '')`)})`,
  },
  {
    before: 'sends_stranger_idx',
    name: 'sends_stranger_trigrams_idx',
    on: `sends using gin (project_id, ${trigrams('to_email')})`,
    where: 'contact_id is null and status is not null',
  },
  { before: 'suppressions_text_idx', name: 'suppressions_trigrams_idx', on: `suppressions using gin (project_id, ${trigrams('email')})` },
] as const;

/**
 * The indexes of texts have the trigrams of a text as a list. PostgreSQL takes an index of a list at its word, where by one of `gin_trgm_ops` it
 * makes the text of each row again that the index names: most of the time of a search went to that. Built beside the writers; a build that was
 * cut off begins anew. What the version before asks of the old indexes is still answered without them, by reading more.
 */
export class Migration0075TrigramLists extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    for (const { before, name, on, ...index } of INDEXES) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(
        `create index concurrently ${name} on ${on} with (gin_pending_list_limit = 1024)${'where' in index ? ` where ${index.where}` : ''}`,
      );
      this.addSql(`drop index concurrently if exists ${before}`);
    }
    // Without it the planner knows nothing of what is common among the trigrams.
    this.addSql('analyze contacts, sends, suppressions');
    this.addSql('reset lock_timeout');
  }
}

function trigrams(text: string): string {
  return `show_trgm(searchable(${text})) collate "C"`;
}
