import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createByteCache } from '../../domain/byte-cache.ts';

test('whatever is put in, a cache never holds more bytes than it may, and gives back only what was put in last', () => {
  const puts = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 60 }), fc.boolean()), { maxLength: 200 });
  fc.assert(
    fc.property(puts, (steps) => {
      const cache = createByteCache<number, string>(100);
      const latest = new Map<number, string>();
      for (const [index, [key, bytes, isPut]] of steps.entries()) {
        if (isPut) {
          cache.set(key, `${index}`, bytes);
          latest.set(key, `${index}`);
        } else expect([latest.get(key), undefined]).toContain(cache.get(key));
        expect(cache.bytes).toBeLessThanOrEqual(100);
      }
      for (const key of latest.keys()) cache.set(key, 'too large', 101);
      expect(cache.bytes).toBe(0);
    }),
  );
});

test('what is used again and again stays, however much else comes by', () => {
  const cache = createByteCache<string, string>(100);
  cache.set('used', 'x', 10);
  for (let index = 0; index < 1000; index++) {
    cache.set(`other ${index}`, 'x', 9);
    expect(cache.get('used')).toBe('x');
  }
});

test('what is larger than half of the cache is not kept, and what it replaces is gone', () => {
  const cache = createByteCache<string, string>(100);
  cache.set('a', 'small', 10);
  cache.set('a', 'large', 51);
  expect([cache.get('a'), cache.bytes]).toEqual([undefined, 0]);
});
