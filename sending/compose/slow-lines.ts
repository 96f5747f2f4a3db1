/** The lines whose tasks were slow not long ago. */
export interface SlowLines {
  /** This one is slow from now on, for a minute. */
  add(line: string): void;
  has(line: string): boolean;
}

const SLOW_FOR_MS = 60_000;

export function createSlowLines(): SlowLines {
  const slowUntil = new Map<string, number>();
  return {
    add(line) {
      const now = performance.now();
      for (const [known, until] of slowUntil) if (until <= now) slowUntil.delete(known);
      slowUntil.set(line, now + SLOW_FOR_MS);
    },
    has: (line) => slowUntil.size > 0 && (slowUntil.get(line) ?? 0) > performance.now(),
  };
}
