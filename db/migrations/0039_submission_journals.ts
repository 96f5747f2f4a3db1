import { Migration } from '@mikro-orm/migrations';

/**
 * Which journal of a process says how far an intent came, and since when a provider that deduplicates may know the key of a campaign's mail:
 * in the order of `contact_ids`, null for those that were surely never submitted.
 */
export class Migration0039SubmissionJournals extends Migration {
  override up(): void {
    this.addSql('alter table sends add column journal uuid');
    this.addSql('alter table campaign_pages add column journal uuid, add column doubted_at timestamptz[]');
  }
}
