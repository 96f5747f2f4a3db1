import { expect, test } from 'vitest';
import { nameServerOf } from '../../../platform/dns/name-server.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5353', '192.0.2.1', 5353],
  ['2001:db8::1', '2001:db8::1', 53],
  ['[2001:db8::1]', '2001:db8::1', 53],
  ['[2001:db8::1]:5353', '2001:db8::1', 5353],
  ['fe80::1%eth0', 'fe80::1%eth0', 53],
])('%s is a name server', (text, address, port) => {
  expect(nameServerOf(text)).toEqual({ address, port });
});

test.each([
  '',
  'dns.example',
  'dns.example:53',
  '192.0.2',
  '192.0.2.1:',
  '192.0.2.1:0',
  '192.0.2.1:65536',
  '192.0.2.1:dns',
  '[192.0.2.1]:53',
  '[2001:db8::1]:0',
  '[2001:db8::1',
  '2001:db8::1]:53',
  'udp://192.0.2.1',
])('%j is none', (text) => {
  expect(nameServerOf(text)).toBeUndefined();
});
