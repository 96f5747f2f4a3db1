import { expect, test } from 'vitest';
import { partByPart } from '../../platform/part-by-part.ts';

test('each gets a part in turn until it has no more, and one that fails keeps no other waiting', async () => {
  const parts: Record<string, number> = { a: 2, b: 3, c: 1 };
  const done: string[] = [];
  const failed: string[] = [];
  await partByPart(Object.keys(parts), {
    doPart: async (one) => {
      done.push(one);
      if (one === 'c') throw new Error('no');
      parts[one]!--;
      return parts[one]! > 0;
    },
    failed: (one, error) => void failed.push(`${one}: ${(error as Error).message}`),
    stopping: new AbortController().signal,
  });
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'b']);
  expect(failed).toEqual(['c: no']);
});

test('nothing is begun once it is to stop', async () => {
  const stopping = new AbortController();
  const done: string[] = [];
  await partByPart(['a', 'b'], {
    doPart: async (one) => {
      done.push(one);
      stopping.abort();
      return true;
    },
    failed: () => undefined,
    stopping: stopping.signal,
  });
  expect(done).toEqual(['a']);
});
