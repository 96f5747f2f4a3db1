import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv4-compatible (RFC 4291 2.5.5.1): deprecated, but some stacks still take the IPv4 address out of it. */
const COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');
/** The well-known prefix of RFC 6052. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** The only IPv6 space given out for unicast: RFC 4291 2.4, IANA's registry. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an IP address, without brackets, is public unicast. One that carries an IPv4 address is as public as that is. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  return address instanceof ipaddr.IPv6 ? isPublicIPv6(address) : isPublicIPv4(address);
}

/** ipaddr.js calls unicast what is in none of IANA's special-purpose ranges. */
function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast';
}

function isPublicIPv6(address: ipaddr.IPv6): boolean {
  const carried = carriedIPv4(address);
  if (carried) return carried.every(isPublicIPv4);
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST);
}

/** The IPv4 addresses that a packet to this address may end up at; undefined when it carries none. */
function carriedIPv4(address: ipaddr.IPv6): ipaddr.IPv4[] | undefined {
  const bytes = address.toByteArray();
  const at = (start: number): ipaddr.IPv4 => new ipaddr.IPv4(bytes.slice(start, start + 4));
  switch (address.range()) {
    case 'ipv4Mapped':
      return [at(12)];
    case 'rfc6052':
      // A network's own prefix (64:ff9b:1::/48) leads into that network, whatever it carries.
      return address.match(NAT64) ? [at(12)] : undefined;
    case '6to4':
      return [at(2)];
    case 'teredo':
      // The server's address, and the client's with every bit turned: RFC 4380 4.
      return [at(4), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 0xff))];
    default:
      return address.match(COMPATIBLE) || isIsatap(bytes) ? [at(12)] : undefined;
  }
}

/** Under any prefix: RFC 5214 6.1. */
function isIsatap(bytes: readonly number[]): boolean {
  const [flags, ...label] = bytes.slice(8, 12);
  return (flags === 0 || flags === 2) && label.join() === '0,94,254';
}
