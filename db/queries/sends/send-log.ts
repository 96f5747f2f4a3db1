import { type RawBuilder, sql } from 'kysely';
import { validate as isUuid } from 'uuid';
import { restOf } from '../../../domain/campaigns/ab-test.ts';
import type { Datum } from '../../../domain/sends/metadata.ts';
import type { SendType } from '../../../domain/sends/send.ts';
import type { SendDetails } from '../../../domain/sends/send-details.ts';
import { type KeysetPage, type Place, pageOf, type Reach } from '../../cursor-page.ts';
import type { ProviderEventRow, SendRow } from '../../entities/index.ts';
import { groupedBy } from '../../grouped-rows.ts';
import type { EntityManager } from '../../orm.ts';
import { LOWEST_ID } from '../../outermost-ids.ts';
import { row, rows } from '../../rows.ts';
import { searchPage } from '../../search.ts';
import { contains, hasTrigrams, mayContain, rareParts } from '../../text-search.ts';

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
  if (variant !== undefined) conditions.push(sql`variant in (${variant}, ${restOf(variant)})`);
  if (tag !== undefined) conditions.push(hasDetails({ tags: [tag] }));
  if (datum) conditions.push(hasDetails({ metadata: { [datum.name]: datum.value } }));
  if (deliveryStatus) conditions.push(reportedAs(deliveryStatus));
  const list = sql.join(conditions, sql` and `);
  if (q) {
    const byIndex = (reach: Reach) => sendsFound(em, projectId, { ...filter, q }, list, reach);
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
  conditions.push(...within({ from, to }));
  return conditions;
}

