import { Migration } from '@mikro-orm/migrations';

/** In which version of its graph a run was at a step, once it has been moved to another: an email of then is tried again as it was. */
export class Migration0112EnrollmentMoves extends Migration {
  override up(): void {
    this.addSql(`
      create table enrollment_moves (
        enrollment_id uuid not null,
        -- The last one in the version; 0: the run had not come to any.
        step integer not null,
        version integer not null,
        constraint enrollment_moves_pkey primary key (enrollment_id, step),
        constraint enrollment_moves_enrollment_id_fkey foreign key (enrollment_id) references enrollments (id) on delete cascade
      );
    `);
  }
}
