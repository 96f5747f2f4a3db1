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
  readonly now: Date;
}

export type Lease =
  | { readonly state: 'leased' }
  | { readonly state: 'in_progress'; readonly retryAfterSeconds: number }
  | { readonly state: 'reused' }
  | { readonly state: 'completed'; readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** docs/contract/idempotency.md 7: recoverable after a crash. */
const LEASE_MS = 10 * 60_000;
/** A call in progress is usually over in no time; only a crash holds the lease to its end. */
const COME_BACK_SECONDS = 5;

/** Takes the key, or says who has it. A lease that ran out, and an answer that is not kept any longer, are taken over. */
export async function leaseKey(em: EntityManager, claim: KeyClaim): Promise<Lease> {
  const { projectId, route, key, requestHash, now } = claim;
  const until = new Date(now.getTime() + LEASE_MS);
  const keptSince = new Date(now.getTime() - ANSWERS_KEPT_MS);
  const taken = await row(
    em,
    sql`
      insert into idempotency_keys as k (project_id, route, key, request_hash, leased_until, created_at)
      values (${projectId}, ${route}, ${key}, ${requestHash}, ${until}, ${now})
      on conflict (project_id, route, key) do update
        set request_hash = excluded.request_hash, leased_until = excluded.leased_until, created_at = excluded.created_at,
            response = null, response_status = null
        where (k.response is null and k.leased_until < ${now}) or k.created_at < ${keptSince}
      returning 1 as taken`,
  );
  if (taken) return { state: 'leased' };
  const ofKey = tables(em)
    .selectFrom('idempotency_keys')
    .where('project_id', '=', projectId)
    .where('route', '=', route)
    .where('key', '=', key);
  const held = await ofKey.select(['request_hash', 'response', 'response_status', 'leased_until']).executeTakeFirst();
  // Released between the two statements: the caller may simply come again.
  if (!held) return { state: 'in_progress', retryAfterSeconds: 1 };
  if (!held.request_hash.equals(requestHash)) return { state: 'reused' };
  if (held.response && held.response_status !== null) return { state: 'completed', status: held.response_status, body: held.response };
  return {
    state: 'in_progress',
    retryAfterSeconds: Math.min(COME_BACK_SECONDS, Math.max(1, Math.ceil((held.leased_until.getTime() - now.getTime()) / 1000))),
  };
}

/** In the transaction of what the answer reports. A lease that another call took over meanwhile must not be answered twice: it throws. */
export async function storeAnswer(em: EntityManager, claim: KeyClaim, status: number, body: unknown): Promise<void> {
  const { projectId, route, key, requestHash, now } = claim;
  const stored = await row(
    em,
    sql`
      update idempotency_keys set response = ${JSON.stringify(body)}::jsonb, response_status = ${status}
      where project_id = ${projectId} and route = ${route} and key = ${key} and request_hash = ${requestHash} and created_at = ${now}
        and response is null
      returning 1 as stored`,
  );
  if (!stored) throw new Error('the lease of an idempotency key was lost');
}

/** Nothing was written under this key, so it is free again. */
export async function releaseKey(em: EntityManager, claim: KeyClaim): Promise<void> {
  const { projectId, route, key, now } = claim;
  await row(
    em,
    sql`delete from idempotency_keys
        where project_id = ${projectId} and route = ${route} and key = ${key} and created_at = ${now} and response is null`,
  );
}
