import { expect, test } from 'vitest';
import { agedAlgorithms, type DomainKey, type KeyTurn, OVERLAP_MS, turnsAfter, waitingKey } from '../../../domain/domains/key-turns.ts';
import { judgeRecord, wantedRecords } from '../../../domain/domains/records.ts';
import { domainKey } from './domain-key.ts';

const NOW = new Date('2026-06-30T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const DAY = 86_400_000;
const LONG_AGO = ago(60 * DAY);

type State = 'found' | 'missing' | 'unavailable, found before' | 'unavailable, missing before';

/** What a check makes of these keys: `signs`, `retired`, `forgotten` or `gone` of each, by selector. */
function after(keys: readonly DomainKey[], states: Readonly<Record<string, State>>, ed25519 = true): Record<string, string> {
  const turns = turnsAfter(
    keys,
    ({ selector }) => {
      const state = states[selector];
      return (
        state && {
          ...{ found: [], checkedAt: NOW.toISOString(), state: state.includes('found') ? 'found' : 'missing' },
          ...(state.startsWith('unavailable') && { unavailable: 'SERVFAIL' }),
        }
      );
    },
    { ed25519, now: NOW },
  );
  return Object.fromEntries(turns.map((turn) => [turn.id, wordsOf(turn)]));
}

function wordsOf(turn: KeyTurn): string {
  if ('isGone' in turn) return 'gone';
  if (turn.isForgotten) return 'forgotten';
  return turn.signs ? 'signs' : turn.retired_at ? 'retired' : 'waits';
}

const SIGNING = domainKey({ selector: 'old', signs: true, signed_at: LONG_AGO });
const WAITING = domainKey({ selector: 'new' });
const retired = (ms: number): DomainKey => domainKey({ selector: 'old', signed_at: LONG_AGO, retired_at: ago(ms) });
const TURNED = domainKey({ selector: 'new', signs: true, signed_at: LONG_AGO });
const FORGOTTEN = { ...retired(OVERLAP_MS), sealed_private_key: null };
const SECOND = domainKey({ selector: 'ed', algorithm: 'ed25519' });

test.each<[string, readonly DomainKey[], Record<string, State>, Record<string, string>]>([
  ['the first key signs once its record is found', [WAITING], { new: 'found' }, { new: 'signs' }],
  ['no key signs whose record was never looked for', [WAITING], {}, { new: 'waits' }],
  ['an outage makes no key sign', [WAITING], { new: 'unavailable, missing before' }, { new: 'waits' }],
  ['an outage stops none', [SIGNING], { old: 'unavailable, found before' }, { old: 'signs' }],
  ['a key goes on while nothing is known of its record', [SIGNING], {}, { old: 'signs' }],
  ['a key whose record is gone signs no more', [SIGNING], { old: 'missing' }, { old: 'waits' }],
  [
    'the old key goes on while the new one is not found',
    [SIGNING, WAITING],
    { old: 'found', new: 'missing' },
    { old: 'signs', new: 'waits' },
  ],
  ['the new key takes over as soon as it is found', [SIGNING, WAITING], { old: 'found', new: 'found' }, { old: 'retired', new: 'signs' }],
  [
    'the old one takes over again when the new one is lost',
    [retired(1), TURNED],
    { old: 'found', new: 'missing' },
    { old: 'signs', new: 'waits' },
  ],
  [
    'a moment before the overlap ends the old key is there',
    [retired(OVERLAP_MS - 1), TURNED],
    { old: 'found', new: 'found' },
    { old: 'retired', new: 'signs' },
  ],
  [
    'with the end of the overlap its private key is deleted',
    [retired(OVERLAP_MS), TURNED],
    { old: 'found', new: 'found' },
    { old: 'forgotten', new: 'signs' },
  ],
  [
    'but not while nobody knows of the new record',
    [retired(OVERLAP_MS), TURNED],
    { old: 'found', new: 'unavailable, found before' },
    { old: 'retired', new: 'signs' },
  ],
  [
    'nor when the new record is lost at that moment',
    [retired(OVERLAP_MS), TURNED],
    { old: 'found', new: 'missing' },
    { old: 'signs', new: 'waits' },
  ],
  [
    'a deleted key is named as long as its record stands',
    [FORGOTTEN, TURNED],
    { old: 'found', new: 'found' },
    { old: 'forgotten', new: 'signs' },
  ],
  ['and while nobody knows', [FORGOTTEN, TURNED], { old: 'unavailable, missing before', new: 'found' }, { old: 'forgotten', new: 'signs' }],
  ['and no more when it was taken away', [FORGOTTEN, TURNED], { old: 'missing', new: 'found' }, { old: 'gone', new: 'signs' }],
  ['both algorithms sign once both are found', [SIGNING, SECOND], { old: 'found', ed: 'found' }, { old: 'signs', ed: 'signs' }],
  ['RSA signs alone until then', [SIGNING, SECOND], { old: 'found', ed: 'missing' }, { old: 'signs', ed: 'waits' }],
  ['Ed25519 never signs alone', [SIGNING, SECOND], { old: 'missing', ed: 'found' }, { old: 'waits', ed: 'waits' }],
])('%s', (_, keys, states, expected) => {
  expect(after(keys, states)).toEqual(expected);
});

test('a domain without Ed25519 is signed by RSA alone, and keeps the other record for the overlap', () => {
  const second = domainKey({ ...SECOND, signs: true, signed_at: LONG_AGO });
  expect(after([SIGNING, second], { old: 'found', ed: 'found' }, false)).toEqual({ old: 'signs', ed: 'retired' });
  const over = domainKey({ ...second, signs: false, retired_at: ago(OVERLAP_MS) });
  expect(after([SIGNING, over], { old: 'found', ed: 'found' }, false)).toEqual({ old: 'signs', ed: 'forgotten' });
});

test('a key that has yet to sign is the new one; one that has signed and lost its record is not', () => {
  expect(waitingKey([SIGNING, WAITING], 'rsa')?.selector).toBe('new');
  expect(waitingKey([SIGNING], 'rsa')).toBeUndefined();
  expect(waitingKey([{ ...SIGNING, signs: false }], 'rsa')).toBeUndefined();
  expect(waitingKey([SIGNING, WAITING], 'ed25519')).toBeUndefined();
});

test('a key that signs is old after so many days, unless its successor waits already', () => {
  const aged = (keys: readonly DomainKey[], days: number) => agedAlgorithms(keys, days * DAY, NOW);
  const second = domainKey({ ...SECOND, signs: true, created_at: ago(10 * DAY) });
  expect(aged([SIGNING, second], 60)).toEqual(['rsa']);
  expect(aged([SIGNING, second], 61)).toEqual([]);
  expect(aged([SIGNING, second], 10)).toEqual(['rsa', 'ed25519']);
  expect(aged([SIGNING, WAITING], 1)).toEqual([]);
  expect(aged([{ ...SIGNING, signs: false }], 1)).toEqual([]);
});

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  'whoever does what the records say, whenever that is, has mail signed at all times, and every signature of a week verifies (seed %i)',
  (seed) => {
    const random = numbersFrom(seed);
    const dns = new Set<string>();
    let keys: DomainKey[] = [domainKey({ selector: 'k0' })];
    let [now, made, rotated] = [NOW.getTime(), 1, 0];
    const signedUntil = new Map<string, number>();
    const records = () =>
      wantedRecords({
        domain: 'acme.example',
        token: 't',
        keys,
        spfInclude: undefined,
        trackingHost: undefined,
        returnPathHost: undefined,
      }).filter(({ dkim }) => dkim);
    for (let step = 0; step < 300; step++) {
      now += random() * DAY;
      const did = random();
      if (did < 0.1 && !waitingKey(keys, 'rsa')) {
        keys.push(domainKey({ selector: `k${made++}`, created_at: new Date(now) }));
        rotated++;
      } else if (did < 0.4) {
        // Somebody does a part of what is shown.
        for (const { key, action } of records()) {
          if (random() < 0.5) continue;
          if (action === 'set') dns.add(key);
          else if (action === 'remove') dns.delete(key);
        }
      } else {
        const findings = new Map(
          records().map((record) => [
            record.key,
            { ...judgeRecord(record, dns.has(record.key) ? [record.value] : []), found: [], checkedAt: new Date(now).toISOString() },
          ]),
        );
        const turns = new Map(
          turnsAfter(keys, ({ selector }) => findings.get(`dkim:${selector}`), { ed25519: false, now: new Date(now) }).map((turn) => [
            turn.id,
            turn,
          ]),
        );
        keys = keys.flatMap((key) => {
          const turn = turns.get(key.id)!;
          if ('isGone' in turn) return [];
          const { isForgotten, ...rest } = turn;
          return [{ ...key, ...rest, sealed_private_key: isForgotten ? null : key.sealed_private_key }];
        });
      }
      const signing = keys.filter(({ signs, sealed_private_key }) => signs && sealed_private_key);
      for (const { selector } of signing) signedUntil.set(`dkim:${selector}`, now);
      if (signedUntil.size > 0) expect(signing).toHaveLength(1);
      for (const [key, at] of signedUntil) if (now - at < OVERLAP_MS) expect(dns).toContain(key);
    }
    expect(rotated).toBeGreaterThan(2);
    expect(keys.length).toBeLessThan(6);
  },
);
