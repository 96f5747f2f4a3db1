import type { MikroORM } from '../db/orm.ts';
import { authenticate, type KeyHolder } from '../db/queries/projects/api-keys.ts';
import { Refusal } from '../domain/errors.ts';
import { grants, type Scope, scopeWords } from '../domain/projects/scopes.ts';
import { inBatches } from '../platform/batches.ts';

/** Keys that are looked up together. */
const KEYS_AT_ONCE = 200;

/** The project and scopes of a key; undefined when nobody has it. */
export type KeyLookup = (key: string | undefined) => Promise<KeyHolder | undefined>;

/** Asks of every request, those that come together in one statement. */
export function createKeyLookup(orm: MikroORM, now: () => Date): KeyLookup {
  const authenticateAll = (keys: readonly (string | undefined)[]) => authenticate(orm.em.fork(), keys, now());
  const lookUp = inBatches(authenticateAll, { most: KEYS_AT_ONCE, atOnce: 1, mayBeOnesAlone: () => false });
  return async (key) => (await lookUp([key]))[0];
}

/** Who sent the Authorization header. Throws unauthorized, with nothing that tells a revoked key from one that never was. */
export async function holderOfKey(authorization: string, authenticate: KeyLookup): Promise<KeyHolder> {
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  const holder = await authenticate(key);
  if (!holder) throw new Refusal('unauthorized', noKey(authorization, key), { headers: { 'WWW-Authenticate': 'Bearer' } });
  return holder;
}

function noKey(header: string, key: string | undefined): string {
  if (header === '') return 'no key came with the request: send it as Authorization: Bearer <key>';
  return key === undefined ? 'the Authorization header is not of the form Bearer <key>' : 'this API key is unknown or revoked';
}

/** Throws project_suspended. */
export function refuseSuspended({ status }: KeyHolder['project']): void {
  if (status === 'suspended')
    throw new Refusal('project_suspended', 'this project is suspended; an operator resumes it with `project resume`');
}

/** Throws forbidden, naming the scope. */
export function refuseWithoutScope(scopes: readonly string[], needed: Scope): void {
  if (!grants(scopes, needed))
    throw new Refusal('forbidden', `this key lacks the scope ${scopeWords(needed)}; it has ${scopes.join(', ') || 'none'}`);
}

/** Throws email_unverified. */
export function refuseUnverifiedOwner({ owner_email_verified: isVerified }: KeyHolder['project']): void {
  if (!isVerified) {
    throw new Refusal(
      'email_unverified',
      "the owner's email address is not verified, so nothing can be sent; an operator verifies it with `project verify-owner`",
    );
  }
}
