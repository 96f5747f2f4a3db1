import type { Edge, SequenceNode } from './graph.ts';
import { NODE_CONFIGS } from './schema.ts';

/** One thing wrong with a graph; without a node id it is about the whole. */
export interface GraphProblem {
  readonly nodeId?: string;
  readonly message: string;
}

/** Everything that is wrong with how the nodes hang together. */
export function structureProblems(nodes: readonly SequenceNode[], edges: readonly Edge[]): GraphProblem[] {
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
    if (target?.kind === 'trigger') problems.push({ nodeId: to, message: 'an edge leads into the trigger' });
    if (source?.kind === 'exit') problems.push({ nodeId: from, message: 'an edge leads out of an exit' });
    else if (source) problems.push(...keyProblems(source, branchKey));
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
    if (kind === 'wait_until' && keyed && served.has(JSON.stringify([id, null]))) {
      problems.push({ nodeId: id, message: 'an edge without a branch key serves every outcome, so another edge serves one twice' });
    }
  }
  if (triggers.length > 0) {
    const reached = new Set(triggers.flatMap(({ id }) => [...reachableFrom(id, edges)]));
    for (const { id } of byId.values()) if (!reached.has(id)) problems.push({ nodeId: id, message: 'no way leads here from the trigger' });
  }
  return problems;
}

/** What is wrong with the branch key of one edge. */
function keyProblems(source: SequenceNode, branchKey: string | undefined): GraphProblem[] {
  const allowed = branchKeys(source);
  const { id: nodeId, kind } = source;
  if (branchKey === undefined) {
    return kind === 'branch' || kind === 'split' ? [{ nodeId, message: `an edge out of a ${kind} needs a branch key` }] : [];
  }
  return allowed.includes(branchKey) || !Object.hasOwn(NODE_CONFIGS, kind) ? [] : [{ nodeId, message: `unknown branch key ${branchKey}` }];
}

/** The outcomes of a node that an edge can be for. A config that did not parse is read as far as it goes. */
function branchKeys(node: SequenceNode): readonly string[] {
  const list = <T extends { key: string }>(items: unknown): string[] =>
    Array.isArray(items) ? (items as T[]).map((item) => String(item?.key)) : [];
  const config = ('config' in node && typeof node.config === 'object' ? (node.config ?? {}) : {}) as Partial<Record<string, unknown>>;
  switch (node.kind) {
    case 'branch':
      return 'when' in config ? ['true', 'false'] : [...list(config.branches), 'default'];
    case 'split':
      return list(config.arms);
    case 'wait_until':
      if ('event' in config) return ['event', 'timeout'];
      return 'condition' in config ? ['met', 'timeout'] : [];
    default:
      return [];
  }
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
