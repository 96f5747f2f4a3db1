import { Migration } from '@mikro-orm/migrations';

/** How far the comparison of rows with their workflows has come, and the order in which it takes the open ones. */
export class Migration0009Reconcile extends Migration {
  override up(): void {
    this.addSql(`
      create table reconcile_progress (
        workflow_type text not null,
        closed_until timestamptz(3),
        compared_to uuid,
        constraint reconcile_progress_pkey primary key (workflow_type)
      );
      create index enrollments_open_idx on enrollments (id) where status = 'active';
    `);
  }
}
