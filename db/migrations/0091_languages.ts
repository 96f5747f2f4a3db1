import { Migration } from '@mikro-orm/migrations';

/** Templates say the same in several languages, each with versions of its own, and mails are known by the one that they were in. */
export class Migration0091Languages extends Migration {
  override up(): void {
    this.addSql(`
      alter table template_versions
        -- BCP 47; '' is the default. All languages of a template share its numbers.
        add column locale text not null default '',
        -- When its language was taken away: no mail that is made later says it.
        add column retired_at timestamptz(3);
      drop index template_versions_one_draft_key;
      create unique index template_versions_one_draft_key on template_versions (project_id, brand_id, template, locale)
        where is_draft and replaced_at is null and retired_at is null;
      create index template_versions_language_idx on template_versions (project_id, brand_id, template, locale, version) where locale <> '';
      -- null: in the default.
      alter table sends add column locale text;
      -- What was published in each language when it began.
      alter table campaigns add column languages jsonb not null default '{}';
      alter table campaign_results add column languages jsonb;
    `);
  }
}
