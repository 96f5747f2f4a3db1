import { expect, test } from 'vitest';
import * as z from 'zod';
import { boundedArray } from '../../domain/bounded-array.ts';
import { issuesOf } from '../../domain/issues.ts';

function counted(): { element: z.ZodType; looked: () => number } {
  let looked = 0;
  const element = z.string().refine(() => {
    looked++;
    return true;
  });
  return { element, looked: () => looked };
}

test('the maximum is checked before any element is looked at', () => {
  const { element, looked } = counted();
  const parsed = boundedArray(element, 3, { error: 'at most 3 things' }).min(1).safeParse(['a', 'b', 'c', 7]);
  expect(issuesOf(parsed.error as z.ZodError)).toEqual([{ path: '', message: 'at most 3 things' }]);
  expect(looked()).toBe(0);
});

test('an array within its maximum is read whole, and written back', () => {
  const codec = z.codec(z.string(), z.number(), { decode: Number, encode: String });
  const schema = boundedArray(codec, 3);
  expect(schema.parse(['1', '2', '3'])).toEqual([1, 2, 3]);
  expect(z.encode(schema, [1, 2, 3])).toEqual(['1', '2', '3']);
  expect(boundedArray(z.string(), 3).min(1).safeParse([]).success).toBe(false);
  expect(boundedArray(z.string(), 3).safeParse('a').success).toBe(false);
});

test('a value that is no array has that one problem, and none of its length', () => {
  const schema = boundedArray(z.string(), 3, { error: 'at most 3 things' }).min(1, { error: 'at least one thing' });
  for (const value of ['', 'more than three', { length: 7 }])
    expect(issuesOf(schema.safeParse(value).error as z.ZodError)).toEqual([{ path: '', message: 'not a list' }]);
});

test('a hundred problems are told, and no element is looked at after them', () => {
  const { element, looked } = counted();
  const schema = boundedArray(z.object({ tags: boundedArray(z.union([z.number(), element]), 100) }), 1000);
  const bad = Array.from({ length: 1000 }, () => ({ tags: [...Array(49).fill('x'), ...Array(51).fill(null)] }));
  const issues = issuesOf(schema.safeParse(bad).error as z.ZodError);
  expect(issues).toHaveLength(100);
  expect(issues.at(-1)).toEqual({ path: '[1].tags[97]', message: 'not a number and not a text' });
  expect(looked()).toBe(98);
});
