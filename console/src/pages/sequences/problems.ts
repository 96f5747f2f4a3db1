import type { Issue } from '../../api/failure.ts';
import { pathWords } from '../../api/path-words.ts';
import type { Marks, NodeMark } from './graph/marks.ts';
import type { GraphNode } from './graph/node-words.ts';

/** What the API says is wrong with a graph, or will be: `problem` keeps it from being saved. */
export interface Problem {
  readonly kind: 'problem' | 'warning';
  /** undefined: about the whole graph. */
  readonly nodeId: string | undefined;
  readonly message: string;
}

/** The issues of a refused graph, which name the node, or the warnings of an accepted one, which name its place among `nodes`. */
export function problemsOf(issues: readonly Issue[], kind: Problem['kind'], nodes: readonly GraphNode[]): Problem[] {
  const problems = issues.map(({ nodeId, path, message }): Problem => {
    const id = nodeId ?? nodeAt(path, nodes);
    // It stands where the node is, or beside its name.
    const short = id && message.startsWith(`${id}: `) ? message.slice(id.length + 2) : message;
    const node = nodes.find((one) => one.id === id);
    return { kind, nodeId: id, message: (node && askedFor(node, short)) ?? withoutPaths(withoutCalls(short)) };
  });
  // What is left empty may break several rules, but is filled once.
  return [...new Map(problems.map((problem) => [`${problem.nodeId} ${problem.message}`, problem])).values()];
}

/** What the API says with the call that would mend it, as it is said to whoever makes no calls. */
function withoutCalls(message: string): string {
  const [, template] = /^the template (\S+) is not enabled for the brand /.exec(message) ?? [];
  if (template) return `The template ${template} is off: its mails fail`;
  const [, brand] = /^the brand (\S+) has no sender address yet/.exec(message) ?? [];
  return brand ? `The brand ${brand} has no sender address yet: its mails fail` : message;
}

/** The settings by the names that their inputs have, rather than by where the graph has them. */
function withoutPaths(message: string): string {
  const [, path, words] = SETTING.exec(message) ?? [];
  return path ? `${pathWords(path)}: ${words}` : message;
}

const SETTING = /^((?:config|goal|frequencyCap|name|reentry|cooldownHours|(?:nodes|edges|triggers)\[\d+\])(?:[.[][\w.[\]]*)?): (.+)$/s;

/** What to ask for where a setting is still as a new step has it, by how its path ends. */
const ASKED: readonly { readonly at: RegExp; readonly words: string }[] = [
  { at: /(^|\.)template$/, words: 'Choose a template' },
  { at: /(^|\.)event\.type$/, words: 'Which event?' },
  { at: /(^|\.)field$/, words: 'Which field?' },
  { at: /^sequenceKey$/, words: 'Choose a sequence' },
  { at: /^url$/, words: 'Which address?' },
];
const UNFILLED: readonly unknown[] = ['', 'attributes.', 'event.', 'https://'];

/** undefined: the setting is filled, or nobody begins with it empty. */
function askedFor({ config }: GraphNode, message: string): string | undefined {
  const path = message.startsWith('unknown template ') ? 'template' : /^config\.(\S+): /.exec(message)?.[1];
  if (path === undefined || !UNFILLED.includes(valueAt(config, path))) return undefined;
  return ASKED.find(({ at }) => at.test(path))?.words;
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
