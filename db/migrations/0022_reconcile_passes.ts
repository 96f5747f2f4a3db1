import { Migration } from '@mikro-orm/migrations';

/** Passes of reconcile are counted here and by its workflow: where the two disagree, one of the databases was restored to an earlier state. */
export class Migration0022ReconcilePasses extends Migration {
  override up(): void {
    this.addSql('alter table reconcile_progress add column pass integer');
  }
}
