import { jsonFault } from '../../../frame/json-fault.ts';
import { kindOf, NODE_KINDS, type NodeKind } from '../graph/node-kinds.ts';
import { branchKeys, nodeWords, outcomeWords } from '../graph/node-words.ts';
import type { GraphEdge, GraphNode, SequenceGraph, SimulationInput } from '../sequence-queries.ts';

/** A graph while it is edited: what PUT takes, so `status` stays as it is. */
export type GraphDraft = Omit<SequenceGraph, 'key' | 'version' | 'status'>;

/** Of what GET answers. */
export function draftOf({
  name,
  reentry,
  cooldownHours,
  goal,
  frequencyCap,
  sendWindow,
  triggers,
  nodes,
  edges,
}: SequenceGraph): GraphDraft {
  return { name, reentry, cooldownHours, goal, frequencyCap, triggers, nodes, edges, ...(sendWindow && { sendWindow }) };
}

/** As PUT takes it. */
export function asText(draft: GraphDraft): string {
  return JSON.stringify(draft, null, 2);
}

/** As POST simulate takes it. */
export function asJson(draft: GraphDraft): NonNullable<SimulationInput['graph']> {
  return JSON.parse(JSON.stringify(draft)) as NonNullable<SimulationInput['graph']>;
}

export function isEnd({ nodes }: GraphDraft, id: string): boolean {
  return nodes.find((node) => node.id === id)?.kind === 'exit';
}

/** One outcome of a node, and where it leads. */
export interface Way {
  /** undefined: the edge without a key, which serves every outcome that no other names. */
  readonly branchKey: string | undefined;
  readonly to: string | undefined;
  /** No outcome of the node has this key: the edge is left from before. */
  readonly isStray: boolean;
}

/** Every way out of a node, also those that lead nowhere yet. */
export function waysOf(draft: GraphDraft, node: GraphNode): readonly Way[] {
  if (node.kind === 'exit') return [];
  const out = draft.edges.filter(({ from }) => from === node.id);
  const keys: (string | undefined)[] = [...branchKeys(node)];
  if (keys.length === 0 || kindOf(node)?.mayHaveOneEdge) keys.push(undefined);
  const known = keys.map((branchKey): Way => ({ branchKey, to: out.find((edge) => edge.branchKey === branchKey)?.to, isStray: false }));
  const stray = out.filter(({ branchKey }) => !keys.includes(branchKey));
  return [...known, ...stray.map(({ branchKey, to }): Way => ({ branchKey, to, isStray: true }))];
}

/** Makes an outcome lead to a node, or nowhere. */
export function leadTo(draft: GraphDraft, from: string, branchKey: string | undefined, to: string | undefined): GraphDraft {
  const others = draft.edges.filter((edge) => edge.from !== from || edge.branchKey !== branchKey);
  return { ...draft, edges: to === undefined ? others : [...others, edgeOf(from, to, branchKey)] };
}

/** Joins two nodes by the first outcome that leads nowhere yet; undefined when all of them lead somewhere. */
export function connect(draft: GraphDraft, from: string, to: string): GraphDraft | undefined {
  const node = draft.nodes.find(({ id }) => id === from);
  const ways = node ? waysOf(draft, node) : [];
  const open = ways.find((way) => way.to === undefined && !(way.branchKey === undefined && ways.length > 1));
  // A node with one way out is led elsewhere.
  const way = open ?? (ways.length === 1 ? ways[0] : undefined);
  return way && leadTo(draft, from, way.branchKey, to);
}

/** A graph with a step that is new in it. */
export interface Made {
  readonly draft: GraphDraft;
  readonly id: string;
}

/** Puts a new step on the way from an outcome to where it led; all its own outcomes go on there. */
export function insertAfter(draft: GraphDraft, from: string, branchKey: string | undefined, kind: NodeKind): Made {
  return put(draft, { from, branchKey }, kind, NODE_KINDS[kind].firstConfig?.());
}

/** Puts a step like another behind that one, on the first of its ways. undefined: one cannot follow it, or there is but one of its kind. */
export function copyOf(draft: GraphDraft, id: string): Made | undefined {
  const node = draft.nodes.find((one) => one.id === id);
  const [way] = node && node.kind !== 'trigger' ? waysOf(draft, node).toSorted((a, b) => Number(!a.to) - Number(!b.to)) : [];
  return node && way && put(draft, { from: id, branchKey: way.branchKey }, node.kind, node.config);
}

