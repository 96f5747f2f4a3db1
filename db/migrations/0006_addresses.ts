import { Migration } from '@mikro-orm/migrations';
import { asciiDomain } from '../../domain/contacts/domain-name.ts';
import { normalizeEmail } from '../../domain/contacts/email-address.ts';
import { isDeadlock, violatedUnique } from '../errors.ts';

/** Of mailboxes, and of other rows, so many change in one transaction: few enough that nobody waits long for them. */
const MAILBOXES_AT_ONCE = 100;
const ROWS_AT_ONCE = 1_000;

/**
 * One spelling of each mailbox, ids of contacts that are unique in their project only, and indexes for what is searched. The version before
 * serves meanwhile: each step stands alone and may run again, and locks a table for a moment at most.
 */
export class Migration0006Addresses extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    const [keyed] = await this.execute(`select 1 from pg_constraint where conname = 'events_contact_fkey'`);
    if (!keyed) {
      await this.#index('contacts_id_project_key', 'contacts (id, project_id)', { unique: true });
      await this.execute(KEYS);
    }
    for (const statement of CHECKED_KEYS) await this.execute(statement);
    const [counting] = await this.execute(`select 1 where to_regclass('contact_tag_counts') is not null`);
    if (!counting) await this.execute(TAG_COUNTS);
    await this.#fold();
    await this.execute(COUNT_TAGS);
    await this.execute(SEARCH);
    for (const [name, on] of SEARCH_INDEXES) await this.#index(name, on);
    await this.#dropIndex('contacts_tags_idx');
  }

  /** Built while others write, for whose transactions it may wait. One that an interrupted build has left is not valid and starts over. */
  async #index(name: string, on: string, { unique = false } = {}): Promise<void> {
    const [built] = await this.execute(`select 1 from pg_index where indexrelid = to_regclass('${name}') and indisvalid`);
    if (built) return;
    await this.#dropIndex(name);
    await this.execute('set lock_timeout = 0');
    await this.execute(`create ${unique ? 'unique ' : ''}index concurrently ${name} on ${on}`);
    await this.execute('reset lock_timeout');
  }

  async #dropIndex(name: string): Promise<void> {
    await this.execute('set lock_timeout = 0');
    await this.execute(`drop index concurrently if exists ${name}`);
    await this.execute('reset lock_timeout');
  }

  /** Stored addresses get the spelling that new ones have. What was an address and is none any more stays as it is: it gets no mail. */
  async #fold(): Promise<void> {
    await this.#mapSpellings('folded', ADDRESSES, normalizeEmail);
    await this.#mapSpellings('folded_domains', DOMAINS, asciiDomain);
    await this.execute(NEXT_MAILBOXES);
    for (;;) {
      const [left] = await this.execute('select 1 from folded_mailboxes limit 1');
      if (!left) break;
      await this.#unlessRaced(FOLD_MAILBOXES);
    }
    for (const [table, column] of LOGGED) {
      await this.execute(`
        drop table if exists folded_rows;
        create temporary table folded_rows as select t.id, f.spelling from ${table} t join folded f on f.text = t.${column}`);
      for (;;) {
        const changed = await this.execute(`
          with part as (delete from folded_rows where ctid = any(array(select ctid from folded_rows limit ${ROWS_AT_ONCE})) returning id, spelling),
          changed as (update ${table} t set ${column} = p.spelling from part p where t.id = p.id)
          select 1 from part`);
        if ((changed as unknown[]).length === 0) break;
      }
    }
    await this.execute(FOLD_OTHERS);
    await this.execute('drop table folded, folded_domains, folded_mailboxes, mailboxes_now, folded_rows');
  }

  /** A contact with the new spelling may come in between: then the older one is merged with it. */
  async #unlessRaced(statements: string): Promise<void> {
    for (;;) {
      try {
        await this.execute(statements);
        return;
      } catch (error) {
        if (violatedUnique(error) !== 'contacts_email_key' && !isDeadlock(error)) throw error;
      }
    }
  }

  /** A table of this session with the new spelling of each text that the statement finds and that has another one. */
  async #mapSpellings(table: string, found: string, fold: (text: string) => string | undefined): Promise<void> {
    const stored = (await this.execute(found)) as { text: string }[];
    const folded = stored.flatMap(({ text }) => {
      const spelling = fold(text);
      return spelling === undefined || spelling === text ? [] : [{ text, spelling }];
    });
    await this.execute(`drop table if exists ${table}`);
    await this.execute(`create temporary table ${table} (text text primary key, spelling text not null)`);
    await this.execute(`insert into ${table} select * from json_to_recordset(?::json) as f(text text, spelling text)`, [
      JSON.stringify(folded),
    ]);
    await this.execute(`analyze ${table}`);
  }
}

