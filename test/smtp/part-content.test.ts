import { expect, test } from 'vitest';
import { decoded, NotAsEncoded } from '../../smtp/part-content.ts';

const base64 = (...pieces: readonly string[]): string =>
  Buffer.concat([
    ...decoded(
      pieces.map((piece) => Buffer.from(piece)),
      'base64',
    ),
  ]).toString();

/** Cut in two at every place, and into single characters. */
const cuts = (text: string): string[][] => [
  [...text],
  ...Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]),
];

test.each([
  ['aGVsbG8h', 'hello!'],
  ['aGVsbG8gdw==', 'hello w'],
  ['aGVsbG8=\r\n', 'hello'],
  ['YQ==\r\nYmI=\r\nY2Nj\r\nZA= =', 'abbcccd'],
  ['YWI=====', 'ab'],
  ['==', ''],
  ['', ''],
])('base64 is the same bytes wherever its pieces end: %j', (text, bytes) => {
  for (const pieces of cuts(text)) expect(base64(...pieces)).toBe(bytes);
});

test.each(['aGVsb', 'aGVsb===', 'aGVsbG8', 'aGVsbG8gdw', 'aGVsbG8gdw=', 'YQ=YmI=', 'YQ=\r\nYmI='])(
  'base64 that lacks characters or padding is refused wherever its pieces end: %j',
  (text) => {
    for (const pieces of cuts(text)) expect(() => base64(...pieces)).toThrow(NotAsEncoded);
  },
);
