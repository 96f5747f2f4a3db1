import { describe, expect, test } from 'vitest';
import { checkWords } from '../../console/src/pages/domains/domain-words.ts';
import { badgesOf, labelOf, otherTexts, problemOf, stateWords } from '../../console/src/pages/domains/record-words.ts';
import { likelyZone, nameInZone, zonesOf } from '../../console/src/pages/domains/zone-names.ts';
import { unverifiedHost } from '../../console/src/show/sender-host.ts';
import { unverifiedSender } from '../../domain/sends/send.ts';

type DomainRecord = Parameters<typeof labelOf>[0];

test.each([
  ['acme.example', 'acme.example', ['acme.example']],
  ['mail.acme.example', 'acme.example', ['mail.acme.example', 'acme.example']],
  ['shop.co.uk', 'shop.co.uk', ['shop.co.uk', 'co.uk']],
  ['mail.shop.com.br', 'shop.com.br', ['mail.shop.com.br', 'shop.com.br', 'com.br']],
  ['mail.acme.de', 'acme.de', ['mail.acme.de', 'acme.de']],
])('%s most likely lies in the zone %s', (domain, zone, zones) => {
  expect([likelyZone(domain), zonesOf(domain)]).toEqual([zone, zones]);
});

test('a name is told without its zone, and as "@" where it is the zone', () => {
  expect(nameInZone('_everpost.mail.acme.example', 'acme.example')).toBe('_everpost.mail');
  expect(nameInZone('_everpost.mail.acme.example', 'mail.acme.example')).toBe('_everpost');
  expect(nameInZone('acme.example', 'acme.example')).toBe('@');
  expect(nameInZone('x.notacme.example', 'acme.example')).toBe('x.notacme.example');
});

