import { Migration } from '@mikro-orm/migrations';

/** Blocks that a project keeps under a name, to begin others with. */
export class Migration0069SavedBlocks extends Migration {
  override up(): void {
    this.addSql(`
      create table saved_blocks (
        id uuid not null,
        project_id uuid not null,
        name text not null,
        block jsonb not null,
        created_at timestamptz(3) not null default now(),
        updated_at timestamptz(3) not null default now(),
        constraint saved_blocks_pkey primary key (id),
        constraint saved_blocks_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      )`);
    this.addSql('create unique index saved_blocks_name_key on saved_blocks (project_id, lower(name))');
  }
}
