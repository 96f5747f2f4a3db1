import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emailDomain, normalizeEmail } from '../../../domain/contacts/email-address.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';
import { leastRunningMs } from '../../support/running-ms.ts';

test.each([
  ['  Ann.Bell+news@Example.COM \n', 'ann.bell+news@example.com'],
  ["o'neil@example.co.uk", "o'neil@example.co.uk"],
  ['a@b.co', 'a@b.co'],
  ['1@2.example', '1@2.example'],
  ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
  // One mailbox, one spelling: the domain by UTS 46, non-transitional.
  ['Jörg@Bücher.example', 'jörg@xn--bcher-kva.example'],
  ['ann@bu\u0308cher.example', 'ann@xn--bcher-kva.example'],
  ['ann@XN--BCHER-KVA.example', 'ann@xn--bcher-kva.example'],
  ['ann@ｅｘａｍｐｌｅ.com', 'ann@example.com'],
  ['ann@exampl𝐞.com', 'ann@example.com'],
  ['ann@example。com', 'ann@example.com'],
  ['ann@faß.example', 'ann@xn--fa-hia.example'],
  ['ann@ΑΣ.example', 'ann@xn--mxa0b.example'],
  ['用户@例子.广告', '用户@xn--fsqu00a.xn--4rr70v'],
  // Legal by IDNA 2008.
  ['ann@col·lecció.example', 'ann@xn--collecci-ioa91d.example'],
  ['ann@क्\u200dष.example', 'ann@xn--11b2ezcw70k.example'],
  ['ann@نامه\u200cای.example', 'ann@xn--mgba3gch31f060k.example'],
  ['ann@אב.example', 'ann@xn--4dbc.example'],
  ['ann@ab--cd.example', 'ann@ab--cd.example'],
  // Decomposed and composed letters look the same and are the same address.
  ['jo\u0308rg@example.com', 'jörg@example.com'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  [`${'ö'.repeat(32)}@example.com`, `${'ö'.repeat(32)}@example.com`],
  // 254 octets.
  [`${'a'.repeat(60)}@${'b.'.repeat(95)}com`, `${'a'.repeat(60)}@${'b.'.repeat(95)}com`],
])('%j is stored as %j', (text, stored) => {
  expect(normalizeEmail(text)).toBe(stored);
});

test.each([
  '',
  '@',
  'ann',
  'ann@',
  '@example.com',
  'ann@example',
  'ann@@example.com',
  'ann@b@example.com',
  'ann@.example.com',
  'ann@example..com',
  'ann@example.com.',
  'ann@-example.com',
  'ann@example-.com',
  'ann@exa_mple.com',
  '.ann@example.com',
  'ann.@example.com',
  'an..n@example.com',
  'an n@example.com',
  'ann@exam ple.com',
  'ann@example.com, bob@example.com',
  'Ann <ann@example.com>',
  '<ann@example.com>',
  '"ann"@example.com',
  '"a b"@example.com',
  'ann(work)@example.com',
  'ann@example.com (Ann)',
  'ann@[192.0.2.1]',
  'ann@192.0.2.1',
  'an\\n@example.com',
  'an\u0000n@example.com',
  'an\r\nn@example.com',
  'ann@exam\tple.com',
  'an\u200bn@example.com',
  'an\u00a0n@example.com',
  'an\u202en@example.com',
  `${'a'.repeat(65)}@example.com`,
  `${'a'.repeat(60)}@${'b.'.repeat(100)}com`,
  `ann@${'b'.repeat(64)}.com`,
  // Lengths are octets of the wire form.
  `${'ö'.repeat(33)}@example.com`,
  `${'a'.repeat(60)}@${'b.'.repeat(96)}com`,
  `ann@${'ü'.repeat(60)}.com`,
  `${'ö'.repeat(30)}@${'ü.'.repeat(30)}com`,
  // IPv4 addresses in disguise.
  'a@127.0.0.1',
  'a@127.0x1',
  'a@１２７.0x1',
  'a@①.0x2',
  'a@0x7f.0X1',
  'a@1。2。3。4',
  // Illegal A-labels: of nothing, of ASCII, of what no Punycode is, of a letter in the wrong case, of a symbol.
  'a@xn--.com',
  'a@xn--a.com',
  'a@xn--a-.com',
  'a@xn--99999999999.com',
  'a@xn--a-ecp.ru',
  'a@xn--ls8h.com',
  'a@💩.com',
  'a@ex%61mple.com',
  'a@a/b.com',
  'a@℀.com',
  // Mixed directions.
  'a@אבa.com',
  'a@aא.com',
  'a@xn--a-0hc.com',
  // Joiners out of their context, and a combining mark at the start.
  'a@क\u200dष.com',
  'a@\u0301a.com',
  'a@-ü.com',
  'a@ü-.com',
])('%j is no address', (text) => {
  expect(normalizeEmail(text)).toBeUndefined();
});

test.each(['\u3164', '\u2800', '\ufe0f', '\u034f', '\u00ad', '\u200b', '\u2060', '\ufeff', '\u{e0100}', '\u115f', '\u180e'])(
  'the invisible character %j is refused on both sides of the @',
  (character) => {
    expect(normalizeEmail(`an${character}n@example.com`)).toBeUndefined();
    expect(normalizeEmail(`ann@exa${character}mple.com`)).toBeUndefined();
    expect(normalizeEmail(`ann@bü${character}cher.com`)).toBeUndefined();
  },
);

test('no text takes longer than a moment', () => {
  const texts = [
    'ب\u200c'.repeat(900),
    'a-'.repeat(900),
    '\u0300'.repeat(1800),
    'xn--'.repeat(400),
    `xn--${'9'.repeat(1800)}`,
    'ü.'.repeat(900),
  ];
  for (const text of texts.flatMap((each) => [each.slice(0, 1000), each, each.repeat(1000)])) {
    for (const address of [`a@${text}.com`, `${text}@example.com`]) {
      expect(leastRunningMs(() => expect(normalizeEmail(address)).toBeUndefined(), 50)).toBeLessThan(50);
    }
  }
});

test('normalizing twice changes nothing, and nothing that could break a header or an envelope gets through', () => {
  const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ unit: ANY_CHARACTER, maxLength: 6 }));
  fc.assert(
    fc.property(part, part, (local, domain) => {
      const email = normalizeEmail(`${local}@${domain}.com`);
      if (email === undefined) return;
      expect(normalizeEmail(email)).toBe(email);
      expect(email).not.toMatch(/[\s<>"(),:;\p{Cc}]/u);
      expect(email.split('@')).toEqual([expect.anything(), emailDomain(email)]);
      expect(emailDomain(email)).toMatch(/^[a-z0-9.-]+$/);
      // What is stored is what a URL with this host means, so no other reader takes it for something else.
      expect(domainToASCII(emailDomain(email))).toBe(emailDomain(email));
    }),
    { numRuns: 2000 },
  );
});
