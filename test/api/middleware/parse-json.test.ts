import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../api/middleware/parse-json.ts';

const pieceLengths = fc.integer({ min: 1, max: 40 });
const texts = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1))
  .map(([value, space]) => JSON.stringify(value, null, space));

/** What is put in a place, and how many characters go there. */
const CHANGES: readonly (readonly [string, number])[] = [
  ...[',', '[', ']', '{', '}', '"', ':', ' ', '\\', '0', 'null', ' , ', '[]', '}{', ',"f":0', ',0'].map((added) => [added, 0] as const),
  ...[1, 2, 3, 100].map((removed) => ['', removed] as const),
];

describe('a JSON text that is parsed in pieces', () => {
  test('is what JSON.parse makes of it, wherever it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(texts, pieceLengths, async (text, pieceLength) => {
        expect(await parseJson(text, pieceLength)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the order of names, and a name is one whatever it is', async () => {
    const text = '{"z":[[1,2,3],{"__proto__":{"a":[0,0,0,0]},"\\"}]":[{}]}],"constructor":{"b":"\\\\"},"a":{}}';
    for (let pieceLength = 1; pieceLength <= text.length; pieceLength++) {
      expect(JSON.stringify(await parseJson(text, pieceLength))).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test('is refused whenever JSON.parse refuses it', async () => {
    const text = '{"a":[[1,{"b":[]}],"c",{"d":{}}],"e":[{},[2]]}';
    for (let at = 0; at <= text.length; at++) {
      for (const [added, removed] of CHANGES) {
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        const expected = await settled(async () => JSON.parse(changed));
        const parsed = await Promise.all([1, 2, 4, 8, 16, 32].map((pieceLength) => settled(() => parseJson(changed, pieceLength))));
        expect([changed, ...parsed]).toEqual([changed, ...parsed.map(() => expected)]);
      }
    }
  });
});

async function settled(parse: () => Promise<unknown>): Promise<unknown> {
  try {
    return { value: await parse() };
  } catch (error) {
    return { refused: error instanceof SyntaxError };
  }
}
