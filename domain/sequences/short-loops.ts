import type { SequenceGraph } from './graph.ts';
import { kindOf } from './kinds/node-kinds.ts';

/** Whoever waits less in a loop goes round it faster than anybody means to: docs/contract/sequences.md 28. */
const LEAST_MINUTES = 1;

/** A way that comes back to where it began. */
export interface ShortLoop {
  /** In the order in which a run comes by; the last one leads to the first. */
  readonly nodeIds: readonly string[];
  /** Of all its waits together at the least. */
  readonly minutes: number;
}

interface Way {
  readonly to: string;
  readonly minutes: number;
}

/** Looks at nodes and edges, a few milliseconds' worth: a graph in which hundreds lead to hundreds is looked through as far as that goes. */
const MOST_LOOKS = 250_000;

/** The loops that wait for less than a minute in all; of several that share nodes one is told. */
export function shortLoops(graph: SequenceGraph): ShortLoop[] {
  const search = new Search(graph);
  const loops: ShortLoop[] = [];
  for (const { id } of graph.nodes) {
    const loop = search.shortestLoop(id);
    if (!loop) continue;
    loops.push(loop);
    search.leaveOut(loop.nodeIds);
  }
  return loops;
}

class Search {
  /** The ways that wait for less than a minute, by where they begin. */
  readonly #ways = new Map<string, Way[]>();
  #looks = 0;

  constructor({ nodes, edges }: SequenceGraph) {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    for (const { from, to, branchKey } of edges) {
      const node = byId.get(from);
      const minutes = node ? kindOf(node).leastMinutes(node.config, branchKey) : LEAST_MINUTES;
      if (minutes >= LEAST_MINUTES) continue;
      const ways = this.#ways.get(from) ?? [];
      ways.push({ to, minutes });
      this.#ways.set(from, ways);
    }
  }

  leaveOut(nodeIds: readonly string[]): void {
    for (const nodeId of nodeIds) this.#ways.delete(nodeId);
  }

  /** By Dijkstra's algorithm, no further than a loop may be long. */
  shortestLoop(start: string): ShortLoop | undefined {
    const minutesTo = new Map<string, number>();
    const before = new Map<string, string>();
    const open = new Set<string>();
    const leave = (from: string, minutes: number): void => {
      for (const way of this.#ways.get(from) ?? []) {
        this.#looks++;
        const sum = minutes + way.minutes;
        if (sum >= LEAST_MINUTES || sum >= (minutesTo.get(way.to) ?? LEAST_MINUTES)) continue;
        minutesTo.set(way.to, sum);
        before.set(way.to, from);
        open.add(way.to);
      }
    };
    leave(start, 0);
    while (open.size > 0 && this.#looks < MOST_LOOKS) {
      let nearest: string | undefined;
      let minutes = LEAST_MINUTES;
      for (const nodeId of open) {
        this.#looks++;
        const sum = minutesTo.get(nodeId) ?? 0;
        if (sum >= minutes) continue;
        nearest = nodeId;
        minutes = sum;
      }
      if (nearest === undefined || nearest === start) break;
      open.delete(nearest);
      leave(nearest, minutes);
    }
    const minutes = minutesTo.get(start);
    return minutes === undefined ? undefined : { nodeIds: wayRound(start, before), minutes };
  }
}

function wayRound(start: string, before: ReadonlyMap<string, string>): string[] {
  const back: string[] = [];
  for (let at = before.get(start); at !== undefined && at !== start; at = before.get(at)) back.push(at);
  return [start, ...back.reverse()];
}