function put(
  draft: GraphDraft,
  { from, branchKey }: { readonly from: string; readonly branchKey: string | undefined },
  kind: string,
  config: GraphNode['config'],
): Made {
  const before = draft.edges.find((edge) => edge.from === from && edge.branchKey === branchKey);
  const id = newNodeId(draft.nodes, kind);
  const node: GraphNode = { id, kind, ...(config ? { config } : {}) };
  const at = draft.nodes.findIndex((one) => one.id === from);
  const nodes = [...draft.nodes.slice(0, at + 1), node, ...draft.nodes.slice(at + 1)];
  const keys = branchKeys(node);
  const onward = before && kind !== 'exit' ? (keys.length > 0 ? keys : [undefined]).map((key) => edgeOf(id, before.to, key)) : [];
  const edges = draft.edges.flatMap((edge) => (edge === before ? [edgeOf(from, id, branchKey), ...onward] : [edge]));
  return { draft: { ...draft, nodes, edges: before ? edges : [...edges, edgeOf(from, id, branchKey)] }, id };
}

/** The nodes that a change leaves without a way from the start. */
export function cutOff(before: GraphDraft, after: GraphDraft): readonly GraphNode[] {
  const was = reached(before);
  const is = reached(after);
  return after.nodes.filter(({ id }) => was.has(id) && !is.has(id));
}

function reached({ nodes, edges }: GraphDraft): ReadonlySet<string> {
  const found = new Set(nodes.filter(({ kind }) => kind === 'trigger').map(({ id }) => id));
  // A set goes on with what is added to it meanwhile.
  for (const id of found) for (const { from, to } of edges) if (from === id) found.add(to);
  return found;
}

/** Takes nodes out with every edge to and from them. */
export function withoutNodes(draft: GraphDraft, nodes: readonly GraphNode[]): GraphDraft {
  const ids = new Set(nodes.map(({ id }) => id));
  return {
    ...draft,
    nodes: draft.nodes.filter(({ id }) => !ids.has(id)),
    edges: draft.edges.filter(({ from, to }) => !ids.has(from) && !ids.has(to)),
  };
}

/** Where a step is put that no edge was chosen for. */
export interface Place {
  readonly edge: Pick<GraphEdge, 'from' | 'branchKey'> & { readonly to?: string };
  /** Like `after Wait 1 day`. */
  readonly words: string;
}

/** After the node that is selected, else before the only end, after the start of many, or after the last node. undefined: nothing could follow. */
export function placeOf(draft: GraphDraft, selected: string | undefined): Place | undefined {
  const { nodes, edges, triggers } = draft;
  const node = nodes.find(({ id, kind }) => id === selected && kind !== 'exit');
  const ends = edges.filter(({ to }) => isEnd(draft, to));
  const ending = node || ends.length > 1 ? undefined : ends[0];
  const start = ends.length > 1 ? nodes.find(({ kind }) => kind === 'trigger') : undefined;
  const from = node ?? start ?? nodes.findLast(({ id, kind }) => (ending ? id === ending.from : kind !== 'exit'));
  if (!from) return undefined;
  const ways = waysOf(draft, from);
  const { branchKey, to } = ending ?? ways.find((way) => way.to !== undefined) ?? ways[0] ?? {};
  const edge = { from: from.id, ...(branchKey === undefined ? {} : { branchKey }), ...(to === undefined ? {} : { to }) };
  return { edge, words: `after ${nodeWords(from, triggers)}${branchKey === undefined ? '' : `, on ${outcomeWords(branchKey)}`}` };
}

/** Where the outcomes of a node lead, each other node once, the first outcome first. */
export function nextOf({ edges }: GraphDraft, id: string): readonly string[] {
  return [...new Set(edges.flatMap(({ from, to }) => (from === id && to !== id ? [to] : [])))];
}

/** The node to go on with where another is no more: what came after it in `before`, else what came before it; of what there is `now`. */
export function nearTo(before: GraphDraft, id: string, now: GraphDraft): string | undefined {
  const near = [...nextOf(before, id), ...before.edges.flatMap(({ from, to }) => (to === id ? [from] : []))];
  return near.find((one) => now.nodes.some((node) => node.id === one)) ?? now.nodes[0]?.id;
}

/** The node where one graph differs from another, as far as it is in the later: one that is new, is set otherwise, or leads elsewhere. */
export function changedNode(before: GraphDraft, now: GraphDraft): string | undefined {
  const shape = ({ nodes, edges }: GraphDraft): ReadonlyMap<string, string> =>
    new Map(nodes.map((node) => [node.id, JSON.stringify([node, edges.filter(({ from }) => from === node.id)])]));
  const [old, current] = [shape(before), shape(now)];
  const ids = [...current.keys()];
  return ids.find((id) => !old.has(id)) ?? ids.find((id) => old.get(id) !== current.get(id));
}

