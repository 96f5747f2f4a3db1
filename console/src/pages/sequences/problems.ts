import type { Issue } from '../../api/failure.ts';
import { pathWords } from '../../api/path-words.ts';
import { capitalized } from '../../letters.ts';
import type { Marks, NodeMark } from './graph/marks.ts';
import { questionFor, unfilledSettings } from './graph/unfilled.ts';
import type { GraphEdge, GraphNode } from './sequence-queries.ts';
import { SETTING_NAMES } from './settings-words.ts';

/** What the API says is wrong with a graph, or will be: `problem` keeps it from being saved. */
export interface Problem {
  readonly kind: 'problem' | 'warning';
  /** undefined: about the whole graph. */
  readonly nodeId: string | undefined;
  readonly message: string;
  /** The setting that it is about, as the node's config has it, like `event.type`; as the graph has it where there is no node. */
  readonly path?: string | undefined;
  /** The message without that setting, for where the setting is shown. */
  readonly says?: string;
}

/** The issues of a refused graph, which name the node, or the warnings of an accepted one, which name its place among `nodes`. */
export function problemsOf(issues: readonly Issue[], kind: Problem['kind'], nodes: readonly GraphNode[]): Problem[] {
  const problems = issues.map(({ nodeId, path, message }): Problem => {
    const id = nodeId ?? nodeAt(path ?? message, nodes);
    // It stands where the node is, or beside its name.
    const short = id && message.startsWith(`${id}: `) ? message.slice(id.length + 2) : message;
    const node = nodes.find((one) => one.id === id);
    const asked = node && askedFor(node, short);
    const [, at = namedAt(short), words = short] = SETTING.exec(short) ?? [];
    return {
      kind,
      nodeId: id,
      message: asked ?? withoutPaths(withoutCalls(short)),
      path: node ? at?.replace(/^config\./, '') : at,
      says: asked ?? capitalized(words),
    };
  });
  // What is left empty may break several rules, but is filled once.
  return [...new Map(problems.map((problem) => [`${problem.nodeId} ${problem.message}`, problem])).values()];
}

/** So begins what keeps the mails of a step from going out: a card on the canvas has room for the beginning alone. */
export const MAILS_FAIL = 'Its emails fail: ';

/** Of a template that a step sends. */
export function templateOffWords(template: string): string {
  return `${MAILS_FAIL}the template ${template} is off`;
}

/** What the API says with the call that would mend it, as it is said to whoever makes no calls. */
function withoutCalls(message: string): string {
  const [, template] = /^the template (\S+) is not enabled for the brand /.exec(message) ?? [];
  if (template) return templateOffWords(template);
  const [, date] = /^a contact enters once only, so that later years of (\S+) enroll nobody/.exec(message) ?? [];
  if (date) return `A contact enters once only, so later years of ${date} enroll nobody: change the re-entry`;
  const [, brand] = /^the brand (\S+) has no sender address yet/.exec(message) ?? [];
  return brand ? `${MAILS_FAIL}the brand ${brand} has no sender yet` : message;
}

/** The settings by the names that their inputs have, rather than by where the graph has them. */
function withoutPaths(message: string): string {
  const [, path, words] = SETTING.exec(message) ?? [];
  return path ? `${pathWords(path)}: ${words}` : message;
}

/** Where a name is that the project does not have. */
function namedAt(message: string): string | undefined {
  return /^unknown (template|brand) /.exec(message)?.[1];
}

const SEVERAL: readonly string[] = ['nodes', 'edges', 'triggers'];
const SINGLE = ['config', ...SETTING_NAMES.filter((name) => !SEVERAL.includes(name))];
const SETTING = new RegExp(String.raw`^((?:${SINGLE.join('|')}|(?:${SEVERAL.join('|')})\[\d+\])(?:[.[][\w.[\]]*)?): (.+)$`, 's');

/** undefined: the setting is filled, or nobody begins with it empty. */
function askedFor({ config }: GraphNode, message: string): string | undefined {
  const path = namedAt(message) ?? /^config\.(\S+): /.exec(message)?.[1];
  return path === undefined ? undefined : questionFor(path, valueAt(config, path));
}

/** What the API would ask for: the settings of steps that are still as a new step has them. */
export function unfilledIn(nodes: readonly GraphNode[]): Problem[] {
  return nodes.flatMap(({ id, config }) =>
    unfilledSettings(config).map(({ path, words }): Problem => ({ kind: 'problem', nodeId: id, message: words, path, says: words })),
  );
}

/** Each once, those of the triggers at the node where runs start. */
export function atNodes(problems: readonly Problem[], nodes: readonly GraphNode[]): Problem[] {
  const start = nodes.find(({ kind }) => kind === 'trigger')?.id;
  const placed = problems.map((problem) => (isOfTriggers(problem) ? { ...problem, nodeId: start } : problem));
  return [...new Map(placed.map((problem) => [`${problem.nodeId} ${problem.message}`, problem])).values()];
}

/** Whether it is about what enters contacts, which the graph has beside its nodes. */
export function isOfTriggers({ nodeId, path }: Problem): boolean {
  return nodeId === undefined && path?.startsWith('triggers[') === true;
}

/**
 * Of what the API refused, what may still be wrong with a graph that was changed since: about settings that are as they were, and about steps that
 * are joined as they were.
 */
export function stillWrong(problems: readonly Problem[], refused: Checked, now: Checked): Problem[] {
  const about = (graph: Checked, { nodeId, path }: Problem): string => {
    const node = graph.nodes.find(({ id }) => id === nodeId);
    if (path !== undefined) return JSON.stringify(valueAt(nodeId === undefined ? graph : node?.config, path)) ?? '';
    return JSON.stringify(nodeId === undefined ? [] : [node, graph.edges.filter(({ from, to }) => from === nodeId || to === nodeId)]);
  };
  const ids = new Set(now.nodes.map(({ id }) => id));
  return problems.filter(
    (problem) => (problem.nodeId === undefined || ids.has(problem.nodeId)) && about(refused, problem) === about(now, problem),
  );
}

/** A graph, as far as it is told what is wrong with it. */
interface Checked {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

function valueAt(config: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[name], config);
}

function nodeAt(path: string | undefined, nodes: readonly GraphNode[]): string | undefined {
  const [, index] = /^nodes\[(\d+)\]/.exec(path ?? '') ?? [];
  return index === undefined ? undefined : nodes[Number(index)]?.id;
}

/** The same marks, with the problems at their nodes. */
export function withProblems(marks: Marks, problems: readonly Problem[]): Marks {
  if (problems.length === 0) return marks;
  const nodes = new Map<string, NodeMark>(marks.nodes);
  for (const { kind, nodeId, message } of problems) {
    if (nodeId === undefined) continue;
    const mark = nodes.get(nodeId) ?? {};
    const name = kind === 'problem' ? 'problems' : 'warnings';
    nodes.set(nodeId, { ...mark, [name]: [...(mark[name] ?? []), message] });
  }
  return { ...marks, nodes };
}
