import { Migration } from '@mikro-orm/migrations';

/** A project's drafts are counted and listed by themselves, however many campaigns it has sent. */
export class Migration0059DraftLists extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists campaigns_drafts_idx');
    this.addSql(`
      create index concurrently campaigns_drafts_idx on campaigns (project_id, created_at desc, id desc) where status = 'draft'`);
    this.addSql('reset lock_timeout');
  }
}
