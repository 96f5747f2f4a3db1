import { useMemo, useRef } from 'react';

interface Drawn {
  readonly id: string;
  readonly data?: object | undefined;
}

/** The objects of the render before in place of those that are the same, so that only what has changed is drawn again. */
export function useUnchanged<T extends Drawn>(drawn: readonly T[]): T[] {
  const before = useRef<ReadonlyMap<string, T>>(new Map());
  return useMemo(() => {
    const same = drawn.map((one) => {
      const old = before.current.get(one.id);
      return old && isSame(old, one) ? old : one;
    });
    before.current = new Map(same.map((one) => [one.id, one]));
    return same;
  }, [drawn]);
}

/** Compares what an object has, and what its plain objects have: places and data are made anew for each render. */
function isSame(a: object, b: object, depth = 1): boolean {
  const names = Object.keys(a) as (keyof typeof a)[];
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [one, other]: unknown[] = [a[name], b[name]];
      if (Object.is(one, other)) return true;
      return depth > 0 && isPlain(one) && isPlain(other) && isSame(one, other, depth - 1);
    })
  );
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
