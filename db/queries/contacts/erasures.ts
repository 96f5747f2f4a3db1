import { sql } from 'kysely';
import { KNOWN_RECEIVERS } from '../../../domain/sends/receiver-group.ts';
import { IN_FLIGHT_MS } from '../../../domain/sends/submission-times.ts';
import { Contact, type ContactRow, Erasure, type ErasureRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { row, rows } from '../../rows.ts';
import { mayContain, rareParts } from '../../text-search.ts';
import { forgetClicks } from '../campaigns/kept-results.ts';
import { eraseLeftOut } from '../campaigns/left-out.ts';
import { forgetMember } from '../segments/segment-triggers.ts';
import { withoutCopy } from '../sends/copies.ts';
import { forgetEntries } from '../sequences/date-entries.ts';
import { leaveActions } from '../sequences/enrollment-actions.ts';
import { eraseAnswers } from '../webhooks/webhook-answers.ts';

/**
 * Takes the address out of the audiences of campaigns to single people: of those that recur, of those that ran, and of those that are still to run.
 * Whether it was in one: then it may be in one more, which was copied from that while this waited for its lock.
 */
export async function leaveAudiences(tx: EntityManager, projectId: string, email: string): Promise<boolean> {
  // First, since each makes campaigns: what one has made while this waited for its row is found after it.
  const leftRecurring = await rows(
    tx,
    sql`
      update recurring_campaigns r set audience = jsonb_set(audience, '{emails}', (audience -> 'emails') - ${email}::text)
      where r.project_id = ${projectId} and r.audience ->> 'mode' = 'people' and r.audience -> 'emails' @> ${JSON.stringify([email])}::jsonb
      returning r.id`,
  );
  const left = await rows(
    tx,
    sql`
      with named as materialized (
        select id from campaigns where project_id = ${projectId} and audience ->> 'mode' = 'people'
          and audience -> 'emails' @> ${JSON.stringify([email])}::jsonb order by id for no key update)
      update campaigns c set audience = jsonb_set(audience, '{emails}', (audience -> 'emails') - ${email}::text) where c.id = any(array(select id from named))
      returning c.id`,
  );
  return left.length > 0 || leftRecurring.length > 0;
}

/** Keeps of a suppressed address only what tells that it is the same. */
export async function hashSuppression(tx: EntityManager, projectId: string, email: string): Promise<void> {
  await row(
    tx,
    sql`
      with plain as (delete from suppressions where project_id = ${projectId} and email = ${email} returning *)
      insert into erased_suppressions (project_id, address_hash, reason, created_at)
      select project_id, address_hash(project_id, email), reason, created_at from plain on conflict do nothing`,
  );
}

/** Deletes a contact whose row is locked with its events, and notes that traces of it are still to be erased. */
export async function deleteContact(tx: EntityManager, contact: ContactRow, now: Date): Promise<ErasureRow> {
  const { id, project_id, email } = contact;
  const erasure = { project_id, contact_id: id, email, begun_at: now };
  await tx.upsert(Erasure, erasure);
  await forgetMember(tx, contact);
  await forgetEntries(tx, contact.id);
  await tx.nativeDelete(Contact, { id, project_id });
  return erasure;
}

/** Erasures that were begun before and whose process has not come to their end. */
export async function openErasures(em: EntityManager, begunBefore: Date, limit: number): Promise<ErasureRow[]> {
  return rows(em, sql<ErasureRow>`select * from erasures where begun_at < ${begunBefore} order by begun_at limit ${limit}`);
}

/** Whether a mail of a campaign to the contact is in flight at this instant: its batch is open, and it has no row yet. */
export async function isInOpenBatch(em: EntityManager, { project_id, contact_id }: ErasureRow): Promise<boolean> {
  const found = await row(
    em,
    sql`
      select 1 from campaign_pages g
      where g.state = 'open' and g.opened_at > now() - make_interval(secs => ${IN_FLIGHT_MS / 1000}::double precision)
        and ${contact_id}::uuid = any(g.contact_ids) and (select c.project_id from campaigns c where c.id = g.campaign_id) = ${project_id}
        and not exists (select 1 from sends s where s.id = g.send_ids[array_position(g.contact_ids, ${contact_id}::uuid)])
      limit 1`,
  );
  return found !== undefined;
}

/** Of a mail to who was erased: who else got it, so that a report about a copy is not taken for one about them. */
const COPIES_OF_OTHERS = sql.raw(
  `nullif(jsonb_strip_nulls(jsonb_build_object('cc', s.details -> 'cc', 'bcc', s.details -> 'bcc')), '{}'::jsonb)`,
);

/** Takes an address out of the mails that it got a copy of, which stay those of others. */
async function eraseCopies(tx: EntityManager, { project_id, email, begun_at }: ErasureRow): Promise<void> {
  const has = (list: 'cc' | 'bcc') => sql`details @> ${JSON.stringify({ [list]: [{ email }] })}::jsonb`;
  await row(
    tx,
    sql`
      with locked as materialized (
        select id from sends where project_id = ${project_id} and details is not null and (${has('cc')} or ${has('bcc')})
          and created_at <= ${begun_at} order by id for update
      ), mails as (
        update sends s set error = split_part(s.error, ': ', 1), request_hash = null, freed_key = null, details = ${withoutCopy(sql.ref('s.details'), email)}
        from locked where s.id = locked.id
      )
      update provider_events p set email = null from locked where p.send_id = locked.id and p.email = ${email}`,
  );
}

/**
 * Takes the person out of everything that tells of them: mails to the contact or, before it was one, to its address; what providers and
 * readers did with these; runs, which stay under an id of nobody; and outgoing events. What is counted stays. Repeating it changes nothing.
 */
export async function eraseTraces(tx: EntityManager, erasure: ErasureRow, nobody: string): Promise<void> {
  const { project_id, contact_id, email, begun_at } = erasure;
  const list = sql`project_id = ${project_id} and status is not null`;
  const [parts = []] = await rareParts(tx, { table: 'sends', list, columns: ['to_email'] }, email);
  const toAddress = sql`project_id = ${project_id} and contact_id is null and to_email = ${email} and created_at <= ${begun_at}`;
  await row(
    tx,
    sql`
      with found as materialized (
        select id from sends where contact_id = ${contact_id} and project_id = ${project_id}
        union
        select id from sends where ${toAddress} and status is not null and ${mayContain('to_email', parts)}
        union
        select id from sends where ${toAddress} and status is null
      ), locked as materialized (
        select id, source_type, source_id from sends where id in (select id from found) order by id for update
      ), mails as (
        update sends s set to_email = '', contact_id = null, subject = '', error = split_part(error, ': ', 1), request_hash = null,
          freed_key = null, answer_notes = null, details = ${COPIES_OF_OTHERS},
          receiver = case when receiver = any(${[...KNOWN_RECEIVERS]}) then receiver end
        from locked where s.id = locked.id
      ), hits as (
        delete from send_hits h using locked where h.send_id = locked.id returning h.url, locked.source_type, locked.source_id
      ), ${forgetClicks(sql.ref('hits'))}
      update provider_events p set email = null, details = p.details - 'url' from locked where p.send_id = locked.id`,
  );
  await eraseCopies(tx, erasure);
  await eraseLeftOut(tx, erasure);
  await row(
    tx,
    sql`
      with gone as (
        delete from import_refusals r using imports i where r.email = ${email} and i.id = r.import_id and i.project_id = ${project_id}
        returning r.import_id, r.row
      )
      update imports i set problems = (
        select jsonb_agg(
          case when exists (select from gone g where g.import_id = i.id and g.row = (p.problem ->> 'row')::integer)
          then p.problem || '{"message": "erased with the contact"}'::jsonb else p.problem end order by p.place)
        from jsonb_array_elements(i.problems) with ordinality p(problem, place))
      where i.id in (select import_id from gone) and jsonb_array_length(i.problems) > 0`,
  );
  await row(
    tx,
    sql`
      with runs as (
        update enrollments set contact_id = ${nobody}, event_id = null where contact_id = ${contact_id} and project_id = ${project_id} returning id
      ), digests as (
        update digests d set key = null, event_ids = '{}' from runs where d.enrollment_id = runs.id
      )
      update enrollment_steps st set detail = null from runs where st.enrollment_id = runs.id and st.detail is not null`,
  );
  await leaveActions(tx, erasure);
  const erased = await rows(
    tx,
    sql<{ id: string }>`
      update webhook_events v set data = case when v.type like 'contact.%' then '{"erased": true}'::jsonb
        else (v.data - '{email,subject,url,tags,metadata}'::text[]) || '{"contact_id": null, "erased": true}'::jsonb end
      where coalesce(data ->> 'contact_id', data ->> 'id', data ->> 'email') = any(array[${contact_id}::text, ${email}::text])
        and v.project_id = ${project_id} and (data ->> 'contact_id' is not null or v.type like 'contact.%' or v.created_at <= ${begun_at})
      returning v.id`,
  );
  await eraseAnswers(
    tx,
    erased.map(({ id }) => id),
  );
  await row(tx, sql`delete from erasures where project_id = ${project_id} and contact_id = ${contact_id}`);
}
