import { Migration } from '@mikro-orm/migrations';
import { asciiDomain } from '../../domain/domain-name.ts';
import { normalizeEmail } from '../../domain/email-address.ts';

/** One spelling of each mailbox, ids of contacts that are unique in their project only, and indexes for what is searched. */
export class Migration0006Addresses extends Migration {
  override async up(): Promise<void> {
    await this.execute(KEYS);
    await this.fold();
    await this.execute(SEARCH);
  }

  /** Stored addresses get the spelling that new ones have. What was an address and is none any more stays as it is: it gets no mail. */
  private async fold(): Promise<void> {
    // Nobody adds another spelling meanwhile.
    await this.execute('lock table contacts, suppressions in share row exclusive mode');
    await this.mapSpellings('folded', ADDRESSES, normalizeEmail);
    await this.mapSpellings('folded_domains', DOMAINS, asciiDomain);
    await this.execute(MERGE_CONTACTS);
    await this.execute(FOLD_OTHERS);
  }

  /** A temporary table with the new spelling of each text that the statement finds and that has another one. */
  private async mapSpellings(table: string, found: string, fold: (text: string) => string | undefined): Promise<void> {
    const stored = (await this.execute(found)) as { text: string }[];
    const folded = stored.flatMap(({ text }) => {
      const spelling = fold(text);
      return spelling === undefined || spelling === text ? [] : [{ text, spelling }];
    });
    await this.execute(`create temporary table ${table} (text text primary key, spelling text not null) on commit drop`);
    await this.execute(`insert into ${table} select * from json_to_recordset(?::json) as f(text text, spelling text)`, [
      JSON.stringify(folded),
    ]);
    await this.execute(`analyze ${table}`);
  }
}

const KEYS = `
  alter table events drop constraint events_contact_id_fkey;
  alter table enrollments drop constraint enrollments_contact_id_fkey;
  alter table contacts drop constraint contacts_pkey, add constraint contacts_pkey primary key (id, project_id);
  alter table events add constraint events_contact_fkey
    foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade;
  alter table enrollments add constraint enrollments_contact_fkey
    foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade;

  -- Ids of contacts that were merged into another one.
  create table merged_contacts (
    id uuid not null,
    project_id uuid not null,
    contact_id uuid not null,
    constraint merged_contacts_pkey primary key (id, project_id),
    constraint merged_contacts_contact_fkey foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade
  );
  create index merged_contacts_contact_idx on merged_contacts (contact_id);
`;

/** Only what is beyond ASCII has other spellings: domains were stored in lower case before, too. */
const ADDRESSES = `
  select distinct email as text from (
    select email from contacts union all select email from suppressions union all select to_email from sends
    union all select email from provider_events union all select from_email from brands union all select reply_to from brands
    union all select from_email from template_settings) stored
  where octet_length(split_part(email, '@', 2)) > char_length(split_part(email, '@', 2))`;
const DOMAINS = 'select distinct domain as text from sending_domains where octet_length(domain) > char_length(domain)';

/**
 * Contacts whose spellings were of one mailbox become the oldest of them, with everything that happened to any: the strictest status, all
 * tags and attributes, the names of the oldest that has one, every enrollment, event and mail. Their ids stay known, for the links in mails
 * that went out.
 */
const MERGE_CONTACTS = `
  create temporary table mailboxes on commit drop as
    select c.id, c.project_id, m.spelling, first_value(c.id) over mailbox as kept_id, row_number() over mailbox as place
    from contacts c join (select text, spelling from folded union select spelling, spelling from folded) m on m.text = c.email
    window mailbox as (partition by c.project_id, m.spelling order by c.created_at, c.id);

  update contacts k set status = m.status, first_name = m.first_name, last_name = m.last_name, display_name = m.display_name,
    timezone = m.timezone, locale = m.locale, updated_at = now(),
    tags = (array(
      select t.tag from mailboxes b join contacts c on c.id = b.id and c.project_id = b.project_id, unnest(c.tags) with ordinality t(tag, nth)
      where b.kept_id = k.id and b.project_id = k.project_id group by t.tag order by min(b.place * 1000 + t.nth)))[1:100],
    attributes = coalesce((
      select jsonb_object_agg(a.key, a.value order by b.place desc)
      from mailboxes b join contacts c on c.id = b.id and c.project_id = b.project_id, jsonb_each(c.attributes) a
      where b.kept_id = k.id and b.project_id = k.project_id), '{}')
  from (
    select b.kept_id, b.project_id,
      (array_agg(c.status order by array_position(array['unsubscribed', 'bounced', 'subscribed', 'pending'], c.status)))[1] as status,
      (array_agg(c.first_name order by b.place) filter (where c.first_name is not null))[1] as first_name,
      (array_agg(c.last_name order by b.place) filter (where c.last_name is not null))[1] as last_name,
      (array_agg(c.display_name order by b.place) filter (where c.display_name is not null))[1] as display_name,
      (array_agg(c.timezone order by b.place) filter (where c.timezone is not null))[1] as timezone,
      (array_agg(c.locale order by b.place) filter (where c.locale is not null))[1] as locale
    from mailboxes b join contacts c on c.id = b.id and c.project_id = b.project_id
    group by b.kept_id, b.project_id having count(*) > 1) m
  where k.id = m.kept_id and k.project_id = m.project_id;

  update events e set contact_id = b.kept_id from mailboxes b where b.place > 1 and e.contact_id = b.id and e.project_id = b.project_id;
  update enrollments e set contact_id = b.kept_id from mailboxes b where b.place > 1 and e.contact_id = b.id and e.project_id = b.project_id;
  update sends s set contact_id = b.kept_id from mailboxes b where b.place > 1 and s.contact_id = b.id and s.project_id = b.project_id;
  insert into merged_contacts (id, project_id, contact_id) select id, project_id, kept_id from mailboxes where place > 1;
  delete from contacts c using mailboxes b where b.place > 1 and c.id = b.id and c.project_id = b.project_id;
  update contacts c set email = b.spelling from mailboxes b
  where b.place = 1 and c.id = b.id and c.project_id = b.project_id and c.email <> b.spelling;
`;

