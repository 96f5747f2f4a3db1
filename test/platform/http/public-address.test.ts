import { expect, test } from '@jest/globals';
import { isPublicAddress } from '../../../platform/http/public-address.ts';
import { checkUrlForm } from '../../../platform/http/url-form.ts';

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '2001:4860:4860::8888',
  '2001:200::1',
  // Carrying a public IPv4 address: mapped, NAT64, 6to4.
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];

const NOT_PUBLIC = [
  // "This" network, private, shared, loopback, link-local.
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.168.0.0',
  '192.168.255.255',
  // Protocol assignments, documentation, benchmarking, relays, multicast, reserved, broadcast.
  '192.0.0.0',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.255',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  // IPv6.
  '::',
  '::1',
  'fc00::1',
  'fdff:ffff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '100::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:1ff::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '1000::1',
  '4000::1',
  'e000::1',
  // Carrying an IPv4 address that is not public: mapped, translated, compatible.
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0.0.0.0',
  '0:0:0:0:0:ffff:c0a8:1',
  '::ffff:0:10.0.0.1',
  '::127.0.0.1',
  '::10.0.0.1',
  '::2',
  // NAT64, 6to4, Teredo (of the server, of the client with its bits turned).
  '64:ff9b::127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::8.8.8.8',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:c0a8:101::1',
  '2002:a9fe:a9fe::1',
  '2001:0:a00:1::f7f7:f7f7',
  '2001:0:808:808::80ff:fffe',
  '2001:0:808:808:0:0:f5ff:fffe',
  '2001:0:808:808:0:0:5601:5601',
  // Not addresses as a socket knows them.
  'fe80::1%eth0',
  '2606:4700:4700::1111%eth0',
  '127.1',
  '0x7f.1',
  '2130706433',
  '8.8.8',
  'example.com',
  '',
];

test.each(PUBLIC)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each(NOT_PUBLIC)('%j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each([
  'https://hooks.example/in?x=1#y',
  'https://hooks.example:8443/',
  'HTTPS://Hooks.Example',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  'https://bücher.example/',
  // A name is checked when it is used.
  'https://internal.example/',
  'https://mylocalhost/',
])('%s may be registered', (url) => {
  expect(checkUrlForm(url, { allowPrivate: false })).toBeUndefined();
});

test.each([
  ['', 'not a valid URL'],
  ['hooks.example/in', 'not a valid URL'],
  ['https://', 'not a valid URL'],
  ['https://256.1.1.1/', 'not a valid URL'],
  ['http://hooks.example/', 'begin with https://'],
  ['ftp://hooks.example/', 'begin with https://'],
  ['file:///etc/passwd', 'begin with https://'],
  ['javascript:alert(1)', 'begin with https://'],
  ['https://ann@hooks.example/', 'user name or password'],
  ['https://ann:secret@hooks.example/', 'user name or password'],
  ['https://localhost/', 'public address'],
  ['https://LOCALHOST./', 'public address'],
  ['https://api.localhost:3000/', 'public address'],
  ['https://127.0.0.1/', 'public address'],
  ['https://127.1/', 'public address'],
  ['https://2130706433/', 'public address'],
  ['https://0x7f000001/', 'public address'],
  ['https://0177.0.0.1/', 'public address'],
  ['https://0/', 'public address'],
  ['https://127.0.0.1./', 'public address'],
  ['https://１２７.0.0.1/', 'public address'],
  ['https://169.254.169.254/latest/meta-data', 'public address'],
  ['https://10.0.0.1/', 'public address'],
  ['https://[::1]/', 'public address'],
  ['https://[::]/', 'public address'],
  ['https://[::ffff:127.0.0.1]/', 'public address'],
  ['https://[::7f00:1]/', 'public address'],
  ['https://[64:ff9b::10.0.0.1]/', 'public address'],
  ['https://[fd00::1]/', 'public address'],
])('%j is refused', (url, reason) => {
  expect(checkUrlForm(url, { allowPrivate: false })).toContain(reason);
});

test('development may register http and private addresses, but no credentials and no other scheme', () => {
  const check = (url: string): string | undefined => checkUrlForm(url, { allowPrivate: true });
  expect(['http://127.0.0.1:4000/', 'http://localhost/', 'https://[::1]/', 'https://10.0.0.1/'].map(check)).toEqual(
    Array(4).fill(undefined),
  );
  expect(check('http://ann@127.0.0.1/')).toContain('user name');
  expect(check('file:///etc/passwd')).toContain('https://');
});
