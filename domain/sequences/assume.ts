import type { Issue } from '../errors.ts';
import { nodeOf, type SequenceGraph } from './graph.ts';
import { kindOf } from './kinds/node-kinds.ts';

/** What is wrong with the outcomes that a simulation is to assume: nodes that the graph does not have, and keys that a node does not. */
export function assumeIssues(graph: SequenceGraph, assume: Readonly<Record<string, string>>): Issue[] {
  return Object.entries(assume).flatMap(([nodeId, key]) => {
    const message = problemOf(graph, nodeId, key);
    return message === undefined ? [] : { path: `assume.${nodeId}`, message };
  });
}

function problemOf(graph: SequenceGraph, nodeId: string, key: string): string | undefined {
  const node = nodeOf(graph, nodeId);
  if (!node) return 'the graph has no such node';
  const outcomes = kindOf(node).outcomes(node.config);
  if (outcomes.includes(key)) return undefined;
  return outcomes.length > 0
    ? `unknown branch key ${key}; this node has ${outcomes.join(', ')}`
    : `nothing can be assumed at a node of the kind ${node.kind}`;
}
