import { Migration } from '@mikro-orm/migrations';

/**
 * Drafts of campaigns, and what is needed to change one that is scheduled. What a draft leaves out stands as an empty text, and its audience as
 * a list of nobody: whoever took it for one that runs, as the version before might, would send nothing.
 */
export class Migration0058CampaignDrafts extends Migration {
  override up(): void {
    this.addSql(`
      alter table campaigns
        add column version integer not null default 1,
        add column has_own_type boolean not null default true,
        add column has_own_brand boolean not null default true,
        add column changed_at timestamptz(3),
        add column changed_by uuid,
        add column approved_at timestamptz(3),
        add column approved_by uuid,
        add column awaits_approval boolean not null default false,
        add column launched_at timestamptz(3)`);
    this.addSql('alter table projects add column campaign_approval boolean not null default false');
  }
}
