import { Migration } from '@mikro-orm/migrations';

/** What a project has declared of the variables of its own templates since it made them: from version 2 on, the first is the template's. */
export class Migration0032TemplateSchemas extends Migration {
  override up(): void {
    this.addSql(`
      create table project_template_schemas (
        template_id uuid not null,
        version integer not null,
        data_schema jsonb not null,
        created_at timestamptz(3) not null default now(),
        constraint project_template_schemas_pkey primary key (template_id, version),
        constraint project_template_schemas_template_id_fkey foreign key (template_id) references project_templates (id) on delete cascade
      )`);
  }
}
