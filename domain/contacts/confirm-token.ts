import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Signed with the project's own secret, so another project's token never verifies; it is no token of an unsubscribe link. */
function confirmToken(linkSecret: Uint8Array | KeyObject, confirmationId: string): string {
  return `v1.${createHmac('sha256', linkSecret).update(`confirm|v1|${confirmationId}`).digest('base64url')}`;
}

export function isConfirmToken(linkSecret: Uint8Array, confirmationId: string, token: string): boolean {
  const expected = Buffer.from(confirmToken(linkSecret, confirmationId));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The link by which a person confirms. */
export function confirmUrl(publicUrl: string, linkSecret: Uint8Array | KeyObject, confirmationId: string): string {
  return `${publicUrl}/api/v1/confirm?c=${confirmationId}&t=${confirmToken(linkSecret, confirmationId)}`;
}
