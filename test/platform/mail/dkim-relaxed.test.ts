import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RelaxedBodyHash, relaxedHeader } from '../../../platform/mail/dkim-relaxed.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'latin1').digest('base64');

function hashOf(...pieces: readonly string[]): string {
  const body = new RelaxedBodyHash();
  for (const piece of pieces) body.update(Buffer.from(piece, 'latin1'));
  return body.digest();
}

/** RFC 6376 3.4.4, sentence by sentence. */
function relaxedBody(text: string): string {
  const lines = text
    .split('\r\n')
    .map((line) => line.replace(/[\t ]+$/, '').replace(/[\t ]+/g, ' '))
    .join('\r\n')
    .replace(/(?:\r\n)+$/, '');
  return lines === '' ? '' : `${lines}\r\n`;
}

test('the example of RFC 6376 3.4.5 comes out as it stands there', () => {
  expect([relaxedHeader('A: X\r\n'), relaxedHeader('B : Y\t\r\n\tZ  \r\n')]).toEqual(['a:X', 'b:Y Z']);
  expect(hashOf(' C \r\nD \t E\r\n\r\n\r\n')).toBe(sha256(' C\r\nD E\r\n'));
});

test.each([
  ['nothing', '', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ['empty lines', '\r\n\r\n', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ['white space alone', ' \t \r\n  \r\n', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  ['no line end at the end', 'a', sha256('a\r\n')],
  ['white space at the end', 'a \t', sha256('a\r\n')],
])('a body of %s has the hash of its relaxed form', (_, body, hash) => {
  expect(hashOf(body)).toBe(hash);
});

test('a header without a value has none in its relaxed form', () => {
  expect([relaxedHeader('Subject:\r\n'), relaxedHeader('Subject: \r\n')]).toEqual(['subject:', 'subject:']);
});

test('white space that the RFC does not know stays in a header', () => {
  expect(relaxedHeader('Subject: \u00a0a\u2003b\u00a0 ')).toBe('subject:\u00a0a\u2003b\u00a0');
});

test('however a body is cut into pieces, its hash is that of the form that the RFC tells', () => {
  const body = fc.array(
    fc.constantFrom('\r\n', '\r\n', '\r\n\r\n', ' ', '  ', '\t', ' \t', '.', 'a', 'é', '=20', '\0', 'x'.repeat(80), '\n'),
  );
  fc.assert(
    fc.property(body, fc.array(fc.nat(200)), (parts, cuts) => {
      const text = parts.join('');
      const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      expect(hashOf(...pieces)).toBe(sha256(relaxedBody(text)));
    }),
    { numRuns: 2000 },
  );
});
