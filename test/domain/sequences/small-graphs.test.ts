import { expect, test } from 'vitest';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { MAX_HOPS } from '../../../domain/sequences/walk.ts';
import { KNOWN, type LooseGraph, type LooseNode, TRIGGER } from './graphs.ts';
import { run } from './run.ts';

const NEVER = { field: 'attributes.never', op: 'exists' };

/** The outcomes of each kind that an edge can serve; undefined is the one edge without a key. */
const KINDS: Readonly<Record<string, { config?: unknown; outcomes: readonly (string | undefined)[] }>> = {
  exit: { outcomes: [] },
  goal: { config: { condition: NEVER }, outcomes: [undefined] },
  branch: { config: { when: NEVER }, outcomes: ['true', 'false'] },
};

type Slot = readonly [from: string, outcome: string | undefined];

const MAX_BRANCHES = 2;

/** Every graph of a trigger and so many nodes, but for their order: each outcome leads to a node or to nothing. */
function* graphsOf(size: number): Generator<LooseGraph> {
  for (const kinds of multisets(Object.keys(KINDS), size)) {
    if (kinds.filter((kind) => kind === 'branch').length > MAX_BRANCHES) continue;
    const rest = kinds.map<LooseNode>((kind, index) => ({
      id: `n${index}`,
      kind,
      ...(KINDS[kind]?.config ? { config: KINDS[kind]?.config } : {}),
    }));
    const slots: Slot[] = [
      ['trigger', undefined],
      ...rest.flatMap(({ id, kind }) => (KINDS[kind]?.outcomes ?? []).map<Slot>((outcome) => [id, outcome])),
    ];
    for (const targets of tuples([undefined, ...rest.map(({ id }) => id)], slots.length)) {
      const edges = slots.flatMap(([from, branchKey], index) => {
        const to = targets[index];
        return to === undefined ? [] : [{ from, to, ...(branchKey === undefined ? {} : { branchKey }) }];
      });
      yield { nodes: [TRIGGER, ...rest], edges };
    }
  }
}

function* multisets<T>(items: readonly T[], size: number): Generator<T[]> {
  if (size === 0) return yield [];
  for (const [index, item] of items.entries()) for (const rest of multisets(items.slice(index), size - 1)) yield [item, ...rest];
}

function* tuples<T>(items: readonly T[], size: number): Generator<T[]> {
  if (size === 0) return yield [];
  for (const rest of tuples(items, size - 1)) for (const item of items) yield [item, ...rest];
}

/** How a walk that always takes the same outcome at a branch has to go: written without the code under test. */
function expectedWalk({ nodes, edges }: LooseGraph, chosen: Readonly<Record<string, string>>): { visited: string[]; endedBy: string } {
  const kindOf = new Map(nodes.map(({ id, kind }) => [id, kind]));
  const visited: string[] = [];
  for (let at: string | undefined = 'trigger'; at !== undefined; ) {
    if (visited.includes(at)) return { visited, endedBy: 'hop_guard' };
    visited.push(at);
    if (kindOf.get(at) === 'exit') return { visited, endedBy: 'exit' };
    const from: string = at;
    at = edges.find((edge) => edge.from === from && edge.branchKey === chosen[from])?.to;
  }
  return { visited, endedBy: 'dead_end' };
}

function unreachable({ nodes, edges }: LooseGraph): string[] {
  const reached = new Set(['trigger']);
  for (const _ of nodes) for (const { from, to } of edges) if (reached.has(from)) reached.add(to);
  return nodes.flatMap(({ id }) => (reached.has(id) ? [] : [id]));
}

test.each([0, 1, 2, 3])(
  'of every graph with %i nodes and at most two branches behind the trigger: valid exactly when all are reached, and every walk ends where it must',
  (size) => {
    let valid = 0;
    const ends = new Set<string>();
    for (const graph of graphsOf(size)) {
      const read = parseGraph(graph as unknown as Record<string, unknown>, 'draft', KNOWN);
      const told = 'problems' in read ? read.problems.map(({ nodeId }) => nodeId) : [];
      if (JSON.stringify(told) !== JSON.stringify(unreachable(graph))) expect({ graph, told }).toEqual({ graph, told: unreachable(graph) });
      if ('problems' in read) continue;
      valid += 1;
      const branches = graph.nodes.filter(({ kind }) => kind === 'branch').map(({ id }) => id);
      const seen = new Set<string>();
      for (const outcomes of tuples(['true', 'false'], branches.length)) {
        const assume = Object.fromEntries(branches.map((id, index) => [id, outcomes[index] as string]));
        const { path, endedBy } = run(graph, { assume });
        const expected = expectedWalk(graph, assume);
        for (const { nodeId } of path) seen.add(nodeId);
        ends.add(endedBy);
        const isRight = endedBy === expected.endedBy && path.length === (endedBy === 'hop_guard' ? MAX_HOPS : expected.visited.length);
        if (!isRight || expected.visited.some((id, index) => path[index]?.nodeId !== id))
          expect({ graph, assume, path, endedBy }).toEqual(expected);
      }
      // What validation calls reachable, some walk reaches.
      if (seen.size !== graph.nodes.length) expect({ graph, seen: [...seen] }).toEqual({ graph, seen: graph.nodes.map(({ id }) => id) });
    }
    expect(valid).toBe([1, 7, 126, 1_262][size]);
    expect([...ends].toSorted()).toEqual(size === 0 ? ['dead_end'] : ['dead_end', 'exit', 'hop_guard']);
  },
);
