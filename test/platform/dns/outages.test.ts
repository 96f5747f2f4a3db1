import { createSocket } from 'node:dgram';
import { type Answer, encode, type Packet, streamEncode } from 'dns-packet';
import { expect, onTestFinished, test } from 'vitest';
import { CODES, type Say, zones } from '../../support/name-server.ts';
import { asking } from './asking.ts';

const NAME = 'name.example';
const RIGHT = zones({ [NAME]: { TXT: ['right'] } });
const FOUND = { status: 'found', values: ['right'], aliases: [] };
const silent: Say = () => undefined;
const says =
  (said: Packet): Say =>
  () =>
    said;
const unavailable = (why: string) => ({ status: 'unavailable', why });
/** A datagram with the id of the query, and nothing that can be read. */
const garbage = (id: number): Buffer => {
  const octets = Buffer.alloc(40, 0xff);
  octets.writeUInt16BE(id, 0);
  octets.writeUInt16BE(0x8180, 2);
  octets.writeUInt32BE(0x0001_0001, 4);
  octets.writeUInt32BE(0, 8);
  return octets;
};
const record = (index: number): Answer => ({ type: 'A', name: 'a', data: `192.0.2.${index % 256}` });
const referral: Packet = { authorities: [{ type: 'NS', name: 'example', ttl: 300, data: 'ns.example' }] };
const extended: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 1,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

test.each<[string, Say, string]>([
  ['SERVFAIL', says({ flags: CODES.SERVFAIL }), 'servfail'],
  ['SERVFAIL with an answer', says({ flags: CODES.SERVFAIL, answers: [{ type: 'TXT', name: NAME, data: 'wrong' }] }), 'servfail'],
  ['REFUSED', says({ flags: CODES.REFUSED }), 'refused'],
  ['FORMERR', says({ flags: CODES.FORMERR }), 'failed'],
  ['BADVERS, whose lower bits say that all is well', says({ additionals: [extended] }), 'failed'],
  ['an answer to another operation', says({ flags: 2 << 11 }), 'failed'],
  ['a referral to other servers', says(referral), 'not_recursive'],
  ['what cannot be read', ({ id }) => garbage(id), 'garbled'],
  ['records of another name alone', says({ answers: [{ type: 'TXT', name: 'other.example', data: 'wrong' }] }), 'garbled'],
  ['more records than are read', says({ answers: Array.from({ length: 257 }, (_, index) => record(index)) }), 'oversized'],
])('%s is an outage, and another server is asked', async (_what, say, why) => {
  const alone = await asking(say);
  expect(await alone.dns.records(NAME, 'TXT')).toEqual(unavailable(why));
  const beside = await asking([say, RIGHT]);
  expect(await beside.dns.records(NAME, 'TXT')).toEqual(FOUND);
  expect(beside.asked.length).toBeGreaterThan(0);
});

test('a server that does not answer has its part of the time, and the next one is asked', async () => {
  const { dns, servers } = await asking([silent, RIGHT], { timeoutMs: 4_000 });
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
  expect(servers[0]!.asked).toContain(`TXT ${NAME}`);
  expect(await dns.records('other.example', 'TXT')).toMatchObject({ status: 'no_such_name' });
  // The one that answered is the first now.
  expect(servers[0]!.asked).not.toContain('TXT other.example');
});

test('each server has its turn, whichever other questions are answered by meanwhile', async () => {
  const first: Say = ({ name }) => (name === NAME ? undefined : { flags: CODES.SERVFAIL });
  const { dns } = await asking([first, RIGHT], { timeoutMs: 4_000 });
  const asked = dns.records(NAME, 'TXT');
  expect(await dns.records('other.example', 'TXT')).toMatchObject({ status: 'no_such_name' });
  expect(await asked).toEqual(FOUND);
});

test('when no server answers, that is told when the time is over', async () => {
  const { dns, servers } = await asking([silent, silent, silent], { timeoutMs: 200 });
  expect(await dns.records(NAME, 'TXT')).toEqual(unavailable('timeout'));
  for (const { asked } of servers) expect(asked).toContain(`TXT ${NAME}`);
});

test('the time is that of all aliases together', async () => {
  // The first datagram for each is lost, which costs the time until it is sent again.
  const { dns, asked } = await asking(
    ({ name, timesBefore }) => {
      const next = `n.zone${Number(/\d+/.exec(name)) + 1}`;
      return timesBefore === 0 ? undefined : { answers: [{ type: 'CNAME', name, ttl: 300, data: next }] };
    },
    { timeoutMs: 1_500 },
  );
  expect(await dns.records('n.zone0', 'TXT')).toEqual(unavailable('timeout'));
  expect(asked).not.toContain('TXT n.zone2');
});

test('what a server says of a name is told before that another one is silent', async () => {
  const { dns } = await asking([silent, says({ flags: CODES.SERVFAIL }), silent], { timeoutMs: 3_000 });
  expect(await dns.records(NAME, 'TXT')).toEqual(unavailable('servfail'));
});

