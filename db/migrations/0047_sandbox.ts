import { Migration } from '@mikro-orm/migrations';

/**
 * Mails that are made like any other and never leave: those of a project that is a sandbox, of a test key, and to the reserved addresses. The
 * index, which has no entry for any other mail, finds the few among many. Each statement may run again.
 */
export class Migration0047Sandbox extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table projects add column if not exists sandbox boolean not null default false');
    this.addSql('alter table api_keys add column if not exists is_test boolean not null default false');
    this.addSql('alter table sends add column if not exists sandboxed boolean not null default false');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists sends_sandboxed_idx');
    this.addSql('create index concurrently sends_sandboxed_idx on sends (project_id, created_at desc, id desc) where sandboxed');
    this.addSql('reset lock_timeout');
  }
}
