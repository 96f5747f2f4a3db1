import { Migration } from '@mikro-orm/migrations';

/**
 * What the answer to a call with a key said beside the outcome, as JSON: a repeated call is answered the same, whatever the template has become.
 * Null where it said nothing, and for sends from before.
 */
export class Migration0041AnswerNotes extends Migration {
  override up(): void {
    this.addSql('alter table sends add column answer_notes text');
  }
}
