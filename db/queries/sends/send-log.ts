import { type RawBuilder, sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import type { Datum } from '../../../domain/sends/metadata.ts';
import type { SendType } from '../../../domain/sends/send.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../../cursor-page.ts';
import type { ProviderEventRow, SendRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { searchPage } from '../../search.ts';
import { contains, mayContain, rareParts } from '../../text-search.ts';

/** `none`: it was sent, and nothing was reported. */
export type DeliveryStatusFilter = 'queued' | 'delivered' | 'bounced' | 'complained' | 'none';

export interface SendFilter {
  readonly template?: string | undefined;
  readonly type?: SendType | undefined;
  readonly status?: 'sent' | 'failed' | undefined;
  readonly contactId?: string | undefined;
  readonly sourceType?: string | undefined;
  readonly sourceId?: string | undefined;
  /** The key of an arm of a campaign with a test. */
  readonly variant?: string | undefined;
  readonly deliveryStatus?: DeliveryStatusFilter | undefined;
  /** Whether it never left. */
  readonly sandboxed?: boolean | undefined;
  /** Opened at or after it. */
  readonly from?: Date | undefined;
  /** Opened before it. */
  readonly to?: Date | undefined;
  readonly tag?: string | undefined;
  readonly datum?: Datum | undefined;
  /** Part of the recipient's address, or the whole id that the provider gave the mail. */
  readonly q?: string | undefined;
}

/** What a mail has before it goes, and then by the same names. */
export type SharedFilter = Pick<SendFilter, 'template' | 'type' | 'contactId' | 'sandboxed' | 'from' | 'to'>;

/** A page of what one send in two hundred has is among so many. */
const NEAR = 10_000;

/** The send log, newest first: one row an attempt that has its outcome. */
export async function listSends(em: EntityManager, projectId: string, filter: SendFilter, place: Place): Promise<KeysetPage<SendRow>> {
  const { status, sourceType, sourceId, variant, deliveryStatus, tag, datum, q } = filter;
  const conditions = [sql`project_id = ${projectId}`, sql`status is not null`, ...alsoOfScheduled(filter)];
  if (status) conditions.push(sql`status = ${status}`);
  if (sourceType !== undefined) conditions.push(sql`source_type = ${sourceType}`);
  if (sourceId !== undefined) conditions.push(sql`source_id = ${sourceId}`);
  if (variant !== undefined) conditions.push(sql`variant = ${variant}`);
  if (tag !== undefined) conditions.push(hasDetails({ tags: [tag] }));
  if (datum) conditions.push(hasDetails({ metadata: { [datum.name]: datum.value } }));
  if (deliveryStatus) conditions.push(reportedAs(deliveryStatus));
  const list = sql.join(conditions, sql` and `);
  if (q) {
    const byIndex = (reach: Reach) => sendsFound(em, projectId, q, list, reach);
    return searchPage(
      em,
      { table: 'sends', list, wanted: sql`(${contains(['to_email'], q)} or provider_id = ${q})`, near: NEAR, byIndex },
      place,
    );
  }
  const counted = place.direction === 'next' ? hourlyCounter(filter) : undefined;
  return pageOf(place, (bounds, reach) =>
    rows(
      em,
      counted ? byHours(projectId, filter, counted, list, place, reach) : sql<SendRow>`select * from sends where ${list} and ${bounds}`,
    ),
  );
}

export function alsoOfScheduled({ template, type, contactId, sandboxed, from, to }: SharedFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (template !== undefined) conditions.push(sql`template = ${template}`);
  if (type) conditions.push(sql`type = ${type}`);
  if (contactId) conditions.push(sql`contact_id = ${contactId}`);
  // Seen in the text: what never left has an index.
  if (sandboxed !== undefined) conditions.push(sandboxed ? sql`sandboxed` : sql`not sandboxed`);
  if (from) conditions.push(sql`created_at >= ${from}`);
  if (to) conditions.push(sql`created_at < ${to}`);
  return conditions;
}

/** What the call said of the mail; the few that have any have an index. */
function hasDetails(details: SendDetails): RawBuilder<unknown> {
  return sql`(details is not null and details @> ${JSON.stringify(details)}::jsonb)`;
}

/** Mails that came back have an index: its predicate has to be seen in the text. */
function reportedAs(deliveryStatus: DeliveryStatusFilter): RawBuilder<unknown> {
  return deliveryStatus === 'none' ? sql`status = 'sent' and delivery_status is null` : sql`delivery_status = ${sql.lit(deliveryStatus)}`;
}

/** The number of an hour that is 0 when it has no such mails; undefined where an index finds them. */
function hourlyCounter({ deliveryStatus, status, sandboxed, contactId, sourceId }: SendFilter): RawBuilder<unknown> | undefined {
  if (status === 'failed' || sandboxed || contactId !== undefined || sourceId !== undefined) return undefined;
  switch (deliveryStatus) {
    case 'delivered':
    case 'queued':
      return sql.ref(deliveryStatus);
    case 'none':
      return sql`unreported`;
    default:
      return undefined;
  }
}

/** Looks into those hours only that have such mails, the latest first, and no further than the page reaches. */
function byHours(
  projectId: string,
  { from, to }: SendFilter,
  counted: RawBuilder<unknown>,
  list: RawBuilder<unknown>,
  place: Place,
  { nearestFirst, limit }: Reach,
): RawBuilder<SendRow> {
  const [at, id] = [place.from?.createdAt ?? to ?? null, place.from?.id ?? LOWEST_ID];
  const within = sql`project_id = ${projectId} and hour <= coalesce(${at}::timestamptz, 'infinity')
    and hour > coalesce(${from ?? null}::timestamptz, '-infinity') - interval '1 hour'`;
  // One upper bound, which is where the index is entered: with two it might be read from the one to the other.
  return sql`
    select s.* from (
      select hour, least(hour + interval '1 hour', ${at}::timestamptz) as "end",
             case when hour + interval '1 hour' <= ${at}::timestamptz then ${LOWEST_ID}::uuid else ${id}::uuid end as end_id
      from (
        select hour, ${counted} as count from send_counts where ${within}
        union all
        select hour, ${counted} from send_count_changes where ${within}) counted
      group by hour having sum(count) > 0 order by hour desc) h
    cross join lateral (
      select * from sends where ${list} and created_at >= h.hour and (created_at, id) < (h."end", h.end_id) ${nearestFirst} limit ${limit}) s
    order by h.hour desc, s.created_at desc, s.id desc limit ${limit}`;
}

/** Among so many of the latest mails there are enough to people who are no contacts, where there are many. */
const NEAR_STRANGERS = 2_000;

/**
 * The mails to a contact are found by its address, which never changes: a send costs no entry in an index of texts unless it is to
 * somebody who is no contact. What has the text as its provider's id has an index of its own. What is common among contacts need not be
 * so among the others, nor the other way round.
 */
async function sendsFound(em: EntityManager, projectId: string, q: string, list: RawBuilder<unknown>, reach: Reach): Promise<SendRow[]> {
  const { beyond, nearestFirst, limit } = reach;
  const latest = sql`
    select to_email, contact_id, created_at, id from sends where project_id = ${projectId} and status is not null
    order by created_at desc, id desc limit ${sql.lit(NEAR_STRANGERS)}`;
  const ofPeople = await rareParts(em, { table: 'contacts', list: sql`project_id = ${projectId}`, columns: ['email'] }, q);
  const ofStrangers = await rareParts(em, { table: latest, list: sql`contact_id is null`, columns: ['to_email'] }, q);
  // By an order that no index has, so that the index of texts is the one that is read.
  const nearestStrangers = sql`
    select id, created_at from (
      select id, created_at + interval '0' as created_at from sends
      where contact_id is null and ${list} and ${beyond} and ${mayContain(sql`to_email`, ofStrangers)} and ${contains(['to_email'], q)}) unordered
    ${nearestFirst} limit ${limit}`;
  return rows(
    em,
    sql<SendRow>`
      with people as materialized (
        select id from contacts where project_id = ${projectId} and ${mayContain(sql`email`, ofPeople)} and ${contains(['email'], q)}
      ), found as materialized (
        select mails.* from people cross join lateral (
          select id, created_at from sends where contact_id = people.id and ${list} and ${beyond} ${nearestFirst} limit ${limit}) mails
        union all
        (${nearestStrangers})
        union
        select id, created_at from sends where provider_id = ${q} and ${list} and ${beyond}
      ), page as materialized (select id from found ${nearestFirst} limit ${limit})
      select s.* from page join sends s using (id) ${nearestFirst}`,
  );
}

/** A report of the provider about a mail, as the API shows it. */
export type ShownReport = Pick<ProviderEventRow, 'provider' | 'type' | 'details' | 'email' | 'occurred_at' | 'received_at'>;

/** Far more than any provider tells about one mail. */
const MOST_REPORTS = 100;

/** The row with this id, else the latest with this provider's id, as far as it has its outcome. */
export async function findSend(em: EntityManager, projectId: string, id: string): Promise<SendRow | undefined> {
  const shown = sql`project_id = ${projectId} and status is not null`;
  const byId = isUuid(id) ? await row(em, sql<SendRow>`select * from sends where id = ${id} and ${shown}`) : undefined;
  const byProvider = sql<SendRow>`select * from sends where provider_id = ${id} and ${shown} order by created_at desc limit 1`;
  return byId ?? row(em, byProvider);
}

/** What the provider reported about a send, in the order in which it happened. */
export async function reportsOf(em: EntityManager, sendId: string): Promise<ShownReport[]> {
  return rows(
    em,
    sql<ShownReport>`
      select provider, type, details, email, occurred_at, received_at from provider_events where send_id = ${sendId}
      order by occurred_at, received_at, id limit ${MOST_REPORTS}`,
  );
}
