import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emailDomain, normalizeEmail } from '../../domain/email-address.ts';

test.each([
  ['  Ann.Bell+news@Example.COM \n', 'ann.bell+news@example.com'],
  ["o'neil@example.co.uk", "o'neil@example.co.uk"],
  ['a@b.co', 'a@b.co'],
  ['1@2.example', '1@2.example'],
  ['ann@xn--bcher-kva.example', 'ann@xn--bcher-kva.example'],
  ['Jörg@Bücher.example', 'jörg@bücher.example'],
  ['用户@例子.广告', '用户@例子.广告'],
  // Decomposed and composed letters look the same and are the same address.
  ['jo\u0308rg@example.com', 'jörg@example.com'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
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
])('%j is no address', (text) => {
  expect(normalizeEmail(text)).toBeUndefined();
});

test('normalizing twice changes nothing, and nothing that could break a header or an envelope gets through', () => {
  const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 6 }));
  fc.assert(
    fc.property(part, part, (local, domain) => {
      const email = normalizeEmail(`${local}@${domain}.com`);
      if (email === undefined) return;
      expect(normalizeEmail(email)).toBe(email);
      expect(email).not.toMatch(/[\s<>"(),:;\p{Cc}]/u);
      expect(emailDomain(email)).toBe(email.split('@')[1]);
    }),
    { numRuns: 2000 },
  );
});
