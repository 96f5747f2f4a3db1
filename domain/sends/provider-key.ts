import { createHash } from 'node:crypto';

/** What every provider takes as a key (Resend: at most 256 characters). */
const PLAIN = /^[\x21-\x7e]{1,256}$/;

/**
 * A caller's idempotency key as the provider gets it, so that a repetition makes no second mail whatever became of its first row
 * (docs/contract/sends.md 11). It is the project's own there: the projects of an installation share the provider's account. A key that fits into no
 * header goes as its SHA-256.
 */
export function providerKey(projectId: string, key: string): string {
  const own = `${projectId}:${key}`;
  return PLAIN.test(own) ? own : createHash('sha256').update(own).digest('hex');
}
