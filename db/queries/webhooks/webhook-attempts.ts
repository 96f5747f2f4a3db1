import { type RawBuilder, sql } from 'kysely';
import type { WebhookDeliveryRow, WebhookEndpointRow } from '../../entities/index.ts';
import type { EntityManager } from '../../orm.ts';
import { preparedStatement, row, rows } from '../../rows.ts';
import { AGAINST_DELIVERIES, HAS_WAITING, IN_BURST } from './burst-or-workflow.ts';

/** A delivery with all that an attempt needs. */
export interface FoundDelivery
  extends Pick<WebhookDeliveryRow, 'id' | 'endpoint_id' | 'project_id' | 'event_id' | 'status' | 'attempts' | 'next_attempt_at'>,
    Pick<WebhookEndpointRow, 'url' | 'enabled' | 'sealed_secret' | 'sealed_previous_secret' | 'previous_secret_until' | 'keep_answers'> {
  readonly event_type: string;
  readonly event_data: unknown;
  readonly event_at: Date;
  /** Of the attempt that was asked for. */
  readonly token: string;
  /** It has begun, at `asked_at`. */
  readonly is_begun: boolean;
  readonly asked_at: Date;
  /** The attempt that was in flight before; null when there was none. */
  readonly held_token: string | null;
  readonly held_since: Date | null;
}

/** A delivery whose next attempt is to begin now. */
export interface AttemptToBegin {
  readonly id: string;
  readonly token: string;
  /** Though its time has not come. */
  readonly isHurried: boolean;
}

/** `asked`: rows of id, token and is_hurried. Begins what is pending, due, enabled and not in flight; an attempt begins at `$2`. */
function beginning(asked: RawBuilder<unknown>): RawBuilder<FoundDelivery> {
  return sql<FoundDelivery>`
    with asked as materialized (${asked}), found as materialized (
      select d.id, d.place, d.endpoint_id, d.project_id, d.event_id, d.status, d.attempts, d.next_attempt_at, w.url, w.enabled, w.keep_answers,
             w.sealed_secret, w.sealed_previous_secret, w.previous_secret_until, v.type as event_type, v.data as event_data, v.created_at as event_at,
             a.token, h.token as held_token, h.begun_at as held_since,
             d.status = 'pending' and w.enabled and h.token is null and (a.is_hurried or d.next_attempt_at <= now()) as may_begin
      from asked a join webhook_deliveries d on d.id = a.id join webhook_endpoints w on w.id = d.endpoint_id
      join webhook_events v on v.id = d.event_id left join webhook_attempts h on h.delivery_id = d.id
    ), begun as (
      insert into webhook_attempts (delivery_id, token, begun_at) select f.id, f.token, $2::timestamptz from found f where f.may_begin
      on conflict do nothing returning delivery_id, token
    )
    select f.id, f.endpoint_id, f.project_id, f.event_id, f.status, f.attempts, f.next_attempt_at, f.url, f.enabled, f.keep_answers,
           f.sealed_secret, f.sealed_previous_secret, f.previous_secret_until, f.event_type, f.event_data, f.event_at, f.token, f.held_token, f.held_since,
           (f.id, f.token) in (select delivery_id, token from begun) as is_begun, $2::timestamptz as asked_at
    from found f order by f.place`;
}

const BEGINNING = preparedStatement(
  beginning(sql`select * from json_to_recordset($1::json) as a(id uuid, token uuid, is_hurried boolean)`),
);

/**
 * Begins the attempts of a batch that may begin: of those of one delivery a single one. Answers in the order asked; undefined for a delivery that
 * is gone.
 */
export async function beginAttempts(
  em: EntityManager,
  batch: readonly AttemptToBegin[],
  now: Date,
): Promise<readonly (FoundDelivery | undefined)[]> {
  const asked = JSON.stringify(batch.map(({ id, token, isHurried }) => ({ id, token, is_hurried: isHurried })));
  const found = new Map((await BEGINNING(em, [asked, now])).map((delivery) => [delivery.token, delivery]));
  return batch.map(({ token }) => found.get(token));
}