function within({ from, to }: Pick<SendFilter, 'from' | 'to'>): RawBuilder<unknown>[] {
  return [...(from ? [sql`created_at >= ${from}`] : []), ...(to ? [sql`created_at < ${to}`] : [])];
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
async function sendsFound(
  em: EntityManager,
  projectId: string,
  filter: Searched,
  list: RawBuilder<unknown>,
  reach: Reach,
): Promise<SendRow[]> {
  const { q } = filter;
  const { beyond, nearestFirst, limit } = reach;
  const [ofPeople = []] = await rareParts(em, { table: 'contacts', list: sql`project_id = ${projectId}`, columns: ['email'] }, q);
  const strangers = (await strangersFound(em, projectId, filter, list, reach)).map(({ id }) => id);
  return rows(
    em,
    sql<SendRow>`
      with people as materialized (
        select id from contacts where project_id = ${projectId} and ${mayContain('email', ofPeople)} and ${contains(['email'], q)}
      ), found as materialized (
        select mails.* from people cross join lateral (
          select id, created_at from sends where contact_id = people.id and ${list} and ${beyond} ${nearestFirst} limit ${limit}) mails
        union all
        select id, created_at from sends where id = any(${strangers}::uuid[])
        union
        select id, created_at from sends where provider_id = ${q} and ${list} and ${beyond}
      ), page as materialized (select id from found ${nearestFirst} limit ${limit})
      select s.* from page join sends s using (id) ${nearestFirst}`,
  );
}

type Searched = SendFilter & { readonly q: string };
type Found = Pick<SendRow, 'id' | 'created_at'>;

/** No more than this are looked at one by one where they lie. */
const FEW = 1_000;
/** So many mails to people who are no contacts are walked through, by an index that has their addresses: half as long as it takes to find very many by text. */
const WALKED = 100_000;

/**
 * The nearest mails to people who are no contacts, no more than within reach. Those that the index of texts names lie scattered about the table, so
 * that to read them all for their times takes long where they are many: then they are met soon by going through the addresses in the order of pages.
 */
async function strangersFound(
  em: EntityManager,
  projectId: string,
  filter: Searched,
  list: RawBuilder<unknown>,
  { beyond, nearestFirst, limit }: Reach,
): Promise<Found[]> {
  const latest = sql`
    select to_email, contact_id, created_at, id from sends where project_id = ${projectId} and status is not null
    order by created_at desc, id desc limit ${sql.lit(NEAR_STRANGERS)}`;
  const [parts = []] = await rareParts(em, { table: latest, list: sql`contact_id is null`, columns: ['to_email'] }, filter.q);
  const indexed = sql`contact_id is null and project_id = ${projectId} and status is not null and ${mayContain('to_email', parts)}`;
  const wanted = contains(['to_email'], filter.q);
  if (hasTrigrams(parts)) {
    // A limit that the planner does not know: by one that it knows it might go through the table until it has met so many.
    const few = await rows(
      em,
      sql<Found & { readonly isMany: boolean }>`
        with few as materialized (select * from sends where ${indexed} limit (select ${FEW + 1}::integer)),
        page as materialized (select id, created_at from few where ${list} and ${beyond} and ${wanted} ${nearestFirst} limit ${limit})
        select counted."isMany", page.* from (select count(*) > ${FEW} as "isMany" from few) counted left join page on true`,
    );
    if (!few[0]?.isMany) return few.filter(({ id }) => id);
    const walked = await rows(em, walkStrangers(projectId, filter, list, { beyond, nearestFirst, limit }));
    if (walked.length === limit) return walked;
  }
  // By an order that no index has, so that the index of texts is the one that is read.
  return rows(
    em,
    sql<Found>`
      select id, created_at from (
        select id, created_at + interval '0' as created_at from sends where ${list} and ${beyond} and ${indexed} and ${wanted}) unordered
      ${nearestFirst} limit ${limit}`,
  );
}

/** Of those that have the text one in so many has to be in the list, which is seen in the mails themselves. */
const MET = 4;

function walkStrangers(
  projectId: string,
  { q, from, to }: Searched,
  list: RawBuilder<unknown>,
  { beyond, nearestFirst, limit }: Reach,
): RawBuilder<Found> {
  const strangers = [
    sql`num_nonnulls(contact_id) = 0 and project_id = ${projectId} and status is not null`,
    ...within({ from, to }),
    beyond,
  ];
  return sql`
    select id, created_at from (
      select id, created_at from (
        select id, created_at, to_email from sends where ${sql.join(strangers, sql` and `)} ${nearestFirst} limit ${WALKED}) walked
      where ${contains(['to_email'], q)} ${nearestFirst} limit ${MET * limit}) met
    where (select true from sends where id = met.id and ${list}) ${nearestFirst} limit ${limit}`;
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

/** What the provider reported about each of these sends, in the order in which it happened. */
export async function reportsOf(em: EntityManager, projectId: string, sendIds: readonly string[]): Promise<Map<string, ShownReport[]>> {
  const found = await rows(
    em,
    sql<ShownReport & { readonly send_id: string }>`
      select r.send_id, r.provider, r.type, r.details, r.email, r.occurred_at, r.received_at from unnest(${sendIds}::uuid[]) s(id)
      cross join lateral (
        select * from provider_events where send_id = s.id and project_id = ${projectId}
        order by occurred_at, received_at, id limit ${MOST_REPORTS}) r
      order by r.occurred_at, r.received_at, r.id`,
  );
  return groupedBy(sendIds, 'send_id', found);
}

/** Whose mails are asked for. */
export interface Addressee {
  readonly id: string;
  readonly project_id: string;
  readonly email: string;
}

/** Mails with copies to one address, as far as the index of details is read for a page. */
const FEW_COPIES = 10_000;

/** Mails to others of which the person was to get a copy, newest first, as far as they have their outcome. */
export async function copiesTo(em: EntityManager, { id, project_id, email }: Addressee, place: Place): Promise<KeysetPage<SendRow>> {
  const copied = sql`project_id = ${project_id} and status is not null and (${hasDetails({ cc: [{ email }] })} or ${hasDetails({ bcc: [{ email }] })})
    and contact_id is distinct from ${id}::uuid and to_email <> ${email}`;
  // A limit that the planner does not know, as where strangers are found.
  const few = sql`select id, created_at from sends where ${copied} limit (select ${FEW_COPIES + 1}::integer)`;
  const counted = await row(em, sql<{ isMany: boolean }>`select count(*) > ${FEW_COPIES} as "isMany" from (${few}) few`);
  return pageOf(place, (bounds, { nearestFirst }) =>
    rows(
      em,
      counted?.isMany
        ? sql<SendRow>`select * from sends where ${copied} and ${bounds}`
        : sql<SendRow>`
            with few as materialized (${few}), page as materialized (select id from few where ${bounds})
            select s.* from page join sends s using (id) ${nearestFirst}`,
    ),
  );
}
