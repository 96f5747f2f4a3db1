import { MAX_ISSUES } from '../errors.ts';
import { issuesOf } from '../issues.ts';
import { isLargerThan } from '../json-size.ts';
import { liquidFault } from '../template/content-liquid.ts';
import type {
  Edge,
  FrequencyCap,
  Goal,
  NodeConfigs,
  NodeKind,
  Reentry,
  SequenceGraph,
  SequenceNode,
  SequenceStatus,
  Trigger,
} from './graph.ts';
import { textsIn } from './liquid-value.ts';
import { GraphEdge, GraphSettings, NODE_CONFIGS, NodeId } from './schema.ts';
import { type GraphProblem, structureProblems } from './structure.ts';

export type { GraphProblem } from './structure.ts';

/** What the project has, as far as a graph may name it. */
export interface KnownNames {
  isTemplate(key: string): boolean;
  isBrand(slug: string): boolean;
  /** What is wrong with the address of a webhook node, if anything. */
  urlProblem(url: string): string | undefined;
}

export interface ValidGraph {
  readonly graph: SequenceGraph;
  /** undefined: as it is. */
  readonly name: string | undefined;
  readonly status: SequenceStatus | undefined;
}

const MAX_NODES = 300;
const MAX_EDGES = 3000;
const MAX_BYTES = 256 * 1024;
const TOO_LARGE = 'the graph is larger than 256 KB';
/** Of the JSON: what is read and written by recursion must not exhaust the stack. */
const MAX_DEPTH = 100;

/** A graph as far as its own form goes. */
export interface OpenedGraph {
  /** Every text that is Liquid, for its faults to be found elsewhere. */
  readonly texts: readonly string[];
  /** `faultOf`: why one of the texts does not parse. */
  judge(
    statusNow: SequenceStatus,
    known: KnownNames,
    faultOf: (text: string) => string | undefined,
  ): { valid: ValidGraph } | { problems: readonly GraphProblem[] };
}

/** The same in one go, the Liquid parsed here. */
export function readGraph(
  body: Readonly<Record<string, unknown>>,
  statusNow: SequenceStatus,
  known: KnownNames,
): ReturnType<OpenedGraph['judge']> {
  return openGraph(body).judge(statusNow, known, liquidFault);
}

/**
 * Reads a whole graph and finds everything that is wrong with it, up to MAX_ISSUES: decisions.md 7.8. `statusNow` is what the sequence has when the body
 * names no status. What differs between projects (segments, sequences, enablement) is not looked at: graphs are portable.
 */
export function openGraph(body: Readonly<Record<string, unknown>>): OpenedGraph {
  const { nodes: givenNodes, edges: givenEdges, triggers, goal } = body;
  if (isLargerThan([givenNodes, givenEdges, triggers, goal], MAX_BYTES)) return unreadable(TOO_LARGE);
  if (isDeeper(body, MAX_DEPTH)) return unreadable(`the graph is nested deeper than ${MAX_DEPTH} levels`);
  const problems: GraphProblem[] = [];
  const settings = GraphSettings.safeParse(body);
  if (!settings.success)
    problems.push(...issuesOf(settings.error).map(({ path, message }) => ({ message: path ? `${path}: ${message}` : message })));
  const nodes = readNodes(body.nodes, problems);
  const edges = readEdges(body.edges, problems);
  if (new TextEncoder().encode(JSON.stringify([body.nodes, body.edges])).length > MAX_BYTES) problems.push({ message: TOO_LARGE });
  return {
    texts: nodes?.flatMap(liquidTexts) ?? [],
    judge(statusNow, known, faultOf) {
      // Without its nodes nothing can be said about how a graph hangs together.
      const ofNodes = nodes ? [...structureProblems(nodes, edges), ...nameProblems(nodes, known, faultOf)] : [];
      return judged(settings.data, nodes, edges, statusNow, [...problems, ...ofNodes]);
    },
  };
}

function unreadable(message: string): OpenedGraph {
  return { texts: [], judge: () => ({ problems: [{ message }] }) };
}

function judged(
  given: ReturnType<typeof GraphSettings.safeParse>['data'],
  nodes: readonly SequenceNode[] | undefined,
  edges: readonly Edge[],
  statusNow: SequenceStatus,
  found: readonly GraphProblem[],
): ReturnType<OpenedGraph['judge']> {
  const problems = [...found];
  const status = given?.status ?? undefined;
  if (nodes?.length === 0 && (status ?? statusNow) === 'active') problems.push({ message: 'an active sequence needs nodes' });
  if (problems.length > 0 || !given || !nodes) return { problems: problems.slice(0, MAX_ISSUES) };
  return {
    valid: {
      name: given.name ?? undefined,
      status,
      graph: {
        reentry: (given.reentry ?? 'once_active') as Reentry,
        cooldownHours: given.cooldownHours ?? null,
        goal: (given.goal ?? null) as Goal | null,
        frequencyCap: (given.frequencyCap ?? null) as FrequencyCap | null,
        triggers: (given.triggers ?? []) as Trigger[],
        nodes,
        edges,
      },
    },
  };
}

