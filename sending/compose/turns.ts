/** A queue of lines that take turns: in each, first come is first served. */
export interface Turns<T> {
  add(line: string, member: T): void;
  /** The next one of a line whose turn it may be. */
  next(mayHaveTurn?: (line: string, member: T) => boolean): { readonly line: string; readonly member: T } | undefined;
  hasAny(): boolean;
}

export function createTurns<T>(): Turns<T> {
  /** Those that have somebody waiting; the one whose turn it is comes first. */
  const lines = new Map<string, T[]>();
  return {
    add(line, member) {
      const waiting = lines.get(line);
      if (waiting) waiting.push(member);
      else lines.set(line, [member]);
    },
    next(mayHaveTurn = () => true) {
      for (const [line, waiting] of lines) {
        if (!mayHaveTurn(line, waiting[0] as T)) continue;
        const member = waiting.shift() as T;
        lines.delete(line);
        if (waiting.length > 0) lines.set(line, waiting);
        return { line, member };
      }
      return undefined;
    },
    hasAny: () => lines.size > 0,
  };
}
