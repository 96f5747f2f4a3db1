import type { Client } from 'pg';
import type { BenchProject } from './bench-stack.ts';

/** Rows of a project of some years' age, written by SQL. */
export interface Filling {
  readonly database: Client;
  readonly project: Pick<BenchProject, 'projectId'>;
  readonly progress: (line: string) => void;
}

/** person-1 to person-<count>, on four domains, with names and tags that searches find many, few or none of. */
export async function fillContacts({ database, project, progress }: Filling, count: number): Promise<void> {
  progress(`filling in ${count} contacts`);
  await withoutIndex(database, 'contacts_columns_idx', () =>
    database.query(
      `insert into contacts (id, project_id, email, status, brand_id, source, first_name, last_name, tags, created_at)
       select uuid_v7(), $1, 'person-' || n || '@' || (array['to.example', 'gmail.example', 'mail.example', 'post.example'])[1 + n % 4],
              case when n % 10 = 8 then 'unsubscribed' else 'subscribed' end, b.slug, 'import',
              'First' || n % 1000 || ' ', case when n % 100 = 3 then 'Мария' || n % 100000 / 10 else 'Last' || n end,
              array_remove(array['group-' || n % 100, case when n % 2 = 0 then 'half' end, case when n % 10000 = 0 then 'few' end,
                                 case when n <= $2::integer / 10 then 'imported' end], null),
              now() - make_interval(secs => $2::integer - n + 60)
       from brands b, generate_series(1, $2::integer) n`,
      [project.projectId, count],
    ),
  );
}

/**
 * Mails to those contacts, ten a second up to now; so large a share of them to nobody who is a contact. Of those delivered a third are
 * opened and a tenth clicked.
 */
export async function fillSends({ database, project, progress }: Filling, count: number, strangers: number): Promise<void> {
  progress(`filling in ${count} sends`);
  await withoutIndex(database, 'sends_stranger_trigrams_idx', () =>
    database.query(
      `insert into sends (id, project_id, contact_id, brand_id, to_email, template, type, subject, status, provider_id, source_type, closed_at,
                          created_at, first_opened_at, first_clicked_at)
       select uuid_v7(), $1, c.id, b.slug, s.email, 'welcome', 'transactional', 'Hello ' || n, 'sent', 'id-' || n, 'api', now(), s.at,
              case when n % 3 = 0 then s.at end, case when n % 10 = 0 then s.at end
       from brands b cross join (
         select n, now() - make_interval(secs => ($2::integer - n) / 10.0) as at,
                case when n <= 20 then 'early-adopter-' || n when n * 7919::bigint % 1009 < 1009 * $3::float8 then 'guest-person-' || n % 900000
                     else 'person-' || n % 900000 end || '@' ||
                (array['to.example', 'gmail.example', 'mail.example', 'post.example'])[1 + n % 4] as email
         from generate_series(1, $2::integer) n) s
       left join contacts c on c.project_id = $1 and c.email = s.email
       order by n`,
      [project.projectId, count, strangers],
    ),
  );
}

/** Made anew at the end: that takes a fraction of the time. */
async function withoutIndex(database: Client, name: string, fill: () => Promise<unknown>): Promise<void> {
  const { rows } = await database.query<{ definition: string }>('select pg_get_indexdef($1::regclass) as definition', [name]);
  await database.query(`drop index ${name}`);
  await fill();
  await database.query(rows[0]?.definition ?? '');
}
