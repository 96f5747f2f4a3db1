import { Migration } from '@mikro-orm/migrations';

/**
 * Which tree of subflows an enrollment belongs to, and the sequences above it. Runs from before have none above them; their depth still
 * limits them. The version before writes neither column and serves meanwhile.
 */
export class Migration0010SubflowTrees extends Migration {
  override up(): void {
    this.addSql(`
      alter table enrollments add column root_id uuid, add column ancestor_sequences uuid[] not null default '{}';
      create index enrollments_root_idx on enrollments (root_id) where root_id is not null;
    `);
  }
}
