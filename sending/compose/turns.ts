/** A queue of lanes that take turns: in each, first come is first served. */
export interface Turns<T> {
  add(lane: string, member: T): void;
  next(): T | undefined;
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
    next() {
      for (const [lane, waiting] of lanes) {
        const member = waiting.shift();
        lanes.delete(lane);
        if (waiting.length > 0) lanes.set(lane, waiting);
        return member;
      }
      return undefined;
    },
  };
}
