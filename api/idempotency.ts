import type { EntityManager } from '../db/orm.ts';
import { forgetAnswer, leaseKey, releaseKey, storeAnswer } from '../db/queries/operations/idempotency.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { Refusal } from '../domain/errors.ts';
import { sha256 } from '../domain/projects/crypto.ts';
import { Answer, type KeyContext } from './route.ts';

/** Characters of an Idempotency-Key. */
export const MAX_KEY_LENGTH = 200;

/** A fingerprint of what was asked, whatever the order of its fields: the same key with another payload is refused. */
export function requestHash(input: unknown): Buffer {
  return sha256(canonicalJson(input));
}

export function keyReused(): Refusal {
  return new Refusal('idempotency_key_reuse', 'this Idempotency-Key was used with another payload; use a new key for a new request');
}

export function keyInProgress(retryAfterSeconds: number): Refusal {
  return new Refusal(
    'idempotency_in_progress',
    'another request with this Idempotency-Key is still in progress; try again with the same key',
    {
      retryAfterSeconds,
    },
  );
}

/** Says that an answer is given again. */
export function replayHeader(replayed: boolean): Readonly<Record<string, string>> {
  return replayed ? { 'Idempotent-Replayed': 'true' } : {};
}

/**
 * Runs the handler once for a key and keeps its answer for a time (docs/contract/idempotency.md 3, 8). The answer is written in the transaction of what it
 * tells, so a crash leaves either both or a lease that runs out. A refusal means that nothing was written: it frees the key.
 */
export async function withStoredAnswer(
  context: KeyContext,
  route: string,
  input: unknown,
  handle: (context: KeyContext) => Promise<Answer>,
): Promise<Answer> {
  if (context.caller.idempotencyKey === undefined) return handle(context);
  return underKey(context, route, input, (store) =>
    context.em.transactional(async (tx) => {
      const given = await handle({ ...context, em: tx });
      await store(tx, given);
      return given;
    }),
  );
}

/**
 * As withStoredAnswer, for what takes several transactions: `work` calls `store` in the last of them. A call that fails before that frees the key, and
 * so goes on, under the same key, with what the first had left. `stands`: whether what a stored answer tells of is still there; if not, the key is free.
 */
export async function underKey(
  context: KeyContext,
  route: string,
  input: unknown,
  work: (store: (tx: EntityManager, answer: Answer) => Promise<void>) => Promise<Answer>,
  stands: (body: Readonly<Record<string, unknown>>) => Promise<boolean> = async () => true,
): Promise<Answer> {
  const { em, project, caller, isTestKey } = context;
  if (caller.idempotencyKey === undefined) return work(async () => {});
  // What was tried never stands for what is to happen.
  const asked = isTestKey ? `ep_test ${route}` : route;
  const claim = { projectId: project.id, route: asked, key: caller.idempotencyKey, requestHash: requestHash(input) };
  const lease = await leaseKey(em, claim);
  switch (lease.state) {
    case 'completed':
      if (!(await stands(lease.body))) {
        await forgetAnswer(em, claim, lease.body);
        return underKey(context, route, input, work, stands);
      }
      return new Answer(lease.status, lease.body, replayHeader(true));
    case 'reused':
      throw keyReused();
    case 'in_progress':
      throw keyInProgress(lease.retryAfterSeconds);
    case 'leased':
      break;
    default:
      return lease satisfies never;
  }
  const held = { ...claim, since: lease.since };
  try {
    return await work((tx, { status, body }) => storeAnswer(tx, held, status, body));
  } catch (error) {
    await releaseKey(em, held);
    throw error;
  }
}
