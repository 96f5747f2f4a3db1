import { Migration } from '@mikro-orm/migrations';

/** Pictures of mails, which have public addresses and are kept until they are deleted. The same bytes of a project are one of them. */
export class Migration0060Images extends Migration {
  override up(): void {
    this.addSql(`
      create table images (
        id uuid not null,
        project_id uuid not null,
        content_id uuid not null,
        filename text not null,
        content_type text not null,
        width integer not null,
        height integer not null,
        created_at timestamptz(3) not null default now(),
        constraint images_pkey primary key (id),
        constraint images_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint images_content_id_fkey foreign key (content_id) references file_contents (id)
      )`);
    this.addSql('create unique index images_content_key on images (content_id)');
    this.addSql('create index images_list_idx on images (project_id, created_at, id)');
  }
}
