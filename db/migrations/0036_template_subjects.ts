import { Migration } from '@mikro-orm/migrations';

/**
 * What a version of a template said beside its content, which key saved it, and drafts that others have replaced, which stay for a while. Of
 * versions that were replaced before, nothing tells the subject.
 */
export class Migration0036TemplateSubjects extends Migration {
  override up(): void {
    this.addSql(`
      alter table template_versions
        add column subject text,
        -- It is not kept for this row.
        add column key_id uuid,
        add column replaced_at timestamptz(3),
        add constraint template_versions_replaced_check check (is_draft or replaced_at is null);
      drop index template_versions_one_draft_key;
      create unique index template_versions_one_draft_key on template_versions (project_id, brand_id, template)
        where is_draft and replaced_at is null`);
  }
}
