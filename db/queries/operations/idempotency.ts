import { sql } from 'kysely';
import { ANSWERS_KEPT_MS } from '../../../domain/operations/retention.ts';
import type { EntityManager } from '../../orm.ts';
import { row } from '../../rows.ts';
import { tables } from '../../tables.ts';

export interface KeyClaim {
  readonly projectId: string;
  /** Keys are scoped to the project and the route. */
  readonly route: string;
  readonly key: string;
  readonly requestHash: Buffer;
}

/** A key that this call has: nobody else's lease began at that instant. */
export interface HeldKey extends KeyClaim {
  readonly since: Date;
}

export type Lease =
  | { readonly state: 'leased'; readonly since: Date }
  | { readonly state: 'in_progress'; readonly retryAfterSeconds: number }
  | { readonly state: 'reused' }
  | { readonly state: 'completed'; readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** docs/contract/idempotency.md 7: recoverable after a crash. */
const LEASE_SECONDS = 600;
/** A call in progress is usually over in no time; only a crash holds the lease to its end. */
const COME_BACK_SECONDS = 5;

/** Takes the key, or says who has it. A lease that ran out, and an answer that is not kept any longer, are taken over: by PostgreSQL's clock. */
export async function leaseKey(em: EntityManager, claim: KeyClaim): Promise<Lease> {
  const { projectId, route, key, requestHash } = claim;
  const taken = await row(
    em,
    sql<{ since: Date }>`
      insert into idempotency_keys as k (project_id, route, key, request_hash, leased_until, created_at)
      values (${projectId}, ${route}, ${key}, ${requestHash}, now() + make_interval(secs => ${LEASE_SECONDS}), now())
      on conflict (project_id, route, key) do update
        set request_hash = excluded.request_hash, leased_until = excluded.leased_until, created_at = excluded.created_at,
            response = null, response_status = null
        where (k.response is null and k.leased_until < now()) or k.created_at < now() - make_interval(secs => ${ANSWERS_KEPT_MS / 1000})
      returning created_at as since`,
  );
  if (taken) return { state: 'leased', since: taken.since };
  const ofKey = tables(em)
    .selectFrom('idempotency_keys')
    .where('project_id', '=', projectId)
    .where('route', '=', route)
    .where('key', '=', key);
  const held = await ofKey
    .select(['request_hash', 'response', 'response_status'])
    .select(sql<number>`extract(epoch from leased_until - now())::double precision`.as('seconds_left'))
    .executeTakeFirst();
  // Released between the two statements: the caller may simply come again.
  if (!held) return { state: 'in_progress', retryAfterSeconds: 1 };
  if (!held.request_hash.equals(requestHash)) return { state: 'reused' };
  if (held.response && held.response_status !== null) return { state: 'completed', status: held.response_status, body: held.response };
  return { state: 'in_progress', retryAfterSeconds: Math.min(COME_BACK_SECONDS, Math.max(1, Math.ceil(held.seconds_left))) };
}

/** In the transaction of what the answer reports. A lease that another call took over meanwhile must not be answered twice: it throws. */
export async function storeAnswer(em: EntityManager, held: HeldKey, status: number, body: unknown): Promise<void> {
  const { projectId, route, key, requestHash, since } = held;
  const stored = await row(
    em,
    sql`
      update idempotency_keys set response = ${JSON.stringify(body)}::jsonb, response_status = ${status}
      where project_id = ${projectId} and route = ${route} and key = ${key} and request_hash = ${requestHash} and created_at = ${since}
        and response is null
      returning 1 as stored`,
  );
  if (!stored) throw new Error('the lease of an idempotency key was lost');
}

/** What this answer told of is gone, so its key is free again. */
export async function forgetAnswer(em: EntityManager, { projectId, route, key }: KeyClaim, body: object): Promise<void> {
  await row(
    em,
    sql`delete from idempotency_keys
        where project_id = ${projectId} and route = ${route} and key = ${key} and response = ${JSON.stringify(body)}::jsonb`,
  );
}

/** Nothing was written under this key, so it is free again. */
export async function releaseKey(em: EntityManager, { projectId, route, key, since }: HeldKey): Promise<void> {
  await row(
    em,
    sql`delete from idempotency_keys
        where project_id = ${projectId} and route = ${route} and key = ${key} and created_at = ${since} and response is null`,
  );
}
