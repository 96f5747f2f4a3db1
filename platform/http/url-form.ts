import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

export interface AddressRules {
  /** Development only: http and addresses inside the network are fine too. */
  readonly allowPrivate: boolean;
}

const UNLESS_ALLOWED = '; for development WEBHOOK_ALLOW_PRIVATE=1 allows others';

/**
 * What can be told from a URL alone: its form, and a literal address in whatever notation. Returns what is wrong, fit
 * for the caller to read, or undefined. A name is checked when it is used: docs/contract/webhooks.md 4.
 */
export function checkUrlForm(text: string, { allowPrivate }: AddressRules): string | undefined {
  if (!URL.canParse(text)) return 'not a valid URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    return `the URL must begin with https://${url.protocol === 'http:' ? UNLESS_ALLOWED : ''}`;
  }
  if (url.username !== '' || url.password !== '') return 'the URL must not contain a user name or password';
  if (allowPrivate) return undefined;
  const host = hostOf(url);
  const isPublic = isIP(host) === 0 ? !isLoopbackName(host) : isPublicAddress(host);
  return isPublic ? undefined : `the URL must lead to a public address${UNLESS_ALLOWED}`;
}

/** The host of a URL as sockets want it: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** RFC 6761 6.3: these names mean the machine itself, whatever a name server says. */
function isLoopbackName(host: string): boolean {
  return /(?:^|\.)localhost\.?$/.test(host);
}
