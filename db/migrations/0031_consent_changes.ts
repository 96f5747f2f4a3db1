import { Migration } from '@mikro-orm/migrations';

/**
 * What a contact's status and consent were before: evidence, kept for as long as the contact. Contacts that exist have no changes yet: the
 * first one of each keeps the consent that it replaces.
 */
export class Migration0031ConsentChanges extends Migration {
  override up(): void {
    this.addSql(`
      create table consent_changes (
        id bigserial not null,
        project_id uuid not null,
        contact_id uuid not null,
        at timestamptz(3) not null,
        from_status text not null,
        to_status text not null,
        cause text not null,
        -- A key, a send or an enrollment: none of them is kept for this row.
        cause_id uuid,
        -- Both null where the status changed alone.
        consent_before jsonb,
        consent_after jsonb,
        constraint consent_changes_pkey primary key (project_id, contact_id, id),
        constraint consent_changes_contact_fkey foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade
      )`);
  }
}
