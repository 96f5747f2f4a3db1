import { Migration } from '@mikro-orm/migrations';

/**
 * How many steps of an enrollment failed stands in its row, so that those of a sequence are summed up without reading its traces. The rows of
 * enrollments are locked in the order of their ids, as everybody locks several. Each statement may run again.
 */
export class Migration0023FailedSteps extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('alter table enrollments add column if not exists failed_steps integer not null default 0');
    this.addSql('set lock_timeout = 0');
    this.addSql(`
      with failed as (
        select enrollment_id, count(*) as steps from enrollment_steps where outcome = 'failed' group by enrollment_id
      ), locked as (
        select e.id, f.steps from enrollments e join failed f on f.enrollment_id = e.id where e.failed_steps < f.steps order by e.id for update of e
      )
      update enrollments e set failed_steps = l.steps from locked l where l.id = e.id`);
    this.addSql('drop index concurrently if exists enrollments_failed_idx');
    this.addSql('create index concurrently enrollments_failed_idx on enrollments (project_id, sequence_id) where failed_steps > 0');
    this.addSql('reset lock_timeout');
  }
}
