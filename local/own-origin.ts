import type { IncomingHttpHeaders } from 'node:http';

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether a request to a page on this machine comes from that page or from a program, not from another site in the user's browser. A browser
 * names the site in Origin; a site whose own name leads to this machine (DNS rebinding) shows in Host.
 */
export function isFromOwnOrigin({ host = '', origin }: IncomingHttpHeaders): boolean {
  if (!URL.canParse(`http://${host}`) || !LOCAL.includes(new URL(`http://${host}`).hostname)) return false;
  return origin === undefined || origin === `http://${host}`;
}