/** Of an endpoint's burst the deliveries that match, the oldest first: each has its number in that order as `turn`. */
function waitingInBurst(which: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select d.id, d.place, row_number() over (order by d.place) as turn from webhook_deliveries d
    where ${IN_BURST} and d.endpoint_id = $1::uuid and ${which} and not exists (select 1 from webhook_attempts h where h.delivery_id = d.id)
    order by d.place limit $4::integer`;
}

const BEGINNING_IN_BURST = preparedStatement(
  beginning(sql`
    select w.id, $3::uuid as token, true as is_hurried
    from ((${waitingInBurst(sql`d.attempts = 0`)}) union all (${waitingInBurst(sql`d.attempts > 0`)})) w
    order by w.turn, w.place limit $4::integer`),
);

/**
 * Begins the next attempts of an endpoint's burst, the oldest first. First and later attempts are in turns: of an endpoint that hangs, first ones
 * would else wait behind the later ones of many. None while the endpoint is disabled.
 */
export async function beginInBurst(
  em: EntityManager,
  endpointId: string,
  { token, limit, now }: { readonly token: string; readonly limit: number; readonly now: Date },
): Promise<FoundDelivery[]> {
  const begun = (await BEGINNING_IN_BURST(em, [endpointId, now, token, limit])).filter((delivery) => delivery.is_begun);
  const [first, later] = [begun.filter(({ attempts }) => attempts === 0), begun.filter(({ attempts }) => attempts > 0)];
  return Array.from({ length: Math.max(first.length, later.length) }, (_, turn) => [first[turn], later[turn]])
    .flat()
    .filter((delivery) => delivery !== undefined);
}

/** Takes back attempts that may have begun and were not made: they have not happened. */
export async function withdrawAttempts(em: EntityManager, batch: readonly Pick<AttemptToBegin, 'id' | 'token'>[]): Promise<void> {
  await row(
    em,
    sql`delete from webhook_attempts h using jsonb_to_recordset(${JSON.stringify(batch)}::jsonb) as p(id uuid, token uuid)
        where h.delivery_id = p.id and h.token = p.token`,
  );
}

/** The same of all that a turn of a burst has begun under these tokens, but for the attempts that it makes now. */
export async function withdrawTurn(
  em: EntityManager,
  tokens: readonly string[],
  calling: readonly Pick<AttemptToBegin, 'id' | 'token'>[],
): Promise<void> {
  await row(
    em,
    sql`delete from webhook_attempts h where h.token = any(${tokens}::uuid[])
          and (h.delivery_id, h.token) not in (select id, token from jsonb_to_recordset(${JSON.stringify(calling)}::jsonb) as c(id uuid, token uuid))`,
  );
}

/** An attempt that has begun, of which nobody knows how it ended. */
export interface HeldAttempt {
  readonly id: string;
  readonly attempts: number;
  readonly token: string;
  readonly begun_at: Date;
}

/** The attempts that have begun in an endpoint's burst: for a turn that begins, what an earlier one has left behind. */
export async function heldInBurst(em: EntityManager, endpointId: string): Promise<HeldAttempt[]> {
  return rows(
    em,
    sql<HeldAttempt>`
      select d.id, d.attempts, h.token, h.begun_at from webhook_deliveries d join webhook_attempts h on h.delivery_id = d.id
      where ${IN_BURST} and d.endpoint_id = ${endpointId}`,
  );
}

/** Says that the endpoint has a burst. Undefined when there is no such endpoint. */
export async function openBurst(
  em: EntityManager,
  endpointId: string,
): Promise<Pick<WebhookEndpointRow, 'project_id' | 'enabled'> | undefined> {
  return row(
    em,
    sql<Pick<WebhookEndpointRow, 'project_id' | 'enabled'>>`
      update webhook_endpoints set has_lane = true where id = ${endpointId} returning project_id, enabled`,
  );
}

/**
 * Ends an endpoint's burst if nothing waits in it. While others write deliveries it is not the end: waiting for them would hold up what they have
 * written before. Returns whether it has ended.
 */
export async function closeBurst(tx: EntityManager, endpointId: string): Promise<boolean> {
  const locked = await row(tx, sql`select 1 from webhook_endpoints where id = ${endpointId} ${AGAINST_DELIVERIES} skip locked`);
  if (!locked) return false;
  const closed = await row(
    tx,
    sql`update webhook_endpoints w set has_lane = false where w.id = ${endpointId} and not ${HAS_WAITING} returning 1`,
  );
  return closed !== undefined;
}

/** How many attempts wait in an endpoint's burst. */
export async function countInBurst(em: EntityManager, endpointId: string): Promise<number> {
  const counted = await row(
    em,
    sql<{ count: number }>`select count(*) as count from webhook_deliveries d where ${IN_BURST} and d.endpoint_id = ${endpointId}`,
  );
  return counted?.count ?? 0;
}
