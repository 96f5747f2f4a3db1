import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteSink } from '../../../platform/mail/byte-sink.ts';
import { encodeBlock, QuotedPrintableWriter } from '../../../platform/mail/quoted-printable.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const hard = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\t',
    '.',
    '\n.',
    '=',
    ' \n',
    'é',
    '漢字',
    '👩‍👧',
    '\ud83d',
    '\ude00',
    'x'.repeat(74),
    'x'.repeat(75),
    'x'.repeat(76),
  ),
  fc.string({ unit: ANY_CHARACTER, maxLength: 80 }),
  fc.string({ maxLength: 200 }),
);
/** Pieces, and which of them were encoded before. */
const pieces = fc.array(fc.tuple(hard, fc.boolean()), { maxLength: 12 });

function written(list: readonly (readonly [string, boolean])[]): string {
  const sink = new ByteSink(1);
  const writer = new QuotedPrintableWriter(sink);
  for (const [piece, isBlock] of list) {
    const block = isBlock ? encodeBlock(piece) : undefined;
    if (block) writer.writeBlock(block, piece);
    else writer.write(piece);
  }
  writer.finish();
  return sink.bytes.toString('latin1', 0, sink.end);
}

function decoded(text: string): string {
  const octets = text.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, 'latin1').toString();
}

test('text in pieces, some of them encoded before, decodes to the pieces joined, with CRLF', () => {
  fc.assert(
    fc.property(pieces, (list) => {
      const whole = list.map(([piece]) => piece).join('');
      expect(decoded(written(list))).toBe(whole.toWellFormed().replace(/\r\n?|\n/g, '\r\n'));
    }),
    { numRuns: 3000 },
  );
});

test('its lines have at most 76 characters, none ends with white space, none begins with a dot', () => {
  fc.assert(
    fc.property(pieces, (list) => {
      for (const line of written(list).split('\r\n')) {
        expect(line.length).toBeLessThanOrEqual(76);
        expect(line).toMatch(/^(?!\.)(?:[\t\x20-\x3c\x3e-\x7e]|=[0-9A-F]{2})*(?:=|(?<![\t ]))$/);
      }
    }),
    { numRuns: 3000 },
  );
});
