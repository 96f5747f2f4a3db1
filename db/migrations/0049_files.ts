import { Migration } from '@mikro-orm/migrations';

/**
 * Bytes that are kept outside of the database, once a project, and the files that were uploaded. A content that is to go is marked before its
 * object is removed, and has its row until that is done. It names no project by a key: what a project leaves behind is removed as anything else.
 */
export class Migration0049Files extends Migration {
  override up(): void {
    this.addSql(`
      create table file_contents (
        id uuid not null,
        project_id uuid not null,
        size bigint not null,
        sha256 text not null,
        kept_until timestamptz(3) not null,
        look_at timestamptz(3) not null,
        stored_at timestamptz(3),
        removed_at timestamptz(3),
        created_at timestamptz(3) not null default now(),
        constraint file_contents_pkey primary key (id)
      ) with (fillfactor = 80)`);
    this.addSql('create unique index file_contents_sha256_key on file_contents (project_id, sha256) where removed_at is null');
    this.addSql('create index file_contents_look_at_idx on file_contents (look_at) where removed_at is null');
    this.addSql('create index file_contents_removed_idx on file_contents (removed_at) where removed_at is not null');
    this.addSql(`
      create table files (
        id uuid not null,
        project_id uuid not null,
        content_id uuid not null,
        filename text not null,
        content_type text not null,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3) not null,
        constraint files_pkey primary key (id),
        constraint files_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint files_content_id_fkey foreign key (content_id) references file_contents (id)
      )`);
    this.addSql('create index files_list_idx on files (project_id, created_at, id)');
    this.addSql('create index files_content_idx on files (content_id)');
    this.addSql('create index files_expires_at_idx on files (expires_at)');
  }
}
