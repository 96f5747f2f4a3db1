/** A queue of lanes that take turns: in each, first come is first served. */
export interface Turns<T> {
  add(lane: string, member: T): void;
  /** The next one of a lane whose turn it may be. */
  next(mayHaveTurn?: (lane: string) => boolean): { readonly lane: string; readonly member: T } | undefined;
}

export function createTurns<T>(): Turns<T> {
  /** Those that have somebody waiting; the one whose turn it is comes first. */
  const lanes = new Map<string, T[]>();
  return {
    add(lane, member) {
      const waiting = lanes.get(lane);
      if (waiting) waiting.push(member);
      else lanes.set(lane, [member]);
    },
    next(mayHaveTurn = () => true) {
      for (const [lane, waiting] of lanes) {
        if (!mayHaveTurn(lane)) continue;
        const member = waiting.shift() as T;
        lanes.delete(lane);
        if (waiting.length > 0) lanes.set(lane, waiting);
        return { lane, member };
      }
      return undefined;
    },
  };
}
