import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { MAX_HOPS } from '../../../domain/sequences/walk.ts';
import { KNOWN, type LooseGraph } from './graphs.ts';
import { graphArbitrary } from './random-graphs.ts';
import { run } from './run.ts';

function read(graph: object): LooseGraph {
  const result = parseGraph(JSON.parse(JSON.stringify(graph)), 'draft', KNOWN);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.valid.graph as unknown as LooseGraph;
}

test('what is put is what is read, and putting that again changes nothing', () => {
  fc.assert(
    fc.property(graphArbitrary, (graph) => {
      const { name, ...rest } = JSON.parse(JSON.stringify(graph));
      const stored = read(graph);
      expect(stored).toEqual(rest);
      // As GET answers it in another project.
      expect(read({ ok: true, key: 'other', name, status: 'draft', ...stored })).toEqual(stored);
    }),
    { numRuns: 500 },
  );
});

test('the walk of every random graph ends, along edges, and says truly by what', () => {
  const ends: Record<string, number> = {};
  fc.assert(
    fc.property(graphArbitrary, fc.constantFrom('x', 'y'), fc.option(fc.constantFrom('x', 'y', 'z')), (graph, is, type) => {
      const told = { contact: { attributes: { is } }, ...(type ? { event: { type, payload: { is } } } : {}) };
      const { path, sends, endedBy } = run(graph, told);
      ends[endedBy] = (ends[endedBy] ?? 0) + 1;
      expect(run(graph, told)).toEqual({ path, sends, endedBy });
      expect(path[0]?.nodeId).toBe('trigger');
      expect(path.length).toBeLessThanOrEqual(MAX_HOPS);
      const edges = new Set(graph.edges.map(({ from, to }) => `${from} ${to}`));
      const hops = path.slice(1).map(({ nodeId }, index) => `${path[index]?.nodeId} ${nodeId}`);
      expect(hops.filter((hop) => !edges.has(hop))).toEqual([]);
      // Every mail is sent but those that the frequency cap keeps back.
      const isSent = ({ kind, detail }: (typeof path)[number]): boolean =>
        kind === 'send_email' && detail !== 'would be skipped: frequency_cap';
      expect(sends).toHaveLength(path.filter(isSent).length);
      const last = path.at(-1);
      if (endedBy === 'exit') expect(last?.kind).toBe('exit');
      if (endedBy === 'hop_guard') expect(path).toHaveLength(MAX_HOPS);
      expect(path.slice(0, -1).filter(({ kind }) => kind === 'exit')).toEqual([]);
    }),
    { numRuns: 500 },
  );
  // Otherwise the graphs would not be worth it.
  expect(Object.keys(ends).toSorted()).toEqual(['dead_end', 'exit', 'goal', 'hop_guard']);
});