describe('a record', () => {
  const record: DomainRecord = {
    ...{ purpose: 'dkim', type: 'TXT', name: 'n._domainkey.acme.example', value: 'v=DKIM1; p=1', required: true },
    ...{ action: 'set', keep_until: null, algorithm: 'rsa', signs: true },
    ...{ state: 'found', found: [], problem: null, unavailable: null, checked_at: null },
  };
  const alias: DomainRecord = { ...record, purpose: 'tracking', type: 'CNAME', required: false, algorithm: null, signs: null };

  test('of a later version is called as the API calls it', () => {
    expect(labelOf({ ...record, purpose: 'open_pixel' as never }, [])).toBe('Open pixel');
    expect(stateWords({ ...record, state: 'retiring' as never }, []).value).toBe('retiring');
  });

  test('that only helps is no failure where it is missing', () => {
    const tone = (part: object): string => stateWords({ ...record, state: 'missing', ...part }, []).tone;
    expect(tone({})).toBe('bad');
    expect(tone({ purpose: 'dmarc', required: false })).toBe('warning');
  });

  test('that nobody has to set is not even a warning where it is missing, but one where it leads elsewhere', () => {
    const missing = { ...alias, state: 'missing', problem: 'there is no CNAME yet' } as const;
    expect([stateWords(missing, []), problemOf(missing, [])]).toEqual([{ value: 'not set', tone: 'idle' }, undefined]);
    const wrong = { ...alias, state: 'wrong', problem: 'it leads to a' } as const;
    expect([stateWords(wrong, []).tone, problemOf(wrong, [])]).toEqual(['warning', 'it leads to a']);
    expect(badgesOf(missing, String)).toEqual(['Optional']);
  });

  test('of a key is called by its turn, unlike any other of its domain', () => {
    const key = (selector: string, part: object = {}): DomainRecord => ({
      ...record,
      name: `${selector}._domainkey.acme.example`,
      required: false,
      signs: false,
      ...part,
    });
    const labels = (...all: DomainRecord[]): string[] => all.map((each) => labelOf(each, all));
    const signing = key('a', { signs: true, required: true });
    const old = { action: 'keep', keep_until: '2027-01-05T12:00:00.000Z' };
    expect(labels(key('a', { required: true }))).toEqual(['DKIM key']);
    expect(labels(signing, key('b'))).toEqual(['DKIM key', 'New DKIM key']);
    expect(labels(signing, key('b', old), key('c', { action: 'remove' }))).toEqual(['DKIM key', 'Old DKIM key b', 'Old DKIM key c']);
    expect(labels(signing, key('e', { algorithm: 'ed25519' }))).toEqual(['DKIM key', 'DKIM key (Ed25519)']);
    // Taken away since others may have the private key; a new one is to sign.
    const [added, earlier] = [key('b', { required: true }), key('a', { state: 'missing', problem: 'there is no such record yet' })];
    expect(labels(added, earlier)).toEqual(['DKIM key', 'Earlier DKIM key']);
    expect(problemOf(earlier, [added, earlier])).toBeUndefined();
    expect(badgesOf(signing, String)).toEqual(['Required', 'Signs now']);
    expect(badgesOf(key('b', old), (day) => day.toISOString())).toEqual([`Keep until ${old.keep_until}`]);
  });

  test('to remove is neither to be set nor a problem, whatever DNS says', () => {
    for (const state of ['found', 'missing', 'wrong', 'unchecked'] as const) {
      const removable = { ...record, action: 'remove', required: false, signs: false, state, problem: 'gone' } as const;
      expect([stateWords(removable, []), problemOf(removable, []), badgesOf(removable, String)]).toEqual([
        { value: 'can be removed', tone: 'idle' },
        undefined,
        [],
      ]);
    }
  });

  test('tells what stands at its name unless that is what was asked for, or about something else', () => {
    const spf = { value: 'v=spf1 include:a ~all', found: ['site-verification=1', 'v=spf1 include:b include:a ~all'] };
    expect(otherTexts({ ...spf, state: 'found' })).toEqual(['v=spf1 include:b include:a ~all']);
    expect(otherTexts({ ...spf, state: 'wrong' })).toEqual(spf.found);
    expect(otherTexts({ state: 'found', value: 'v=DMARC1; p=none;', found: ['v=DMARC1; p=none;'] })).toEqual([]);
  });

  const domain = (...records: object[]) =>
    ({ verified: true, records: records.map((each) => ({ ...record, found: [], ...each })) }) as never;

  test('about which DNS gave no answer is told before what is missing', () => {
    const silent = { state: 'found', unavailable: 'no name server could be reached' };
    expect(checkWords(domain(silent, { purpose: 'ownership', state: 'missing', unavailable: null }))).toEqual({
      title: 'DNS did not answer for DKIM key',
      text: 'No name server could be reached. What was known before stays as it was. Try again in a moment.',
      isGood: false,
    });
  });

  test('of a new key that is not found yet is told of apart from those that would help', () => {
    const added = { name: 'b._domainkey.acme.example', required: false, signs: false, state: 'missing' };
    const removable = { ...added, action: 'remove', name: 'c._domainkey.acme.example', unavailable: 'a time-out' };
    expect(checkWords(domain({}, added, removable, { ...alias, state: 'missing' }))).toEqual({
      title: 'All required records are there',
      text: 'Email can be sent from this domain. Not found yet: New DKIM key. Everpost looks again by itself.',
      isGood: true,
    });
  });

  test('that is recommended is told of, but all is well without it', () => {
    const dmarc = { purpose: 'dmarc', required: false, state: 'missing', unavailable: null };
    expect(checkWords(domain({ state: 'found', unavailable: null }, dmarc))).toEqual({
      title: 'All required records are there',
      text: 'Email can be sent from this domain. DMARC would help your email to arrive.',
      isGood: true,
    });
  });
});

test('the host of a sender that is on no verified domain is known by the words of the API', () => {
  const { code, message } = unverifiedSender('Hello@Mail.Acme.example', ['other.example']);
  expect(unverifiedHost(message)).toBe('mail.acme.example');
  expect(unverifiedHost(`${code}: ${message}`)).toBe('mail.acme.example');
  expect(unverifiedHost('the brand acme has no sender address yet')).toBeUndefined();
});
