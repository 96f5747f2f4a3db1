import { Migration } from '@mikro-orm/migrations';

/** Hours in which mails go: of a project, and of a campaign of its own. That of a sequence stands in its graph. */
export class Migration0100SendWindows extends Migration {
  override up(): void {
    this.addSql(`
      alter table projects
        -- null: its mails wait for no window.
        add column send_window jsonb`);
    this.addSql(`
      alter table campaigns
        -- As it was given: a window, "none", or null: the project's.
        add column send_window jsonb,
        -- What it goes by, as it was when its recipients were found; null: by none.
        add column window_in_force jsonb`);
    this.addSql('alter table recurring_campaigns add column send_window jsonb');
  }
}