/** Of suppressions of one mailbox the oldest stays, a complaint before it; of sending domains the oldest, verified when one of them was. */
const FOLD_OTHERS = `
  insert into suppressions as s (project_id, email, reason, created_at)
  select o.project_id, f.spelling, (array_agg(o.reason order by o.reason <> 'complaint', o.created_at))[1], min(o.created_at)
  from suppressions o join folded f on f.text = o.email group by o.project_id, f.spelling
  on conflict (project_id, email) do update set created_at = least(s.created_at, excluded.created_at),
    reason = case when s.reason <> 'complaint' and (excluded.reason = 'complaint' or excluded.created_at < s.created_at)
                  then excluded.reason else s.reason end;
  delete from suppressions s using folded f where s.email = f.text;

  with old as (
    delete from sending_domains d using folded_domains f where d.domain = f.text
    returning d.id, d.project_id, f.spelling, d.verified, d.created_at)
  insert into sending_domains as d (id, project_id, domain, verified, created_at)
  select (array_agg(id order by created_at))[1], project_id, spelling, bool_or(verified), min(created_at) from old group by project_id, spelling
  on conflict (project_id, domain) do update set verified = d.verified or excluded.verified;

  update sends s set to_email = f.spelling from folded f where s.to_email = f.text;
  update provider_events e set email = f.spelling from folded f where e.email = f.text;
  update brands b set from_email = f.spelling from folded f where b.from_email = f.text;
  update brands b set reply_to = f.spelling from folded f where b.reply_to = f.text;
  update template_settings t set from_email = f.spelling from folded f where t.from_email = f.text;
`;

/**
 * `searchable` makes ASCII of any text, so that trigrams of any script are found whatever the locale of the database: beyond ASCII each octet
 * of UTF-8 becomes three digits. A part of a text stays a part of what comes out; more may look like one, so matches are looked at again.
 * The indexes begin with the project: a search reads nothing of the others.
 */
const SEARCH = `
  create extension if not exists pg_trgm;
  create extension if not exists btree_gin;
  create function searchable(value text) returns text language sql immutable strict parallel safe as $$
    select translate(encode(translate(lower(value), E'\\\\', '')::bytea, 'escape'), E'\\\\', '')
  $$;
  -- New entries wait in a list, which costs a write a third of putting them in their places one by one, and which every search reads
  -- through: it is kept short.
  create index contacts_search_idx on contacts using gin (project_id, searchable(
    email || E'\\n' || coalesce(first_name, '') || E'\\n' || coalesce(last_name, '') || E'\\n' || coalesce(display_name, '')) gin_trgm_ops)
    with (gin_pending_list_limit = 1024);
  create index contacts_project_tags_idx on contacts using gin (project_id, tags) with (gin_pending_list_limit = 1024);
  drop index contacts_tags_idx;
  -- Not of intents: what is written before the provider is called costs nothing more.
  create index sends_search_idx on sends using gin (project_id, searchable(to_email) gin_trgm_ops)
    with (gin_pending_list_limit = 1024) where status is not null;

  -- Like contact_counts, for each tag. Rows that are sums are told apart, so that summing up reads only what is new.
  create table contact_tag_counts (
    id bigserial,
    project_id uuid not null,
    tag text not null,
    status text not null,
    delta bigint not null,
    is_sum boolean not null default false,
    constraint contact_tag_counts_pkey primary key (id)
  );
  insert into contact_tag_counts (project_id, tag, status, delta, is_sum)
    select project_id, t.tag, status, count(*), true from contacts, unnest(tags) t(tag) group by project_id, t.tag, status;
  create index contact_tag_counts_tag_idx on contact_tag_counts (project_id, tag, status) include (delta);
  create index contact_tag_counts_new_idx on contact_tag_counts (id) where not is_sum;

  create function count_added_tags() returns trigger language plpgsql as $$
  begin
    insert into contact_tag_counts (project_id, tag, status, delta)
    select project_id, t.tag, status, count(*) from added, unnest(tags) t(tag) group by project_id, t.tag, status;
    return null;
  end $$;
  create function count_removed_tags() returns trigger language plpgsql as $$
  begin
    insert into contact_tag_counts (project_id, tag, status, delta)
    select project_id, t.tag, status, -count(*) from removed, unnest(tags) t(tag) group by project_id, t.tag, status;
    return null;
  end $$;
  create function count_moved_tags() returns trigger language plpgsql as $$
  begin
    insert into contact_tag_counts (project_id, tag, status, delta)
    select project_id, t.tag, status, sum(change) from (
      select project_id, tags, status, 1 as change from added union all select project_id, tags, status, -1 from removed) moved,
      unnest(tags) t(tag)
    group by project_id, t.tag, status having sum(change) <> 0;
    return null;
  end $$;
  create trigger contacts_tags_added after insert on contacts referencing new table as added
    for each statement execute function count_added_tags();
  create trigger contacts_tags_removed after delete on contacts referencing old table as removed
    for each statement execute function count_removed_tags();
  create trigger contacts_tags_moved after update on contacts referencing old table as removed new table as added
    for each statement execute function count_moved_tags();
`;
