import { Migration } from '@mikro-orm/migrations';

/**
 * A contact can be erased: its runs stay under an id of nobody, of a suppressed address a hash stays, and what tells of it elsewhere is found
 * by index. Built beside the writers; each statement may run again.
 */
export class Migration0025Erasures extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      -- Addresses that get no mail though their plain text is gone.
      create table if not exists erased_suppressions (
        project_id uuid not null,
        address_hash bytea not null,
        reason text not null,
        created_at timestamptz(3) not null default now(),
        constraint erased_suppressions_pkey primary key (project_id, address_hash),
        constraint erased_suppressions_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      )`);
    this.addSql(`
      -- Contacts that are gone, and traces of whom may still stand elsewhere. The row goes with the last of them.
      create table if not exists erasures (
        project_id uuid not null,
        contact_id uuid not null,
        email text not null,
        begun_at timestamptz(3) not null,
        constraint erasures_pkey primary key (project_id, contact_id),
        constraint erasures_project_id_fkey foreign key (project_id) references projects (id) on delete cascade
      )`);
    this.addSql(`
      create or replace function address_hash(project_id uuid, email text) returns bytea language sql immutable strict parallel safe as $$
        select sha256(convert_to(project_id::text || ':' || email, 'UTF8'))
      $$`);
    this.addSql('alter table enrollments drop constraint if exists enrollments_contact_fkey');
    this.addSql('set lock_timeout = 0');
    this.addSql('drop index concurrently if exists webhook_events_person_idx');
    this.addSql(`
      create index concurrently webhook_events_person_idx on webhook_events ((coalesce(data ->> 'contact_id', data ->> 'id', data ->> 'email')))`);
    this.addSql('drop index concurrently if exists campaigns_people_idx');
    this.addSql(`
      create index concurrently campaigns_people_idx on campaigns using gin (project_id, (audience -> 'emails')) with (fastupdate = off)
      where audience ->> 'mode' = 'people'`);
    this.addSql('reset lock_timeout');
  }
}
