import { expect, test } from 'vitest';
import { LineReader, type MessageSource } from '../../smtp/message-source.ts';

/** Gives as few bytes at once as a test wants, wherever lines end. */
const inPieces = (text: string, length: number): MessageSource => {
  const bytes = Buffer.from(text, 'latin1');
  return {
    size: bytes.length,
    read: (into, start) => into.subarray(0, bytes.copy(into, 0, start, Math.min(start + length, start + into.length))),
    close: () => {},
  };
};

const placeOf = ({ start, end, next }: LineReader) => `${start}-${end}-${next}`;

test('lines that are passed over are those that would have been read, none that may be a delimiter and never the last, wherever pieces end', () => {
  let passed = 0;
  for (let seed = 1; seed <= 3000; seed++) {
    let state = seed;
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const text = Array.from({ length: 1 + random(30) }, () => 'a-\r\n\n'[random(5)]).join('');
    const length = 1 + random(8);
    const read = new LineReader(inPieces(text, length), 1000);
    const skipped = new LineReader(inPieces(text, length), 1000);
    const lines: string[] = [];
    while (!skipped.isDone) {
      const before = skipped.next;
      const isPassed = skipped.skip();
      passed += isPassed ? 1 : 0;
      expect(skipped.next > before).toBe(isPassed);
      if (!isPassed) skipped.read();
      do {
        read.read();
        lines.push(text.slice(read.start, read.next));
        if (isPassed) expect(lines.at(-1)).not.toMatch(/^--/);
      } while (read.next < skipped.next);
      expect(placeOf(skipped)).toBe(placeOf(read));
      if (isPassed) expect(skipped.isDone).toBe(false);
    }
    expect(lines.join('')).toBe(text);
  }
  expect(passed).toBeGreaterThan(1000);
});
