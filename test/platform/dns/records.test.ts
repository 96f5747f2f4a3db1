import { expect, test } from 'vitest';
import { type ZoneRecords, zones } from '../../support/name-server.ts';
import { asking } from './asking.ts';

const found = (...values: string[]) => ({ status: 'found', values, aliases: [] });

/** Of a key of 4,096 bits, more than one string holds. */
const LONG_KEY = `v=DKIM1; k=rsa; p=${'MIICIjANBgkqhkiG9w0BAQEFAAOCAg8A'.repeat(23)}`;

test.each<[string, ZoneRecords, string[]]>([
  ['one', { TXT: ['v=spf1 include:other.example ~all'] }, ['v=spf1 include:other.example ~all']],
  ['several, in the order sent', { TXT: ['b', 'a', 'c', 'a'] }, ['b', 'a', 'c', 'a']],
  ['one in several strings, joined with nothing between', { TXT: [['v=DKIM1; k=rsa; ', 'p=', 'MIIB']] }, ['v=DKIM1; k=rsa; p=MIIB']],
  ['one longer than a string', { TXT: [LONG_KEY.match(/.{1,255}/g)!] }, [LONG_KEY]],
  ['one with a character on both sides of a seam', { TXT: [[Buffer.from([0x6d, 0xc3]), Buffer.from([0xbc])]] }, ['mü']],
  ['an empty one beside one', { TXT: ['', 'a'] }, ['', 'a']],
  ['one, and records of other types', { TXT: ['a'], A: ['192.0.2.1'] }, ['a']],
])('TXT of a name: %s', async (_what, records, values) => {
  const { dns } = await asking(zones({ 'name.example': records }));
  expect(await dns.records('name.example', 'TXT')).toEqual(found(...values));
});

test('an answer that is longer than a datagram is asked for over TCP, and is whole', async () => {
  const values = Array.from({ length: 60 }, (_, index) => `${index} ${LONG_KEY.slice(0, 200)}`);
  const { dns, asked } = await asking(zones({ 'name.example': { TXT: values } }));
  expect(await dns.records('name.example', 'TXT')).toEqual(found(...values));
  expect(asked).toEqual(['TXT name.example', 'TXT name.example by TCP']);
});

test('a key of 4,096 bits needs no TCP', async () => {
  const { dns, asked } = await asking(zones({ 'name.example': { TXT: [LONG_KEY.match(/.{1,255}/g)!] } }));
  await dns.records('name.example', 'TXT');
  expect(asked).toEqual(['TXT name.example']);
});

test('addresses of both kinds are found each by its own type', async () => {
  const { dns } = await asking(zones({ 'name.example': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] } }));
  expect(await dns.records('name.example', 'A')).toEqual(found('192.0.2.1', '192.0.2.2'));
  expect(await dns.records('name.example', 'AAAA')).toEqual(found('2001:db8::1'));
});

test('the target of a CNAME is in lower case without the final dot', async () => {
  const { dns } = await asking(zones({ 'link.example': { CNAME: 'Track.Everpost.TEST.' } }));
  expect(await dns.records('link.example', 'CNAME')).toEqual(found('track.everpost.test'));
});

test('a name is one whatever its case, with and without the final dot', async () => {
  const { dns, asked } = await asking(zones({ 'name.example': { TXT: ['a'] } }));
  const names = ['name.example', 'NAME.example.', 'name.Example'];
  expect(await Promise.all(names.map((name) => dns.records(name, 'TXT')))).toEqual(names.map(() => found('a')));
  expect(asked).toEqual(['TXT name.example']);
});

test('a name without such records and one that does not exist are two answers', async () => {
  const { dns } = await asking(zones({ 'name.example': { A: ['192.0.2.1'] } }));
  expect(await dns.records('name.example', 'TXT')).toEqual({ status: 'none', aliases: [] });
  expect(await dns.records('name.example', 'CNAME')).toEqual({ status: 'none', aliases: [] });
  expect(await dns.records('other.example', 'TXT')).toEqual({ status: 'no_such_name', aliases: [] });
});

test.each([
  ['a label that is too long', `${'a'.repeat(64)}.example`],
  ['more than 253 characters', `${'a.'.repeat(124)}example`],
  ['an empty label', 'a..example'],
])('a name with %s does not exist, and nobody is asked', async (_what, name) => {
  const { dns, asked } = await asking(() => undefined);
  expect(await dns.records(name, 'TXT')).toEqual({ status: 'no_such_name', aliases: [] });
  expect(asked).toEqual([]);
});

test('labels of 63 and names of 253 characters are asked for', async () => {
  const name = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(53)}.example`;
  const { dns } = await asking(zones({ [name]: { TXT: ['a'] } }));
  expect(name).toHaveLength(253);
  expect(await dns.records(name, 'TXT')).toEqual(found('a'));
});

test.each(['bücher.example', 'a b.example', 'a\n.example', ''])('a name that is not ASCII is refused as a mistake: %j', async (name) => {
  const { dns, asked } = await asking(() => undefined);
  await expect(dns.records(name, 'TXT')).rejects.toThrow(TypeError);
  expect(asked).toEqual([]);
});