function readNodes(value: unknown, problems: GraphProblem[]): SequenceNode[] | undefined {
  if (value === undefined || value === null) {
    problems.push({ message: 'nodes: an array is required' });
    return undefined;
  }
  if (!Array.isArray(value)) {
    problems.push({ message: 'nodes: not an array' });
    return undefined;
  }
  if (value.length > MAX_NODES) {
    problems.push({ message: `nodes: at most ${MAX_NODES}` });
    return undefined;
  }
  return value.flatMap((node: unknown, index) => readNode(node, index, problems) ?? []);
}

/** A node without an id is told of and left out; one whose kind or config is wrong stays, so that its edges are still judged. */
function readNode(value: unknown, index: number, problems: GraphProblem[]): SequenceNode | undefined {
  const { id, kind, config } = (value ?? {}) as { id?: unknown; kind?: unknown; config?: unknown };
  if (!NodeId.safeParse(id).success) {
    problems.push({ message: `nodes[${index}].id: a node id is 1 to 64 characters A-Z, a-z, 0-9, _ and -` });
    return undefined;
  }
  const nodeId = id as string;
  if (typeof kind !== 'string' || !Object.hasOwn(NODE_CONFIGS, kind)) {
    problems.push({ nodeId, message: `unknown kind ${JSON.stringify(kind) ?? 'undefined'}` });
    return { id: nodeId, kind: kind as NodeKind } as SequenceNode;
  }
  const rule = NODE_CONFIGS[kind as NodeKind];
  const given = withoutNulls(config) ?? undefined;
  const bare = { id: nodeId, kind } as SequenceNode;
  if (!rule) {
    if (given !== undefined && !(typeof given === 'object' && Object.keys(given as object).length === 0)) {
      problems.push({ nodeId, message: `${kind === 'exit' ? 'an exit' : `a ${kind}`} takes no config` });
    }
    return bare;
  }
  if (given === undefined && !rule.required) return bare;
  const parsed = rule.schema.safeParse(given ?? {});
  if (parsed.success) return { id: nodeId, kind, config: parsed.data } as SequenceNode;
  problems.push(...issuesOf(parsed.error, 'config').map(({ path, message }) => ({ nodeId, message: `${path}: ${message}` })));
  return { ...bare, config: given } as SequenceNode;
}

function readEdges(value: unknown, problems: GraphProblem[]): Edge[] {
  if (value === undefined || value === null) {
    problems.push({ message: 'edges: an array is required' });
    return [];
  }
  if (!Array.isArray(value) || value.length > MAX_EDGES) {
    problems.push({ message: Array.isArray(value) ? `edges: at most ${MAX_EDGES}` : 'edges: not an array' });
    return [];
  }
  return value.flatMap((edge: unknown, index) => {
    const parsed = GraphEdge.safeParse(edge);
    if (parsed.success) {
      const { from, to, branchKey } = parsed.data;
      return [{ from, to, ...(branchKey == null ? {} : { branchKey }) }];
    }
    problems.push(...issuesOf(parsed.error, `edges[${index}]`).map(({ path, message }) => ({ message: `${path}: ${message}` })));
    return [];
  });
}

/** What a node names, and what its texts say. A config that did not parse is read as far as it goes. */
function nameProblems(nodes: readonly SequenceNode[], known: KnownNames, faultOf: (text: string) => string | undefined): GraphProblem[] {
  return nodes.flatMap((node): GraphProblem[] => {
    const problem = (message: string): GraphProblem => ({ nodeId: node.id, message });
    const faults = liquidTexts(node).flatMap((text) => faultOf(text) ?? []);
    const problems = faults.map((fault) => problem(`Liquid: ${fault}`));
    if (node.kind === 'send_email') {
      const { template, brand } = (node.config ?? {}) as Partial<NodeConfigs['send_email']>;
      if (typeof template === 'string' && !known.isTemplate(template)) problems.push(problem(`unknown template ${template}`));
      if (typeof brand === 'string' && !known.isBrand(brand)) problems.push(problem(`unknown brand ${brand}`));
    }
    if (node.kind === 'webhook' && typeof node.config?.url === 'string') {
      const wrong = hasVariableHost(node.config.url) ? 'the host part takes no variables' : known.urlProblem(node.config.url);
      if (wrong) problems.push(problem(`config.url: ${wrong}`));
    }
    return problems;
  });
}

/** White space in an address is passed over by whoever opens it, so it is here. */
function hasVariableHost(url: string): boolean {
  return /^[^/]*\/*[^/?#]*\{/.test(url.replace(/\s/g, ''));
}

/** decisions.md 1.4: null is the same as leaving out; the body of a call is a value of its own. */
function withoutNulls(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  return Object.fromEntries(
    Object.entries(config)
      .filter(([key, value]) => value !== null || key === 'body')
      .map(([key, value]) => {
        if (key === 'time') return [key, withoutNulls(value)];
        return [key, key === 'arms' && Array.isArray(value) ? value.map(withoutNulls) : value];
      }),
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function liquidTexts(node: SequenceNode): string[] {
  if (!('config' in node) || !node.config) return [];
  switch (node.kind) {
    case 'send_email':
      return textsIn(node.config.subject);
    case 'update_contact':
      return textsIn([node.config.set, node.config.addTags, node.config.removeTags]);
    case 'webhook':
      return textsIn([node.config.url, node.config.headers, node.config.body]);
    default:
      return [];
  }
}
