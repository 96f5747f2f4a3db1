import { sql } from 'kysely';
import { row } from '../../db/rows.ts';
import { database, type TestProject } from './project.ts';

/** What became of mails that were sent. */
export interface BecomeOf {
  /** The sending domain and the receiver. */
  readonly from: string;
  readonly to: string;
  readonly complained?: number;
  readonly hard?: number;
  readonly soft?: number;
  readonly hoursAgo?: number;
  /** Nobody says which of them was delivered. */
  readonly isUnreported?: boolean;
}

/** Writes so many mails that were sent so long ago; what did not come back and was not complained about was delivered. */
export async function writeMails({ id, slug }: Pick<TestProject, 'id' | 'slug'>, mails: number, of: BecomeOf): Promise<void> {
  const { from, to, complained = 0, hard = 0, soft = 0, hoursAgo = 0, isUnreported = false } = of;
  const [hardTo, softTo] = [complained + hard, complained + hard + soft];
  await row(
    await database(),
    sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type, created_at, status, delivery_status, bounce_kind, from_domain, receiver)
        select gen_random_uuid(), ${id}, ${slug}, n || '@to.example', 't', 'marketing', 'api', now() - make_interval(hours => ${hoursAgo}), 'sent',
               case when n <= ${complained} then 'complained' when n <= ${softTo} then 'bounced' else ${isUnreported ? null : 'delivered'} end,
               case when n > ${complained} and n <= ${hardTo} then 'hard' when n > ${hardTo} and n <= ${softTo} then 'soft' end, ${from}, ${to}
        from generate_series(1, ${mails}::integer) n`,
  );
}
