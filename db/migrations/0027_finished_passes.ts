import { Migration } from '@mikro-orm/migrations';

/** When reconcile last came through, so that all processes can tell that it does not. Before the first time it is counted from here on. */
export class Migration0027FinishedPasses extends Migration {
  override up(): void {
    this.addSql('alter table reconcile_progress add column passed_at timestamptz(3)');
    this.addSql(`
      insert into reconcile_progress (workflow_type, passed_at) values ('reconcile', now())
      on conflict (workflow_type) do update set passed_at = now()`);
  }
}
