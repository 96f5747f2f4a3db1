import type { Edge } from './graph.ts';
import { kindNamed } from './kinds/node-kinds.ts';

/** A node as it was put: whatever its kind and config are, its edges are judged. */
export interface GivenNode {
  readonly id: string;
  readonly kind: unknown;
  /** Absent where there is none. */
  readonly label?: unknown;
  /** Nulls left out; undefined where there is none. */
  readonly config: unknown;
}

/** One thing wrong with a graph; without a node id it is about the whole. */
export interface GraphProblem {
  readonly nodeId?: string;
  readonly message: string;
}

/** Everything that is wrong with how the nodes hang together. */
export function structureProblems(nodes: readonly GivenNode[], edges: readonly Edge[]): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const repeated = new Set(nodes.filter((node) => byId.get(node.id) !== node).map(({ id }) => id));
  for (const nodeId of repeated) problems.push({ nodeId, message: 'two nodes have this id' });
  const triggers = nodes.filter(({ kind }) => kind === 'trigger');
  if (nodes.length > 0 && triggers.length !== 1) {
    problems.push({ message: triggers.length === 0 ? 'there is no trigger node' : 'there is more than one trigger node' });
  }
  const served = new Set<string>();
  for (const { from, to, branchKey } of edges) {
    const source = byId.get(from);
    const target = byId.get(to);
    if (!source) problems.push({ message: `an edge comes from ${from}, which is no node` });
    if (!target) problems.push({ ...(source ? { nodeId: from } : {}), message: `an edge leads to ${to}, which is no node` });
    if (target && kindNamed(target.kind)?.edges.into === false)
      problems.push({ nodeId: to, message: `an edge leads into the ${target.kind}` });
    if (source) problems.push(...outProblems(source, branchKey));
    const place = JSON.stringify([from, branchKey ?? null]);
    if (served.has(place))
      problems.push({
        nodeId: from,
        message: branchKey === undefined ? 'two edges lead out' : `two edges have the branch key ${branchKey}`,
      });
    served.add(place);
  }
  for (const { id, kind } of nodes) {
    const keyed = edges.some(({ from, branchKey }) => from === id && branchKey !== undefined);
    if (kindNamed(kind)?.edges.out === 'either' && keyed && served.has(JSON.stringify([id, null]))) {
      problems.push({ nodeId: id, message: 'an edge without a branch key serves every outcome, so another edge serves one twice' });
    }
  }
  if (triggers.length > 0) {
    const reached = new Set(triggers.flatMap(({ id }) => [...reachableFrom(id, edges)]));
    for (const { id } of byId.values()) if (!reached.has(id)) problems.push({ nodeId: id, message: 'no way leads here from the trigger' });
  }
  return problems;
}

/** What is wrong with one edge as an edge out of this node. */
function outProblems({ id: nodeId, kind, config }: GivenNode, branchKey: string | undefined): GraphProblem[] {
  const rules = kindNamed(kind);
  if (!rules) return [];
  const { out } = rules.edges;
  if (out === 'none') return [{ nodeId, message: `an edge leads out of ${withArticle(rules.name)}` }];
  const keys = rules.branchKeys(config);
  const which = keys.length > 0 ? `this node has ${keys.join(', ')}` : 'edges out of this node have none';
  if (branchKey === undefined) {
    return out === 'keyed' ? [{ nodeId, message: `an edge out of a ${rules.name} needs a branch key; ${which}` }] : [];
  }
  return keys.includes(branchKey) ? [] : [{ nodeId, message: `unknown branch key ${branchKey}; ${which}` }];
}

/** `an exit`, `a trigger`. */
export function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function reachableFrom(start: string, edges: readonly Edge[]): Set<string> {
  const out = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set([start]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { to } of out.get(at) ?? []) {
      if (reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}
