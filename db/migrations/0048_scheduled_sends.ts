import { Migration } from '@mikro-orm/migrations';

/** Mails of POST /send that are to go later: what was asked for, until the mail has its row in `sends` under the same id. */
export class Migration0048ScheduledSends extends Migration {
  override up(): void {
    this.addSql(`
      create table scheduled_sends (
        id uuid not null,
        project_id uuid not null,
        due_at timestamptz(3) not null,
        available_at timestamptz(3) not null,
        call jsonb not null,
        caller jsonb not null,
        contact_id uuid,
        to_email text not null,
        template text not null,
        type text not null,
        brand_id text not null,
        subject text not null,
        sandboxed boolean not null default false,
        created_at timestamptz(3) not null default now(),
        constraint scheduled_sends_pkey primary key (id),
        constraint scheduled_sends_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      )`);
    this.addSql('create index scheduled_sends_available_idx on scheduled_sends (project_id, available_at)');
    this.addSql('create index scheduled_sends_list_idx on scheduled_sends (project_id, created_at, id)');
    this.addSql('create index scheduled_sends_contact_idx on scheduled_sends (contact_id) where contact_id is not null');
    this.addSql('create index scheduled_sends_address_idx on scheduled_sends (project_id, to_email)');
  }
}
