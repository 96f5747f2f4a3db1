import { MAX_ISSUES } from '../errors.ts';
import { issuesOf } from '../issues.ts';
import { excessOf } from '../json-size.ts';
import { visitTexts } from '../json-texts.ts';
import { insteadOf } from '../nearest-name.ts';
import { keptChoice } from '../send-window-schema.ts';
import { liquidFault } from '../templates/content-liquid.ts';
import type { Edge, SequenceGraph } from './graph.ts';
import { NODE_ID_RULE, NoConfig, NodeId, type UsedName } from './kinds/kind.ts';
import { kindNamed, NODE_KIND_NAMES, type SequenceNode } from './kinds/node-kinds.ts';
import { GraphEdgeInput, GraphSettings, MAX_EDGES, MAX_NODES } from './schema.ts';
import type { SequenceStatus } from './statuses.ts';
import { type GivenNode, type GraphProblem, structureProblems, withArticle } from './structure.ts';

export type { GraphProblem } from './structure.ts';

/** What is wrong with an active sequence that has no node. */
export const NOTHING_TO_RUN = 'an active sequence needs nodes';

/** What the project has, as far as a graph may name it. */
export interface KnownNames {
  /** Keys. */
  readonly templates: readonly string[];
  /** Slugs. */
  readonly brands: readonly string[];
  readonly topics: readonly string[];
  /** What is wrong with the address of a webhook node, if anything. */
  urlProblem(url: string): string | undefined;
}

/** A graph that may be stored, with the settings beside it. */
export interface ValidGraph {
  readonly graph: SequenceGraph;
  /** undefined: as it is. */
  readonly name: string | undefined;
  readonly status: SequenceStatus | undefined;
}

const MAX_KB = 256;
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
export function parseGraph(
  body: Readonly<Record<string, unknown>>,
  statusNow: SequenceStatus,
  known: KnownNames,
): ReturnType<OpenedGraph['judge']> {
  return openGraph(body).judge(statusNow, known, liquidFault);
}

/**
 * Reads a whole graph and finds everything that is wrong with it, up to MAX_ISSUES: docs/contract/sequences.md 30. `statusNow` is what the sequence has when the body
 * names no status. What differs between projects (segments, sequences, enablement) is not looked at: graphs are portable.
 */
export function openGraph(body: Readonly<Record<string, unknown>>): OpenedGraph {
  const excess = tooMuch(body);
  if (excess) return { texts: [], judge: () => ({ problems: [{ message: excess }] }) };
  const problems: GraphProblem[] = [];
  const settings = GraphSettings.safeParse(body);
  if (!settings.success)
    problems.push(...issuesOf(settings.error).map(({ path, message }) => ({ message: path ? `${path}: ${message}` : message })));
  const nodes = readNodes(body.nodes, problems);
  const edges = readEdges(body.edges, problems);
  return {
    texts: nodes?.given.flatMap(liquidTexts) ?? [],
    judge(statusNow, known, faultOf) {
      // Without its nodes nothing can be said about how a graph hangs together.
      const ofNodes = nodes ? [...structureProblems(nodes.given, edges), ...nameProblems(nodes.given, known, faultOf)] : [];
      return judged(settings.data, nodes?.valid, edges, statusNow, [...problems, ...ofNodes]);
    },
  };
}

/** Found before anything is read by recursion, which must neither take long nor exhaust the stack. */
function tooMuch({ nodes, edges, triggers, goal }: Readonly<Record<string, unknown>>): string | undefined {
  const graph = [nodes, edges, triggers, goal];
  const excess = excessOf(graph, { characters: 2 * MAX_KB * 1024, levels: MAX_DEPTH });
  if (excess === 'depth') return `the graph is nested deeper than ${MAX_DEPTH} levels`;
  const isLarger = excess === 'size' || new TextEncoder().encode(JSON.stringify(graph)).length > MAX_KB * 1024;
  return isLarger ? `the graph is larger than ${MAX_KB} KB` : undefined;
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
  if (nodes?.length === 0 && (status ?? statusNow) === 'active') problems.push({ message: NOTHING_TO_RUN });
  if (problems.length > 0 || !given || !nodes) return { problems: problems.slice(0, MAX_ISSUES) };
  const { name, reentry, cooldownHours, goal, frequencyCap, sendWindow, triggers } = given;
  return {
    valid: {
      name: name ?? undefined,
      status,
      graph: {
        reentry: reentry ?? 'once_active',
        cooldownHours: cooldownHours ?? null,
        goal: goal ?? null,
        frequencyCap: frequencyCap ?? null,
        ...(sendWindow ? { sendWindow: keptChoice(sendWindow) } : {}),
        triggers: triggers ?? [],
        nodes,
        edges,
      },
    },
  };
}

/** The nodes as they were put, as far as they have an id, and those of them that are right. */
interface ReadNodes {
  readonly given: readonly GivenNode[];
  readonly valid: readonly SequenceNode[];
}

function readNodes(value: unknown, problems: GraphProblem[]): ReadNodes | undefined {
  const refused = value === undefined || value === null ? 'an array is required' : Array.isArray(value) ? undefined : 'not an array';
  if (refused || !Array.isArray(value)) {
    problems.push({ message: `nodes: ${refused}` });
    return undefined;
  }
  if (value.length > MAX_NODES) {
    problems.push({ message: `nodes: at most ${MAX_NODES}` });
    return undefined;
  }
  const given = value.flatMap((node: unknown, index) => readNode(node, index, problems) ?? []);
  return { given, valid: given.flatMap((node) => validNode(node, problems) ?? []) };
}

