import type { EntityManager } from '../db/orm.ts';
import { type Issue, MAX_ISSUES } from '../domain/errors.ts';
import { type SequenceGraph, triggerTypes } from '../domain/sequence/graph.ts';
import type { SequenceNode } from '../domain/sequence/kinds/node-kinds.ts';
import { lackingPaths, requiredPaths } from '../domain/template/required-data.ts';
import { isSystemPath } from '../domain/template/variables.ts';
import type { TemplateRegistry } from '../platform/template-registry.ts';
import { templateProblems } from '../sending/check.ts';

export interface SequenceToCheck {
  readonly project: { readonly id: string; readonly slug: string };
  readonly registry: TemplateRegistry;
  readonly graph: SequenceGraph;
  /** Of the contact whose run it is; the project's default when omitted. */
  readonly brand?: string | undefined;
}

/** What would keep a mail of a sequence from going out. */
export interface SequenceWarning {
  readonly nodeId: string;
  /** The node's place in the graph. */
  readonly index: number;
  /** Of its config, like `template`. */
  readonly field: string;
  readonly message: string;
}

/**
 * Mails that would fail as things stand: a template that is not enabled, no brand or sender, required data that nobody gives. Said when a
 * sequence is activated or simulated; a graph is valid all the same, since it is portable (decisions.md 7.8).
 */
export async function sequenceWarnings(
  em: EntityManager,
  { project, registry, graph, brand }: SequenceToCheck,
): Promise<SequenceWarning[]> {
  const mails = graph.nodes.flatMap((node, index) => (node.kind === 'send_email' ? { node, index } : []));
  const templates = await registry.findAll(
    em,
    project,
    mails.map(({ node }) => node.config.template),
  );
  const problems = await templateProblems(
    em,
    project.id,
    mails.map(({ node: { config } }) => ({
      template: config.template,
      entry: templates.get(config.template),
      brand: config.brand ?? brand,
    })),
  );
  const found = mails.flatMap(({ node, index }, at) => {
    const warning = (field: string, message: string): SequenceWarning => ({ nodeId: node.id, index, field, message });
    const problem = problems[at];
    const entry = templates.get(node.config.template);
    const lacking = entry ? ungiven(node.config, requiredPaths(entry.dataSchema), graph) : [];
    return [
      ...(problem ? [warning('template', problem.message)] : []),
      ...lacking.map((path) =>
        warning(`data.${path}`, `${node.config.template} requires ${path}, and nothing gives it: the mail would fail`),
      ),
    ];
  });
  return found.slice(0, MAX_ISSUES);
}

/** As told of a graph, like `nodes[1].config.template`. */
export function graphIssues(warnings: readonly SequenceWarning[]): Issue[] {
  return warnings.map(({ nodeId, index, field, message }) => ({
    path: `nodes[${index}].config.${field}`,
    message: `${nodeId}: ${message}`,
  }));
}

type SendEmailConfig = Extract<SequenceNode, { kind: 'send_email' }>['config'];

/** Required paths that neither the node nor, for those of an event, any event gives. What a contact has differs from one to the next. */
function ungiven({ data = {} }: SendEmailConfig, required: readonly string[], graph: SequenceGraph): string[] {
  const hasEvents = triggerTypes(graph).length > 0 || graph.nodes.some(({ kind, config }) => kind === 'wait_until' && 'event' in config);
  return lackingPaths(
    required.filter((path) => !isSystemPath(path) || (path.startsWith('event.') && !hasEvents)),
    data,
  );
}
