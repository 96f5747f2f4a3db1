import { Migration } from '@mikro-orm/migrations';

/** Templates that a project has made by itself, beside those of the installation. */
export class Migration0026ProjectTemplates extends Migration {
  override up(): void {
    this.addSql(`
      create table project_templates (
        id uuid not null,
        project_id uuid not null,
        key text not null,
        type text not null,
        name text not null,
        description text not null,
        subject text not null,
        data_schema jsonb not null,
        content jsonb not null,
        compiled jsonb not null,
        created_at timestamptz(3) not null default now(),
        constraint project_templates_pkey primary key (id),
        constraint project_templates_key_key unique (project_id, key),
        constraint project_templates_project_id_fkey foreign key (project_id) references projects (id) on delete cascade,
        constraint project_templates_type_check check (type in ('transactional', 'marketing'))
      )`);
  }
}
