import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type KeyLookup, refuseSuspended, refuseWithoutScope } from '../api/admission.ts';
import type { KeyHolder } from '../db/queries/projects/api-keys.ts';
import { Refusal } from '../domain/errors.ts';
import { answerOfRefusal, type SmtpAnswer, smtpAnswer } from './answers.ts';

/** Who has logged in. The key is asked about again for each message: it may be revoked meanwhile. */
export interface Login {
  readonly key: string;
  readonly projectId: string;
}

export interface Logins {
  /** Never throws. A refusal takes a second, whatever its reason. */
  logIn(given: Credentials): Promise<{ readonly login: Login } | { readonly refused: SmtpAnswer }>;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly remoteAddress: string;
}

/** Refused attempts of one address in so long; whoever comes then is not looked at. */
const MOST_REFUSED = 20;
const REFUSED_FOR_MS = 10 * 60_000;
const MOST_ADDRESSES = 10_000;
/** Longer than any look-up takes, so that the answer tells nothing of what was found. */
const REFUSAL_MS = 1_000;

/** `failed`: told what was thrown when nothing could be looked up. */
export function createLogins(lookUp: KeyLookup, failed: (error: unknown) => void, refusalMs = REFUSAL_MS): Logins {
  const refused = new LRUCache<string, { count: number }>({ max: MOST_ADDRESSES, ttl: REFUSED_FOR_MS });

  const judge = async ({ username, password, remoteAddress }: Credentials): Promise<Login | SmtpAnswer> => {
    const known = refused.get(remoteAddress);
    if (known && known.count >= MOST_REFUSED) {
      const seconds = Math.ceil(refused.getRemainingTTL(remoteAddress) / 1000);
      return smtpAnswer(454, '4.7.0', `too many failed logins from this address; try again in ${seconds} s`);
    }
    try {
      return loginOf(await lookUp(password), username, password);
    } catch (error) {
      if (error instanceof Refusal) {
        if (known) known.count++;
        else refused.set(remoteAddress, { count: 1 });
        return { ...answerOfRefusal(error), code: 535 };
      }
      failed(error);
      return smtpAnswer(454, '4.7.0', 'keys cannot be looked up just now; try again');
    }
  };

  return {
    async logIn(given) {
      const soon = sleep(refusalMs);
      const judged = await judge(given);
      if (!('code' in judged)) return { login: judged };
      await soon;
      return { refused: judged };
    },
  };
}

function loginOf(holder: KeyHolder | undefined, username: string, key: string): Login {
  // One answer for all that is wrong, so that nobody learns which projects and keys there are.
  if (!holder || holder.project.slug !== username)
    throw new Refusal('unauthorized', "the user is the project's slug and the password an API key of it; this pair is unknown or revoked");
  refuseSuspended(holder.project);
  refuseWithoutScope(holder.scopes, 'send');
  return { key, projectId: holder.project.id };
}

/** Whether a password may cross the connection: under TLS, or within this machine. */
export function mayLogIn({ secure, remoteAddress }: { readonly secure: boolean; readonly remoteAddress: string }): boolean {
  return secure || isLoopback(remoteAddress);
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