test('a server that is not there is told as unreachable, and another one is asked', async () => {
  const alone = await asking(silent);
  alone.servers[0]!.close();
  expect(await alone.dns.records(NAME, 'TXT')).toEqual(unavailable('unreachable'));
  const beside = await asking([silent, RIGHT]);
  beside.servers[0]!.close();
  expect(await beside.dns.records(NAME, 'TXT')).toEqual(FOUND);
});

test('a datagram that was lost is sent again', async () => {
  const { dns, asked } = await asking((question) => (question.timesBefore === 0 ? undefined : RIGHT(question)));
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
  expect(asked).toEqual([`TXT ${NAME}`, `TXT ${NAME}`]);
});

const WRONG: readonly Answer[] = [{ type: 'TXT', name: NAME, ttl: 300, data: 'wrong' }];
test.each<[string, (id: number) => Packet | Buffer]>([
  ['with another id', (id) => ({ id: id ^ 1, answers: [...WRONG] })],
  ['for another name', () => ({ questions: [{ type: 'TXT', name: 'other.example' }], answers: [...WRONG] })],
  ['for another type', () => ({ questions: [{ type: 'A', name: NAME }], answers: [...WRONG] })],
  ['of another class', () => ({ questions: [{ type: 'TXT', name: NAME, class: 'CH' }], answers: [...WRONG] })],
  [
    'for two questions',
    () => ({
      questions: [
        { type: 'TXT', name: NAME },
        { type: 'TXT', name: NAME },
      ],
      answers: [...WRONG],
    }),
  ],
  ['for none', () => ({ questions: [], answers: [...WRONG] })],
  ['that is no answer but a query', () => ({ type: 'query', answers: [...WRONG] })],
  ['of some octets', () => Buffer.from('garbage')],
  ['of no octet', () => Buffer.alloc(0)],
])('a datagram %s is passed over, and the answer after it is taken', async (_what, first) => {
  const { dns } = await asking((question) => [first(question.id), RIGHT(question) as Packet]);
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
  const alone = await asking(({ id }) => first(id), { timeoutMs: 200 });
  expect(await alone.dns.records(NAME, 'TXT')).toEqual(unavailable('timeout'));
});

test('an answer that another one than the server sends is passed over', async () => {
  const forger = createSocket('udp4');
  onTestFinished(() => void forger.close());
  const { dns } = await asking((question) => {
    if (question.timesBefore > 0) return RIGHT(question);
    const { id, port } = question;
    forger.send(encode({ type: 'response', id, questions: [{ type: 'TXT', name: NAME }], answers: [...WRONG] }), port, '127.0.0.1');
    return undefined;
  });
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
});

const truncated: Packet = { flags: 1 << 9, answers: [{ type: 'TXT', name: NAME, ttl: 300, data: 'wrong' }] };
const length = (octets: number): Buffer => Buffer.from([octets >> 8, octets & 0xff]);
test.each<[string, Say, string]>([
  ['an answer with another id', ({ id }) => ({ id: id ^ 1, answers: [...WRONG] }), 'garbled'],
  ['an answer for another name', says({ questions: [{ type: 'TXT', name: 'other.example' }], answers: [...WRONG] }), 'garbled'],
  ['an answer that is cut again', says(truncated), 'garbled'],
  ['what cannot be read', ({ id }) => Buffer.concat([length(40), garbage(id)]), 'garbled'],
  ['a part of an answer', () => Buffer.concat([length(400), Buffer.alloc(100)]), 'garbled'],
  ['the end of the connection', () => Buffer.alloc(0), 'unreachable'],
  ['the length of more than is read', () => length(0xffff), 'oversized'],
  [
    'SERVFAIL',
    ({ id }) => streamEncode({ type: 'response', id, flags: CODES.SERVFAIL, questions: [{ type: 'TXT', name: NAME }] }),
    'servfail',
  ],
])('over TCP, %s is an outage, and another server is asked', async (_what, say, why) => {
  const first: Say = (question) => (question.isTcp ? say(question) : truncated);
  const alone = await asking(first);
  expect(await alone.dns.records(NAME, 'TXT')).toEqual(unavailable(why));
  const beside = await asking([first, RIGHT]);
  expect(await beside.dns.records(NAME, 'TXT')).toEqual(FOUND);
});

test('a server that is silent over TCP alone has its part of the time', async () => {
  const { dns } = await asking([(question) => (question.isTcp ? undefined : truncated), RIGHT], { timeoutMs: 4_000 });
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
});

test('an answer over TCP may come in pieces', async () => {
  const { dns } = await asking(({ isTcp, id }) => {
    if (!isTcp) return truncated;
    const message = streamEncode({
      type: 'response',
      id,
      questions: [{ type: 'TXT', name: NAME }],
      answers: [{ type: 'TXT', name: NAME, data: 'right' }],
    });
    return [message.subarray(0, 1), message.subarray(1, 20), message.subarray(20)];
  });
  expect(await dns.records(NAME, 'TXT')).toEqual(FOUND);
});
