import type { MailRequest } from '../../../sending/request.ts';
import { requestHash } from '../../idempotency.ts';

/** A test key has idempotency keys of its own, so that what was tried never stands for a mail that is to go. */
export function keptKey(key: string, payload: object, isTestKey: boolean): MailRequest['identity'] {
  return isTestKey
    ? { by: 'key', key: `ep_test ${key}`, requestHash: requestHash({ ...payload, isTestKey }) }
    : { by: 'key', key, requestHash: requestHash(payload) };
}
