import { expect, test } from 'vitest';
import { absence, CODES, zones } from '../../support/name-server.ts';
import { asking } from './asking.ts';

/** Each a zone of its own, so that whoever asks has to go on by itself. */
const chain = (count: number, end: object = { TXT: ['end'] }) => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`n.zone${index}`, { CNAME: `n.zone${index + 1}` }])),
  [`n.zone${count}`]: end,
});
const within = (count: number) => ({
  ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}.example`, { CNAME: `n${index + 1}.example` }])),
  [`n${count}.example`]: { TXT: ['end'] },
});

test('CNAMEs that a server has followed are followed within its answer', async () => {
  const { dns, asked } = await asking(zones(within(2)));
  const aliases = ['n1.example', 'n2.example'];
  expect(await dns.records('n0.example', 'TXT')).toEqual({ status: 'found', values: ['end'], aliases });
  expect(asked).toEqual(['TXT n0.example']);
});

test('CNAMEs that a server has not followed are asked for one after the other', async () => {
  const { dns, asked } = await asking(zones(chain(2, { A: ['192.0.2.1'] })));
  const aliases = ['n.zone1', 'n.zone2'];
  expect(await dns.records('n.zone0', 'A')).toEqual({ status: 'found', values: ['192.0.2.1'], aliases });
  expect(asked).toEqual(['A n.zone0', 'A n.zone1', 'A n.zone2']);
});

test('the CNAME of a name is its own alone', async () => {
  const { dns, asked } = await asking(zones(within(3)));
  expect(await dns.records('n0.example', 'CNAME')).toEqual({ status: 'found', values: ['n1.example'], aliases: [] });
  expect(asked).toEqual(['CNAME n0.example']);
});

test.each([
  ['within an answer', within, 'n0.example'],
  ['from zone to zone', chain, 'n.zone0'],
])('eight CNAMEs are followed %s; of nine it is said that they do not end', async (_where, names, name) => {
  const eight = await asking(zones(names(8)));
  expect(await eight.dns.records(name, 'TXT')).toMatchObject({ status: 'found', values: ['end'] });
  const nine = await asking(zones(names(9)));
  const answer = await nine.dns.records(name, 'TXT');
  expect(answer).toMatchObject({ status: 'endless_alias' });
  expect(answer).toHaveProperty('aliases.length', 9);
});

test.each([
  ['of a name to itself', { 'a.one': { CNAME: 'a.one' } }, 1],
  ['within a zone', { 'a.one': { CNAME: 'b.one' }, 'b.one': { CNAME: 'a.one' } }, 1],
  ['between zones', { 'a.one': { CNAME: 'b.two' }, 'b.two': { CNAME: 'a.one' } }, 2],
])('a loop of CNAMEs %s is told as one, and not gone through again', async (_where, names, questions) => {
  const { dns, asked } = await asking(zones(names));
  expect(await dns.records('a.one', 'TXT')).toMatchObject({ status: 'endless_alias' });
  expect(asked).toHaveLength(questions);
});

test.each([
  ['in the same answer', 'gone.example'],
  ['by another question', 'gone.other'],
])('an alias of a name that does not exist is told so, %s', async (_how, target) => {
  const { dns } = await asking(zones({ 'a.example': { CNAME: target } }));
  expect(await dns.records('a.example', 'TXT')).toEqual({ status: 'no_such_name', aliases: [target] });
});

test.each([
  ['in the same answer', 'bare.example'],
  ['by another question', 'bare.other'],
])('an alias of a name without such records is told so, %s', async (_how, target) => {
  const { dns } = await asking(zones({ 'a.example': { CNAME: target }, [target]: {} }));
  expect(await dns.records('a.example', 'TXT')).toEqual({ status: 'none', aliases: [target] });
});

test('the SOA of the zone that an alias stands in says nothing of the other zone that it leads to', async () => {
  const { dns } = await asking((question) => {
    if (question.name !== 'a.example') return zones({ 'b.other': { TXT: ['end'] } })(question);
    return absence([{ type: 'CNAME', name: 'a.example', ttl: 300, data: 'b.other' }], 'example');
  });
  expect(await dns.records('a.example', 'TXT')).toEqual({ status: 'found', values: ['end'], aliases: ['b.other'] });
});

test('an outage on the way is an outage, not an alias without records', async () => {
  const { dns } = await asking((question) => (question.name === 'n.zone1' ? { flags: CODES.SERVFAIL } : zones(chain(2))(question)));
  expect(await dns.records('n.zone0', 'TXT')).toEqual({ status: 'unavailable', why: 'servfail' });
});

test.each(['b\u00fccher.example', 'a b.example'])('an alias of what cannot be asked for is told as garbled: %j', async (target) => {
  const { dns } = await asking(({ name }) =>
    name === 'a.example' ? { answers: [{ type: 'CNAME', name, ttl: 300, data: target }] } : { flags: CODES.NXDOMAIN },
  );
  expect(await dns.records('a.example', 'TXT')).toEqual({ status: 'unavailable', why: 'garbled' });
});