/** In one transaction, so that no contact is ever without its keys; what they say of old rows is checked after it. */
const KEYS = `
  alter table events drop constraint events_contact_id_fkey;
  alter table enrollments drop constraint enrollments_contact_id_fkey;
  alter table contacts drop constraint contacts_pkey, add constraint contacts_pkey primary key using index contacts_id_project_key;
  alter table events add constraint events_contact_fkey
    foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade not valid;
  alter table enrollments add constraint enrollments_contact_fkey
    foreign key (contact_id, project_id) references contacts (id, project_id) on delete cascade not valid;

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
const CHECKED_KEYS = [
  'alter table events validate constraint events_contact_fkey',
  'alter table enrollments validate constraint enrollments_contact_fkey',
];

/** Only what is beyond ASCII has other spellings: domains were stored in lower case before, too. */
const ADDRESSES = `
  select distinct email as text from (
    select email from contacts union all select email from suppressions union all select to_email from sends
    union all select email from provider_events union all select from_email from brands union all select reply_to from brands
    union all select from_email from template_settings) stored
  where octet_length(split_part(email, '@', 2)) > char_length(split_part(email, '@', 2))`;
const DOMAINS = 'select distinct domain as text from sending_domains where octet_length(domain) > char_length(domain)';

/** The mailboxes that are still to be folded, and those of them whose turn it is. */
const NEXT_MAILBOXES = `
  drop table if exists folded_mailboxes, mailboxes_now;
  create temporary table folded_mailboxes as select distinct spelling from folded;
  create temporary table mailboxes_now (text text primary key, spelling text not null);
`;

/** What is a log only, by the column of the address. */
const LOGGED = [
  ['sends', 'to_email'],
  ['provider_events', 'email'],
] as const;

/**
 * Contacts whose spellings were of one mailbox become the oldest of them, with everything that happened to any: the strictest status, all
 * tags and attributes, the names of the oldest that has one, every enrollment, event and mail. Their ids stay known, for the links in mails
 * that went out.
 */
const MERGE_CONTACTS = `
  select 1 from contacts where email in (select text from mailboxes_now) order by email for update;
  create temporary table mailboxes on commit drop as
    select c.id, c.project_id, m.spelling, first_value(c.id) over mailbox as kept_id, row_number() over mailbox as place
    from contacts c join mailboxes_now m on m.text = c.email
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

/** Of suppressions of one mailbox the oldest stays, a complaint before it. */
const FOLD_SUPPRESSIONS = `
  insert into suppressions as s (project_id, email, reason, created_at)
  select o.project_id, m.spelling, (array_agg(o.reason order by o.reason <> 'complaint', o.created_at))[1], min(o.created_at)
  from suppressions o join mailboxes_now m on m.text = o.email and m.text <> m.spelling group by o.project_id, m.spelling
  on conflict (project_id, email) do update set created_at = least(s.created_at, excluded.created_at),
    reason = case when s.reason <> 'complaint' and (excluded.reason = 'complaint' or excluded.created_at < s.created_at)
                  then excluded.reason else s.reason end;
  delete from suppressions s using mailboxes_now m where s.email = m.text and m.text <> m.spelling;
`;

/** The next mailboxes, in one transaction. */
const FOLD_MAILBOXES = `
  truncate mailboxes_now;
  with next as (
    delete from folded_mailboxes where ctid = any(array(select ctid from folded_mailboxes limit ${MAILBOXES_AT_ONCE})) returning spelling)
  insert into mailboxes_now
    select text, spelling from folded join next using (spelling) union select spelling, spelling from next;
  ${FOLD_SUPPRESSIONS}
  ${MERGE_CONTACTS}
`;

/** What there is little of. Of sending domains the oldest stays, verified when one of them was. */
const FOLD_OTHERS = `
  with old as (
    delete from sending_domains d using folded_domains f where d.domain = f.text
    returning d.id, d.project_id, f.spelling, d.verified, d.created_at)
  insert into sending_domains as d (id, project_id, domain, verified, created_at)
  select (array_agg(id order by created_at))[1], project_id, spelling, bool_or(verified), min(created_at) from old group by project_id, spelling
  on conflict (project_id, domain) do update set verified = d.verified or excluded.verified;

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
  create or replace function searchable(value text) returns text language sql immutable strict parallel safe as $$
    select translate(encode(translate(lower(value), E'\\\\', '')::bytea, 'escape'), E'\\\\', '')
  $$;
`;

/**
 * New entries wait in a list, which costs a write a third of putting them in their places one by one, and which every search reads through:
 * it is kept short.
 */
const PENDING = 'with (gin_pending_list_limit = 1024)';
const SEARCH_INDEXES = [
  [
    'contacts_search_idx',
    `contacts using gin (project_id, searchable(
    email || E'\\n' || coalesce(first_name, '') || E'\\n' || coalesce(last_name, '') || E'\\n' || coalesce(display_name, '')) gin_trgm_ops) ${PENDING}`,
  ],
  ['contacts_project_tags_idx', `contacts using gin (project_id, tags) ${PENDING}`],
  // Not of intents: what is written before the provider is called costs nothing more.
  ['sends_search_idx', `sends using gin (project_id, searchable(to_email) gin_trgm_ops) ${PENDING} where status is not null`],
] as const;

/** Like contact_counts, for each tag. Rows that are sums are told apart, so that summing up reads only what is new. */
const TAG_COUNTS = `
  create table contact_tag_counts (
    id bigserial,
    project_id uuid not null,
    tag text not null,
    status text not null,
    delta bigint not null,
    is_sum boolean not null default false,
    constraint contact_tag_counts_pkey primary key (id)
  );
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

/** What the triggers have not counted: one statement sees contacts and counts at one instant, so it needs no lock. */
const COUNT_TAGS = `
  insert into contact_tag_counts (project_id, tag, status, delta, is_sum)
  select project_id, tag, status, sum(change), true from (
    select project_id, t.tag, status, count(*) as change from contacts, unnest(tags) t(tag) group by project_id, t.tag, status
    union all
    select project_id, tag, status, -sum(delta) from contact_tag_counts group by project_id, tag, status) missing
  group by project_id, tag, status having sum(change) <> 0`;
