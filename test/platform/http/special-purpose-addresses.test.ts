import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../../platform/http/public-address.ts';
import { checkUrlForm } from '../../../platform/http/url-form.ts';

/** IANA's special-purpose registries of IPv4 and IPv6, and multicast: those that are reachable from anywhere are no receivers either. */
const SPECIAL = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/31',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

/** Their last bits are an IPv4 address, and its block of 10.0.0.0/8, or of 8.0.0.0/8, is this part of them. */
const CARRIERS: readonly [name: string, inside: string, outside: string | undefined][] = [
  ['mapped', '::ffff:10.0.0.0/104', '::ffff:8.0.0.0/104'],
  ['compatible', '::10.0.0.0/104', '::8.0.0.0/104'],
  ['NAT64', '64:ff9b::10.0.0.0/104', '64:ff9b::8.0.0.0/104'],
  ['NAT64 of a network of its own', '64:ff9b:1::10.0.0.0/104', undefined],
  ['translated', '::ffff:0:10.0.0.0/104', undefined],
  ['6to4', '2002:a00::/24', '2002:800::/24'],
  ['ISATAP', '2606:4700::5efe:10.0.0.0/104', '2606:4700::5efe:8.0.0.0/104'],
  ['ISATAP, marked as unique', '2606:4700::200:5efe:10.0.0.0/104', '2606:4700::200:5efe:8.0.0.0/104'],
];

function ends(block: string): string[] {
  const library = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return [library.networkAddressFromCIDR(block), library.broadcastAddressFromCIDR(block)].map(String);
}

test.each(SPECIAL)('neither the first nor the last address of %s is public', (block) => {
  expect(ends(block).filter(isPublicAddress)).toEqual([]);
  // As a literal in a URL, too.
  for (const address of ends(block)) {
    const url = `https://${address.includes(':') ? `[${address}]` : address}/`;
    expect(checkUrlForm(url, { allowPrivate: false })).toContain('the URL must lead to a public address');
  }
});

test.each(CARRIERS)('an address that carries another in the way of %s is as public as that', (_name, inside, outside) => {
  expect(ends(inside).filter(isPublicAddress)).toEqual([]);
  if (outside) expect(ends(outside).filter((address) => !isPublicAddress(address))).toEqual([]);
});

test('a Teredo address is as public as the two that it carries', () => {
  const teredo = (server: string, client: string): string => {
    const turned = ipaddr.IPv4.parse(client).octets.map((byte) => byte ^ 0xff);
    const bytes = [0x20, 1, 0, 0, ...ipaddr.IPv4.parse(server).octets, 0, 0, 0, 0, ...turned];
    return ipaddr.fromByteArray(bytes).toString();
  };
  expect(isPublicAddress(teredo('8.8.8.8', '8.0.0.0'))).toBe(true);
  for (const address of [...ends('10.0.0.0/8'), ...ends('127.0.0.0/8'), ...ends('169.254.0.0/16')]) {
    expect(isPublicAddress(teredo('8.8.8.8', address))).toBe(false);
    expect(isPublicAddress(teredo(address, '8.8.8.8'))).toBe(false);
  }
});

test.each([
  ...['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0'],
  ...['172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.31.195.255', '192.31.197.0', '192.167.255.255'],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...['2001:200::', '2001:db7:ffff::', '2001:db9::', '2620:4f:7fff::', '2620:4f:8001::', '2003::', '2606:4700::5eff:a00:1'],
])('%s, beside a special block, is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
