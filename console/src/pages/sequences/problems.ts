import type { Issue } from '../../api/failure.ts';
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
  return issues.map(({ nodeId, path, message }) => {
    const id = nodeId ?? nodeAt(path, nodes);
    // It stands where the node is, or beside its name.
    return { kind, nodeId: id, message: id && message.startsWith(`${id}: `) ? message.slice(id.length + 2) : message };
  });
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
