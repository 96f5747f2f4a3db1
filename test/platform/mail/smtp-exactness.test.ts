import { afterEach, expect, test } from 'vitest';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import { finishedMailTo } from './mails.ts';
import { type Reaction, type ScriptedServerOptions, scriptedServer } from './smtp-doubles.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const MAILS = 200;
/** One command in so many meets trouble. */
const ONE_IN = 12;
/** A second answer to DATA; what comes later than the first one cannot be told from the answer to the dot. */
const STRAY = ['354 go on\r\n250 ok', '354 go on\r\n421 bye'];
const TROUBLE: Readonly<Record<string, readonly Reaction[]>> = {
  GREETING: ['hang up', '421 4.7.0 too many connections'],
  EHLO: ['hang up'],
  RSET: ['hang up', '421 4.4.2 bye'],
  MAIL: ['hang up', '421 4.4.2 bye', '451 4.3.0 busy', '550 5.7.1 no', 'nonsense', '354 go on'],
  RCPT: ['hang up', '421 4.4.2 bye', '451 4.3.0 busy', '550 5.1.1 no', 'nonsense'],
  DATA: ['hang up', '421 4.4.2 bye', '451 4.3.0 busy', '554 5.5.1 no', 'nonsense', '250 ok', ...STRAY],
  BODY: ['hang up'],
  DOT: ['hang up', 'keep and hang up', '421 4.3.2 bye', '451 4.3.0 busy', '554 5.7.1 no'],
};

/** The same sequence for the same seed: mulberry32. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) % below;
  };
}

const met = new Set<string>();
const runs = (['each', 'octets', 'together'] as const).flatMap((writing) =>
  [true, false].flatMap((pipelining) => [1, 2].map((seed) => [seed, pipelining, writing] as const)),
);

test.each(runs)('whatever a server does, each answer is true of what it took (seed %d, PIPELINING %s, answers %s)', async (...run) => {
  const [seed, pipelining, writing]: [number, boolean, NonNullable<ScriptedServerOptions['writing']>] = run;
  const next = random(seed);
  const server = await scriptedServer(
    (verb) => {
      const troubles = TROUBLE[verb]?.filter((reaction) => writing !== 'octets' || !STRAY.includes(reaction));
      if (troubles && next(ONE_IN) === 0) return troubles[next(troubles.length)];
      return verb === 'EHLO' ? `250-double\r\n250 ${pipelining ? 'PIPELINING' : 'HELP'}` : undefined;
    },
    { writing },
  );
  open.push(server);
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${server.port}`), { maxConnections: 5 });
  open.push(provider);
  const mails = Array.from({ length: MAILS }, (_, i) => finishedMailTo(`r${i}@example.org`));
  const answers = await Promise.all(mails.map((mail) => provider.send(mail, 'key')));

  const copies = new Map<string, number>();
  for (const { to, content } of server.received) {
    expect(content).toContain('Subject: Hello');
    for (const each of to) copies.set(each, (copies.get(each) ?? 0) + 1);
  }
  const untrue = mails.flatMap((mail, i) => {
    const taken = copies.get(mail.to) ?? 0;
    const { outcome } = answers[i]!;
    const isTrue = outcome === 'accepted' ? taken === 1 : outcome === 'unknown' ? taken <= 1 : taken === 0;
    return isTrue ? [] : [{ to: mail.to, taken, answer: answers[i] }];
  });
  expect(untrue).toEqual([]);
  for (const { outcome } of answers) met.add(outcome);
});

test('those runs met every outcome', () => {
  expect([...met].toSorted()).toEqual(['accepted', 'later', 'rejected', 'unknown']);
});
