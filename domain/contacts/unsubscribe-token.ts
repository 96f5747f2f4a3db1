import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Whose link a test mail has: it leads to a page that says so. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** docs/contract/unsubscribe.md 2: signed with the project's own secret, so another project's token never verifies. No expiry. */
export function unsubscribeToken(linkSecret: Uint8Array | KeyObject, contactId: string): string {
  return `v1.${createHmac('sha256', linkSecret).update(`v1|${contactId}`).digest('base64url')}`;
}

export function isUnsubscribeToken(linkSecret: Uint8Array, contactId: string, token: string): boolean {
  const expected = Buffer.from(unsubscribeToken(linkSecret, contactId));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** What the link of a mail is about. */
export interface UnsubscribeLink {
  readonly contactId: string;
  readonly sendId: string;
  /** The key of the topic that the mail is of. */
  readonly topic?: string | undefined;
}

/**
 * The one-click link of a marketing mail. It tells which mail it was in and which topic it is of; those parts are not signed: whoever has the link may
 * leave everything.
 */
export function unsubscribeUrl(
  publicUrl: string,
  linkSecret: Uint8Array | KeyObject,
  { contactId, sendId, topic }: UnsubscribeLink,
): string {
  const url = `${publicUrl}/api/v1/unsubscribe?c=${contactId}&t=${unsubscribeToken(linkSecret, contactId)}&s=${sendId}`;
  return topic === undefined ? url : `${url}&topic=${topic}`;
}