/** Takes a node out; whoever came to it goes on to `next`, which is where its first outcome led unless said otherwise. */
export function withoutNode(draft: GraphDraft, id: string, next = nextOf(draft, id)[0]): GraphDraft {
  const edges = draft.edges.flatMap((edge) => {
    if (edge.from === id) return [];
    if (edge.to !== id) return [edge];
    return next === undefined ? [] : [{ ...edge, to: next }];
  });
  return { ...draft, nodes: draft.nodes.filter((node) => node.id !== id), edges };
}

/** Gives a node other settings. */
export function withConfig(draft: GraphDraft, id: string, config: GraphNode['config']): GraphDraft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.id === id ? { ...node, config } : node)) };
}

/** Has people call a node that; '' for nothing but what it does. */
export function withLabel(draft: GraphDraft, id: string, label: string): GraphDraft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.id === id ? { ...node, label: label || undefined } : node)) };
}

/** Gives a node another id, and leads its edges to and from it by that one. The id must be free. */
export function withNodeId(draft: GraphDraft, id: string, to: string): GraphDraft {
  const renamed = (one: string): string => (one === id ? to : one);
  return {
    ...draft,
    nodes: draft.nodes.map((node) => (node.id === id ? { ...node, id: to } : node)),
    edges: draft.edges.map((edge) => ({ ...edge, from: renamed(edge.from), to: renamed(edge.to) })),
  };
}

/** Why a node cannot have this id, in words; undefined: it can. */
export function nodeIdProblem({ nodes }: GraphDraft, current: string, id: string): string | undefined {
  if (!KEY.test(id)) return 'Use up to 64 of A-Z, a-z, 0-9, _ and -';
  return id !== current && nodes.some((node) => node.id === id) ? 'Another step has this ID' : undefined;
}

/** Of nodes and of outcomes, as the API takes them. */
export const KEY = /^[A-Za-z0-9_-]{1,64}$/;

/** What a change of its settings does to the outcomes of a node. */
export type OutcomeChange =
  | { readonly renamed: string; readonly to: string }
  | { readonly removed: string }
  /** There is but one now, which needs no name: it leads where that one did. */
  | { readonly only: string }
  | { readonly all: readonly OutcomeChange[] }
  /** It leads where the other does. */
  | { readonly added: string; readonly like: string };

/** The same with the edges of a node as its outcomes are now. */
export function withOutcome(draft: GraphDraft, id: string, change: OutcomeChange): GraphDraft {
  const isOf = (edge: GraphEdge, key: string): boolean => edge.from === id && edge.branchKey === key;
  const { edges } = draft;
  if ('all' in change) return change.all.reduce((made, one) => withOutcome(made, id, one), draft);
  if ('renamed' in change) {
    return { ...draft, edges: edges.map((edge) => (isOf(edge, change.renamed) ? { ...edge, branchKey: change.to } : edge)) };
  }
  if ('only' in change) {
    const to = edges.find((edge) => isOf(edge, change.only))?.to ?? edges.find(({ from }) => from === id)?.to;
    return leadTo({ ...draft, edges: edges.filter(({ from }) => from !== id) }, id, undefined, to);
  }
  if ('removed' in change) return { ...draft, edges: edges.filter((edge) => !isOf(edge, change.removed)) };
  const like = edges.find((edge) => isOf(edge, change.like));
  return like ? leadTo(draft, id, change.added, like.to) : draft;
}

function edgeOf(from: string, to: string, branchKey: string | undefined): GraphEdge {
  return branchKey === undefined ? { from, to } : { from, to, branchKey };
}

function newNodeId(nodes: readonly GraphNode[], kind: string): string {
  const taken = new Set(nodes.map(({ id }) => id));
  for (let number = 1; ; number++) if (!taken.has(`${kind}_${number}`)) return `${kind}_${number}`;
}

/** Why a text is no graph that can be drawn, or the graph that it is. */
export function graphIn(text: string): { readonly draft: GraphDraft } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: jsonFault(text) ?? (error as Error).message };
  }
  const { nodes, edges, triggers = [] } = (value ?? {}) as Record<string, unknown>;
  const isList = (list: unknown, ...names: string[]): boolean =>
    Array.isArray(list) && list.every((one) => names.every((name) => typeof one?.[name] === 'string'));
  if (!isList(nodes, 'id', 'kind')) return { problem: 'nodes must be a list of objects with id and kind' };
  if (!isList(edges, 'from', 'to')) return { problem: 'edges must be a list of objects with from and to' };
  if (!isList(triggers, 'kind')) return { problem: 'triggers must be a list of objects with kind and config' };
  return { draft: { ...(value as GraphDraft), triggers: triggers as GraphDraft['triggers'] } };
}