/** A node without an id is left out; one whose kind or config is wrong stays, so that its edges are still judged. */
function readNode(value: unknown, index: number, problems: GraphProblem[]): GivenNode | undefined {
  const { id, kind, label, config } = (value ?? {}) as Partial<Record<'id' | 'kind' | 'label' | 'config', unknown>>;
  const nodeId = NodeId.safeParse(id);
  if (nodeId.success) return { id: nodeId.data, kind, ...(label == null ? {} : { label }), config: withoutNulls(config) ?? undefined };
  problems.push({ message: `nodes[${index}].id: ${NODE_ID_RULE}` });
  return undefined;
}

function validNode({ config, ...node }: GivenNode, problems: GraphProblem[]): SequenceNode | undefined {
  const { id, kind } = node;
  const rules = kindNamed(kind);
  if (!rules) {
    problems.push({ nodeId: id, message: unknownKind(kind) });
    return undefined;
  }
  if (rules.config === NoConfig) {
    if (isEmpty(config)) return nodeOrProblems(rules, node, problems);
    problems.push({ nodeId: id, message: `${withArticle(rules.name)} takes no config` });
    return undefined;
  }
  const isOptional = rules.config.safeParse(undefined).success;
  if (config === undefined && isOptional) return nodeOrProblems(rules, node, problems);
  return nodeOrProblems(rules, { ...node, config: config ?? {} }, problems);
}

function nodeOrProblems(
  { node }: NonNullable<ReturnType<typeof kindNamed>>,
  value: Omit<GivenNode, 'config'> & { readonly config?: unknown },
  problems: GraphProblem[],
): SequenceNode | undefined {
  const parsed = node.safeParse(value);
  if (parsed.success) return parsed.data;
  problems.push(...issuesOf(parsed.error).map(({ path, message }) => ({ nodeId: value.id, message: `${path}: ${message}` })));
  return undefined;
}

function unknownKind(kind: unknown): string {
  return `unknown kind ${JSON.stringify(kind) ?? 'undefined'}; ${insteadOf(typeof kind === 'string' ? kind : '', NODE_KIND_NAMES)}`;
}

function isEmpty(config: unknown): boolean {
  return config === undefined || (typeof config === 'object' && config !== null && Object.keys(config).length === 0);
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
    const parsed = GraphEdgeInput.safeParse(edge);
    if (parsed.success) {
      const { from, to, branchKey } = parsed.data;
      return [{ from, to, ...(branchKey == null ? {} : { branchKey }) }];
    }
    problems.push(...issuesOf(parsed.error, `edges[${index}]`).map(({ path, message }) => ({ message: `${path}: ${message}` })));
    return [];
  });
}

/** What is wrong with the names that nodes use, and with their Liquid. */
function nameProblems(nodes: readonly GivenNode[], known: KnownNames, faultOf: (text: string) => string | undefined): GraphProblem[] {
  return nodes.flatMap((node) => {
    const faults = liquidTexts(node).flatMap((text) => faultOf(text) ?? []);
    const names = kindNamed(node.kind)?.names(node.config) ?? [];
    const messages = [...faults.map((fault) => `Liquid: ${fault}`), ...names.flatMap((name) => nameProblem(name, known) ?? [])];
    return messages.map((message) => ({ nodeId: node.id, message }));
  });
}

function nameProblem({ of, name }: UsedName, known: KnownNames): string | undefined {
  switch (of) {
    case 'template':
      return known.templates.includes(name) ? undefined : `unknown template ${name}; ${insteadOf(name, known.templates)}`;
    case 'brand':
      return known.brands.includes(name) ? undefined : `unknown brand ${name}; ${insteadOf(name, known.brands)}`;
    case 'topic':
      return known.topics.includes(name) ? undefined : `unknown topic ${name}; ${insteadOf(name, known.topics)}`;
    case 'url': {
      const wrong = hasVariableHost(name) ? 'the host part takes no variables' : known.urlProblem(name);
      return wrong && `config.url: ${wrong}`;
    }
    default:
      return of satisfies never;
  }
}

/** Clients drop white space in an address before they open it, so it is dropped here. */
function hasVariableHost(url: string): boolean {
  return /^[^/]*\/*[^/?#]*\{/.test(url.replace(/\s/g, ''));
}

/** docs/contract/http.md 14: null is the same as leaving out; the body of a call is a value of its own. */
function withoutNulls(config: unknown): unknown {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return config;
  return Object.fromEntries(
    Object.entries(config)
      .filter(([key, value]) => value !== null || key === 'body')
      .map(([key, value]) => {
        if (key === 'time' || key === 'until') return [key, withoutNulls(value)];
        return [key, key === 'arms' && Array.isArray(value) ? value.map(withoutNulls) : value];
      }),
  );
}

function liquidTexts({ kind, config }: GivenNode): string[] {
  const texts: string[] = [];
  visitTexts(kindNamed(kind)?.liquid(config), (text) => texts.push(text));
  return texts;
}
