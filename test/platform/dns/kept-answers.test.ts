import type { Packet } from 'dns-packet';
import { expect, test } from 'vitest';
import { absence, CODES, NO_ANSWER_TTL, type Say, zones } from '../../support/name-server.ts';
import { asking } from './asking.ts';

const NAME = 'name.example';
const DAY = 86_400;
const txt = (ttl: number): Say => zones({ [NAME]: { TXT: ['a'], ttl } });
const bare =
  (ttl: number, minimum: number): Say =>
  () =>
    absence([], 'example', 0, ttl, minimum);
const gone =
  (ttl: number, minimum: number): Say =>
  () =>
    absence([], 'example', CODES.NXDOMAIN, ttl, minimum);

test.each<[string, Say, number]>([
  ['its TTL', txt(300), 300],
  ['an hour at most', txt(DAY), 3600],
  [
    'the least TTL on the way',
    zones({ [NAME]: { CNAME: 'b.example', ttl: 300 }, 'b.example': { CNAME: 'c.other', ttl: 200 }, 'c.other': { TXT: ['a'], ttl: 250 } }),
    200,
  ],
  ['the minimum of the SOA where there are no records', bare(900, 120), 120],
  ['the TTL of the SOA where that is less', bare(100, 120), 100],
  ['five minutes at most where there are no records', bare(DAY, DAY), 300],
  ['the minimum of the SOA where there is no such name', gone(900, 120), 120],
  ['five minutes at most where there is no such name', gone(DAY, DAY), 300],
  ['the TTL of an alias of nothing where that is least', zones({ [NAME]: { CNAME: 'b.example', ttl: 30 } }), 30],
  ['the time of the absence of what an alias leads to', zones({ [NAME]: { CNAME: 'b.example', ttl: 900 } }), NO_ANSWER_TTL],
  ['five minutes at most where CNAMEs do not end', zones({ [NAME]: { CNAME: NAME, ttl: DAY } }), 300],
])('an answer is kept for %s', async (_what, say, seconds) => {
  const { dns, asked, wait } = await asking(say);
  const answer = await dns.records(NAME, 'TXT');
  const before = asked.length;
  wait(seconds - 1);
  expect(await dns.records(NAME, 'TXT')).toEqual(answer);
  expect(asked).toHaveLength(before);
  wait(2);
  expect(await dns.records(NAME, 'TXT')).toEqual(answer);
  expect(asked).toHaveLength(2 * before);
});

test.each<[string, Say]>([
  ['a TTL of 0', txt(0)],
  ['a TTL below zero', txt(0x8000_0000)],
  ['an absence without an SOA', () => ({})],
  ['a name that does not exist, without an SOA', () => ({ flags: CODES.NXDOMAIN })],
  ['an absence with the SOA of another zone', () => absence([], 'ample')],
  ['SERVFAIL', () => ({ flags: CODES.SERVFAIL })],
  ['SERVFAIL with the SOA of the zone', () => absence([], 'example', CODES.SERVFAIL)],
  ['REFUSED', () => ({ flags: CODES.REFUSED })],
])('%s is not kept', async (_what, say) => {
  const { dns, asked } = await asking(say);
  await dns.records(NAME, 'TXT');
  await dns.records(NAME, 'TXT');
  expect(asked).toHaveLength(2);
});

test('after an outage the first answer is taken', async () => {
  const { dns } = await asking((question) => (question.timesBefore === 0 ? { flags: CODES.SERVFAIL } : txt(300)(question)));
  expect(await dns.records(NAME, 'TXT')).toEqual({ status: 'unavailable', why: 'servfail' });
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ status: 'found' });
});

/** Says how often it was asked before, by its value. */
const counting: Say = ({ name, type, timesBefore }): Packet => ({
  answers: [{ type: type as 'TXT', name, ttl: 300, data: `${timesBefore}` }],
});

test('a fresh question is asked past what is kept, and its answer is kept', async () => {
  const { dns } = await asking(counting);
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ values: ['0'] });
  expect(await dns.records(NAME, 'TXT', { fresh: true })).toMatchObject({ values: ['1'] });
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ values: ['1'] });
});

test('a fresh question that meets an outage says so, and what is kept stays for others', async () => {
  const { dns } = await asking((question) => (question.timesBefore === 1 ? { flags: CODES.SERVFAIL } : counting(question)));
  await dns.records(NAME, 'TXT');
  expect(await dns.records(NAME, 'TXT', { fresh: true })).toEqual({ status: 'unavailable', why: 'servfail' });
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ values: ['0'] });
});

test('types of a name are kept each by itself', async () => {
  const { dns } = await asking(zones({ [NAME]: { TXT: ['a'], A: ['192.0.2.1'] } }));
  expect(await dns.records(NAME, 'TXT')).toMatchObject({ values: ['a'] });
  expect(await dns.records(NAME, 'A')).toMatchObject({ values: ['192.0.2.1'] });
});
