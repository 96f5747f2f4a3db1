import { Migration } from '@mikro-orm/migrations';

/** Exact numbers of contacts without counting them: each statement that changes contacts adds what it changed. */
export class Migration0004ContactCounts extends Migration {
  override up(): void {
    this.addSql(`
      -- The sum of its rows is the number. Rows are only added, so that no two writers wait for each other; now and then they are summed up.
      create table contact_counts (
        id bigserial,
        project_id uuid not null,
        status text not null,
        delta bigint not null,
        constraint contact_counts_pkey primary key (id)
      );
      create index contact_counts_project_idx on contact_counts (project_id, status) include (delta);
      -- What is there already is counted by 0007, once the triggers below are committed.

      create function count_added_contacts() returns trigger language plpgsql as $$
      begin
        insert into contact_counts (project_id, status, delta) select project_id, status, count(*) from added group by project_id, status;
        return null;
      end $$;
      create function count_removed_contacts() returns trigger language plpgsql as $$
      begin
        insert into contact_counts (project_id, status, delta) select project_id, status, -count(*) from removed group by project_id, status;
        return null;
      end $$;
      create function count_moved_contacts() returns trigger language plpgsql as $$
      begin
        insert into contact_counts (project_id, status, delta)
        select project_id, status, sum(change) from (
          select project_id, status, 1 as change from added union all select project_id, status, -1 from removed) moved
        group by project_id, status having sum(change) <> 0;
        return null;
      end $$;
      create trigger contacts_added after insert on contacts referencing new table as added
        for each statement execute function count_added_contacts();
      create trigger contacts_removed after delete on contacts referencing old table as removed
        for each statement execute function count_removed_contacts();
      create trigger contacts_moved after update on contacts referencing old table as removed new table as added
        for each statement execute function count_moved_contacts();
    `);
  }
}
