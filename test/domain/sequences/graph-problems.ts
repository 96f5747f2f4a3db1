import { type GraphProblem, parseGraph } from '../../../domain/sequences/validate.ts';
import { KNOWN } from './graphs.ts';

/** What is wrong with a graph. */
export function problemsOf(body: object, status: 'draft' | 'active' = 'draft'): readonly GraphProblem[] {
  const read = parseGraph(body as Record<string, unknown>, status, KNOWN);
  return 'problems' in read ? read.problems : [];
}

/** A problem of one node. */
export const at = (nodeId: string, message: string): GraphProblem => ({ nodeId, message });

export const edge = (from: string, to: string, branchKey?: string) => ({ from, to, ...(branchKey ? { branchKey } : {}) });
