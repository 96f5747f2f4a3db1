import { type Answer, encode, type Packet, type Question } from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queryFor, readReply } from '../../../platform/dns/message.ts';
import { readAnswer } from '../../../platform/dns/read-answer.ts';
import { asking } from './asking.ts';

const QUERY = queryFor({ name: 'name.example', type: 'TXT' });
const ANSWERS: Answer[] = [
  { type: 'CNAME', name: 'name.example', ttl: 300, data: 'b.example' },
  { type: 'A', name: 'b.example', ttl: 300, data: '192.0.2.1' },
  { type: 'AAAA', name: 'b.example', ttl: 300, data: '2001:db8::1' },
  { type: 'TXT', name: 'b.example', ttl: 300, data: ['one', 'two'] },
];
const SOA: Answer = { type: 'SOA', name: 'example', ttl: 300, data: { mname: 'ns.example', rname: 'root.example', minimum: 60 } };
const messageOf = (packet: Packet): Buffer =>
  encode({ type: 'response', id: QUERY.id, questions: QUERY.packet.questions as Question[], ...packet });

test('an answer that is cut off anywhere is no answer', () => {
  const packets: Packet[] = [{ answers: ANSWERS, authorities: [SOA] }, ...[...ANSWERS, SOA].map((answer) => ({ answers: [answer] }))];
  for (const packet of packets) {
    const message = messageOf(packet);
    expect(readReply(message, QUERY)).toMatchObject({ answers: packet.answers!.map(({ type }) => ({ type })) });
    for (let octets = 0; octets < message.length; octets++) {
      const reply = readReply(message.subarray(0, octets), QUERY);
      expect([octets, reply]).toEqual([octets, octets < 12 ? undefined : { why: 'garbled' }]);
    }
  }
});

test('whatever octets come, they are read or told as an outage, and nothing is thrown', () => {
  const message = messageOf({ answers: ANSWERS, authorities: [SOA] });
  const changes = fc.array(fc.tuple(fc.nat(message.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(changes, (changed) => {
      const garbled = Buffer.from(message);
      for (const [at, octet] of changed) garbled[at] = octet;
      const reply = readReply(garbled, QUERY);
      if (reply === undefined || reply === 'truncated' || 'why' in reply) return;
      const statement = readAnswer(reply, QUERY.question);
      for (const value of statement?.status === 'found' ? statement.values : []) expect(value).toBeTypeOf('string');
    }),
    { numRuns: 3_000 },
  );
});

test('neither ids nor ports can be foretold', async () => {
  const ports: number[] = [];
  const { dns } = await asking(({ port }) => {
    ports.push(port);
    return {};
  });
  for (let times = 0; times < 20; times++) await dns.records('name.example', 'TXT');
  expect(new Set(ports.map((port, index) => port - (ports[index - 1] ?? 0))).size).toBeGreaterThan(15);
  const ids = Array.from({ length: 100 }, () => queryFor({ name: 'name.example', type: 'TXT' }).id);
  expect(new Set(ids.map((id, index) => id - (ids[index - 1] ?? 0))).size).toBeGreaterThan(90);
});
