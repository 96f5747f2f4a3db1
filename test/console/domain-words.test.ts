import { describe, expect, test } from 'vitest';
import { checkWords, otherTexts, purposeWords, stateWords } from '../../console/src/pages/domains/domain-words.ts';
import { likelyZone, nameInZone, zonesOf } from '../../console/src/pages/domains/zone-names.ts';
import { unverifiedHost } from '../../console/src/show/sender-host.ts';
import { unverifiedSender } from '../../domain/sends/send.ts';

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
  const record = {
    purpose: 'dkim',
    type: 'TXT',
    name: 'n',
    value: 'v=DKIM1; p=1',
    required: true,
    problem: null,
    checked_at: null,
  } as const;

  test('of a later version is called as the API calls it', () => {
    expect(purposeWords({ purpose: 'tracking_host' as never }).label).toBe('Tracking host');
    expect(stateWords({ state: 'retiring' as never, required: false }).value).toBe('retiring');
  });

  test('that only helps is no failure where it is missing', () => {
    expect(stateWords({ state: 'missing', required: true }).tone).toBe('bad');
    expect(stateWords({ state: 'missing', required: false }).tone).toBe('warning');
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
      title: 'DNS did not answer for DKIM',
      text: 'No name server could be reached. What was known before stays as it was. Try again in a moment.',
      isGood: false,
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
