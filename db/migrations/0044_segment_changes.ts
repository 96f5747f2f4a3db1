import { Migration } from '@mikro-orm/migrations';

/** Segments that were made, changed or deleted, until every run that may wait on one has been told. */
export class Migration0044SegmentChanges extends Migration {
  override up(): void {
    this.addSql(`
      create table segment_changes (
        project_id uuid not null,
        label text not null,
        told_to uuid,
        constraint segment_changes_pkey primary key (project_id, label),
        constraint segment_changes_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      )`);
  }
}
