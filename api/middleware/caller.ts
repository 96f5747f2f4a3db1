import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { v7 as uuidv7 } from 'uuid';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own request id when it is a plain one, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuidv7();
}

/**
 * The calling address: the socket's, or, behind proxies that are trusted (addresses or CIDR ranges), the right-most entry of
 * X-Forwarded-For that is not itself one of them. Entries further left are the caller's own claim.
 */
export function callingAddress(request: IncomingMessage, trusted: readonly string[] | undefined): string | undefined {
  const socket = plain(request.socket.remoteAddress);
  if (!trusted || !socket || !isTrusted(socket, trusted)) return socket;
  const entries = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => plain(entry.trim()))
    .reverse();
  let nearest: string | undefined = socket;
  for (const entry of entries) {
    if (entry === undefined) break;
    nearest = entry;
    if (!isTrusted(entry, trusted)) break;
  }
  return nearest;
}

/** IPv4-mapped addresses as IPv4; anything that is no address is undefined. */
function plain(address: string | undefined): string | undefined {
  return address && ipaddr.isValid(address) ? ipaddr.process(address).toString() : undefined;
}

function isTrusted(address: string, ranges: readonly string[]): boolean {
  const parsed = ipaddr.parse(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return parsed.kind() === network.kind() && parsed.match(network, bits);
  });
}
