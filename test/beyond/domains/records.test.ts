import { describe, expect, test } from 'vitest';
import { judgeRecord, type RecordPurpose, wantedRecords } from '../../../domain/domains/records.ts';
import { domainKey } from './domain-key.ts';

const KEY = `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${'b3RoZXIga2V5'.repeat(20)}IDAQAB`;
const records = wantedRecords({
  domain: 'mail.acme.example',
  token: 'f00d',
  keys: [domainKey({ selector: 'ep-1', record: `v=DKIM1; k=rsa; p=${KEY}` })],
  spfInclude: '_spf.post.example',
  trackingHost: 'mail.post.example',
  returnPathHost: 'back.post.example',
});
const recordOf = (purpose: RecordPurpose) => records.find((record) => record.purpose === purpose)!;

test('a domain is verified by ownership and DKIM; SPF is asked for where it is known what to include, a host for links where there is one', () => {
  expect(records.map(({ purpose, name, required }) => [purpose, name, required])).toEqual([
    ['ownership', '_everpost.mail.acme.example', true],
    ['dkim', 'ep-1._domainkey.mail.acme.example', true],
    ['spf', 'mail.acme.example', false],
    ['dmarc', '_dmarc.mail.acme.example', false],
    ['return_path', 'bounces.mail.acme.example', false],
    ['tracking', 'track.mail.acme.example', false],
  ]);
  const without = wantedRecords({
    domain: 'acme.example',
    token: 't',
    keys: [domainKey({})],
    spfInclude: undefined,
    trackingHost: undefined,
    returnPathHost: undefined,
  });
  expect(without.map(({ purpose }) => purpose)).toEqual(['ownership', 'dkim', 'dmarc']);
});

test.each(records)('the value that is shown for $purpose is found', (record) => {
  expect(judgeRecord(record, [record.value])).toEqual({ state: 'found' });
  if (record.type === 'TXT') expect(judgeRecord(record, [`${record.value} `, 'google-site-verification=x'])).toEqual({ state: 'found' });
});

test('the key that signs is needed, and shown before the one that waits and those that have had their turn', () => {
  const at = new Date('2026-06-01T00:00:00Z');
  const keys = [
    domainKey({ selector: 'gone', signed_at: at, retired_at: at, sealed_private_key: null }),
    domainKey({ selector: 'kept', signed_at: at, retired_at: at }),
    domainKey({ selector: 'signing', signs: true, signed_at: at }),
    domainKey({ selector: 'waiting' }),
    domainKey({ selector: 'second', algorithm: 'ed25519' }),
  ];
  const shown = wantedRecords({
    domain: 'acme.example',
    token: 't',
    keys,
    spfInclude: undefined,
    trackingHost: undefined,
    returnPathHost: undefined,
  }).filter(({ dkim }) => dkim);
  expect(shown.map(({ key, required, action, keepUntil }) => [key, required, action, keepUntil?.toISOString()])).toEqual([
    ['dkim:signing', true, 'set', undefined],
    ['dkim:waiting', false, 'set', undefined],
    ['dkim:second', false, 'set', undefined],
    ['dkim:kept', false, 'keep', '2026-06-08T00:00:00.000Z'],
    ['dkim:gone', false, 'remove', undefined],
  ]);
  const judged = shown.slice(3).map((record) => judgeRecord(record, []));
  expect(judged).toEqual([{ state: 'missing', problem: expect.stringContaining('2026-06-08') }, { state: 'missing' }]);
});

test.each(records)('nothing is missing where DNS has nothing for $purpose', (record) => {
  expect(judgeRecord(record, [])).toEqual({ state: 'missing', problem: expect.any(String) });
});

test.each(records.filter(({ type }) => type === 'TXT'))('quotes in the value itself are what is wrong with $purpose', (record) => {
  expect(judgeRecord(record, [`"${record.value}"`])).toEqual({ state: 'wrong', problem: expect.stringContaining('quotes') });
});

const CASES: Readonly<Record<RecordPurpose, readonly [string, readonly string[], 'found' | 'missing' | 'wrong'][]>> = {
  ownership: [
    ["another project's token beside ours", ['everpost-verification=beef', 'everpost-verification=f00d'], 'found'],
    ["another project's token", ['everpost-verification=beef'], 'wrong'],
    ['a part of the token', ['everpost-verification=f00'], 'wrong'],
    ['more than the token', ['everpost-verification=f00df00d'], 'wrong'],
    ['texts of others', ['v=spf1 -all', ''], 'missing'],
    ['the token in other letters', ['everpost-verification=F00D'], 'wrong'],
  ],
  dkim: [
    ['without v and k', [`p=${KEY}`], 'found'],
    ['with white space in the key', [`v=DKIM1;k=rsa; p=${KEY.slice(0, 100)} \t${KEY.slice(100)}`], 'found'],
    ['with further tags', [`v=DKIM1; h=sha256; k=rsa; t=s; p=${KEY};`], 'found'],
    ['cut off', [`v=DKIM1; k=rsa; p=${KEY.slice(0, 200)}`], 'wrong'],
    ['revoked', ['v=DKIM1; k=rsa; p='], 'wrong'],
    ['of another algorithm', [`v=DKIM1; k=ed25519; p=${KEY}`], 'wrong'],
    ['two keys', [`p=${KEY}`, 'p=AAAA'], 'wrong'],
    ['no key', ['hello'], 'wrong'],
  ],
  spf: [
    ['among others', ['v=spf1 ip4:192.0.2.1 include:_spf.other.example include:_spf.post.example -all'], 'found'],
    ['with a plus', ['v=spf1 +include:_spf.post.example ~all'], 'found'],
    ['in capitals', ['V=SPF1 INCLUDE:_spf.post.example -ALL'], 'found'],
    ['refused', ['v=spf1 -include:_spf.post.example ~all'], 'wrong'],
    ['of a longer name', ['v=spf1 include:_spf.post.example.net ~all'], 'wrong'],
    ['without it', ['v=spf1 mx -all'], 'wrong'],
    ['two policies', ['v=spf1 include:_spf.post.example ~all', 'v=spf1 mx -all'], 'wrong'],
    ['another version', ['v=spf10 include:_spf.post.example'], 'missing'],
    ['an empty policy', ['v=spf1'], 'wrong'],
  ],
  dmarc: [
    ['a strict policy', ['v=DMARC1; p=reject; rua=mailto:dmarc@acme.example'], 'found'],
    ['with spaces', ['v = DMARC1 ; p = quarantine'], 'found'],
    ['without a policy', ['v=DMARC1; rua=mailto:a@b.example'], 'wrong'],
    ['an unknown policy', ['v=DMARC1; p=block'], 'wrong'],
    ['two', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'wrong'],
    ['another version', ['v=DMARC11; p=none'], 'missing'],
    ['something else', ['p=none'], 'missing'],
    ['without the name of its version', ['DMARC1 p=none'], 'wrong'],
  ],
  return_path: [['another host', ['mail.post.example'], 'wrong']],
  tracking: [
    ['another host', ['mail.other.example'], 'wrong'],
    ['a host below it', ['a.mail.post.example'], 'wrong'],
  ],
};

describe.each(Object.entries(CASES) as [RecordPurpose, (typeof CASES)[RecordPurpose]][])('%s', (purpose, cases) => {
  test.each(cases)('%s', (_, texts, state) => {
    const judged = judgeRecord(recordOf(purpose), texts);
    expect(judged.state).toBe(state);
    expect(judged.problem === undefined).toBe(state === 'found');
  });
});
