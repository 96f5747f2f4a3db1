import type { MailRequest } from '../../../sending/request.ts';
import { requestHash } from '../../idempotency.ts';

/** Under which name a key of a call is kept. */
export function keyAsKept(key: string, isTestKey: boolean): string {
  return isTestKey ? `ep_test ${key}` : key;
}

/** A test key has idempotency keys of its own, so that what was tried never stands for a mail that is to go. */
export function keptKey(key: string, payload: object, isTestKey: boolean): MailRequest['identity'] {
  return { by: 'key', key: keyAsKept(key, isTestKey), requestHash: requestHash(isTestKey ? { ...payload, isTestKey } : payload) };
}
