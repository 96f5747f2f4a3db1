import { type RawBuilder, sql } from 'kysely';
import type { SendType } from '../../../domain/sends/send.ts';
import type { LeftOut } from '../../../domain/sends/send-details.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement, row } from '../../rows.ts';
import { wordOf } from './gate-verdict.ts';
import { copyRefusal } from './permission.ts';

/** Whom one mail of a batch is copied to. */
export interface CopiesQuery {
  readonly projectId: string;
  readonly type: SendType;
  /** Of the mail; undefined: of none. */
  readonly topic: string | undefined;
  readonly emails: readonly string[];
}

const LEFT_OUT = preparedStatement(sql<{ place: number; email: string; reason: LeftOut['reason'] }>`
  select a.place, a.email, a.reason from (
    select r.place, c.email, c.nth,
           ${wordOf(copyRefusal({ projectId: sql`r.project_id`, email: sql`c.email`, type: sql`r.type`, topic: sql`r.topic` }))} as reason
    from json_to_recordset($1::json) as r(place integer, project_id uuid, type text, topic text, emails json)
    cross join lateral json_array_elements_text(r.emails) with ordinality as c(email, nth)) a
  where a.reason is not null order by a.place, a.nth`);

/** Which copies of each mail may not go at this instant, and why; in the order of the queries. */
export async function readLeftOut(em: EntityManager, batch: readonly CopiesQuery[]): Promise<LeftOut[][]> {
  const asked = batch.map(({ projectId, type, topic, emails }, place) => ({ place, project_id: projectId, type, topic, emails }));
  const leftOut: LeftOut[][] = batch.map(() => []);
  for (const { place, email, reason } of await LEFT_OUT(em, [JSON.stringify(asked)])) leftOut[place]?.push({ email, reason });
  return leftOut;
}

/** Whether every copy of the intent `j` that is to go may still go; one that may not has its mail made again. */
export const COPIES_MAY_GO = sql`case when j.copies is null then true else not exists (
  select 1 from json_array_elements_text(j.copies) as c(email)
  where ${copyRefusal({ projectId: sql`j.project_id`, email: sql`c.email`, type: sql`j.type`, topic: sql`(j.details ->> 'topic')` })} is not null) end`;

/** The details of a mail from which an address is taken out, wherever they name a copy to it. */
export function withoutCopy(details: RawBuilder<unknown>, email: string): RawBuilder<unknown> {
  const without = (list: 'cc' | 'bcc' | 'leftOut') => sql`case when ${details} ? ${sql.lit(list)} then (
    select coalesce(jsonb_agg(c.copy order by c.nth), '[]'::jsonb)
    from jsonb_array_elements(${details} -> ${sql.lit(list)}) with ordinality as c(copy, nth) where c.copy ->> 'email' <> ${email}) end`;
  return sql`${details} || jsonb_strip_nulls(jsonb_build_object('cc', ${without('cc')}, 'bcc', ${without('bcc')}, 'leftOut', ${without('leftOut')}))`;
}

/** Notes the copies that the mail server refused while it took the mail; not one that was erased meanwhile. */
export async function noteRefusedCopies(tx: EntityManager, sendId: string, refused: readonly LeftOut[]): Promise<void> {
  const added = JSON.stringify(refused);
  await row(
    tx,
    sql`update sends s set details = jsonb_set(details, '{leftOut}', coalesce(details -> 'leftOut', '[]'::jsonb) || (
          select coalesce(jsonb_agg(a.copy), '[]'::jsonb) from jsonb_array_elements(${added}::jsonb) as a(copy)
          where jsonb_build_array(jsonb_build_object('email', a.copy -> 'email')) <@ any(array[s.details -> 'cc', s.details -> 'bcc'])))
        where id = ${sendId} and details is not null`,
  );
}

/** Copies of a mail that did not go. */
export async function readLeftOutOf(em: EntityManager, sendId: string): Promise<readonly LeftOut[]> {
  const found = await row(em, sql<{ left_out: LeftOut[] | null }>`select details -> 'leftOut' as left_out from sends where id = ${sendId}`);
  return found?.left_out ?? [];
}
