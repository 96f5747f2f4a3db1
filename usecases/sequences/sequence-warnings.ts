import type { EntityManager } from '../../db/orm.ts';
import { knownReferences } from '../../db/queries/sequences/sequence-references.ts';
import { topicAt } from '../../domain/conditions/condition.ts';
import { segmentKey } from '../../domain/conditions/needs.ts';
import { type Issue, MAX_ISSUES } from '../../domain/errors.ts';
import { pathText } from '../../domain/issues.ts';
import { visitTexts } from '../../domain/json-texts.ts';
import { DIGEST_VARIABLES } from '../../domain/sequences/gathered.ts';
import { hasDigest, type SequenceGraph, triggerDates, triggerSegments, triggerTypes } from '../../domain/sequences/graph.ts';
import { awaitsEvent, kindNamed, kindOf, type SequenceNode } from '../../domain/sequences/kinds/node-kinds.ts';
import { MOST_STEPS_A_MINUTE } from '../../domain/sequences/pace.ts';
import { type ShortLoop, shortLoops } from '../../domain/sequences/short-loops.ts';
import { MAX_HOPS, MAX_STEPS } from '../../domain/sequences/walk.ts';
import { grouped } from '../../domain/shown-text.ts';
import { dataWarnings } from '../../domain/templates/data-warnings.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import { requiredPaths, ungivenMessage, ungivenPaths } from '../../domain/templates/required-data.ts';
import { mailScope, type VariableScope } from '../../domain/templates/variable-spelling.ts';
import { templateProblems } from '../../sending/check.ts';
import type { Authoring, LiquidText } from '../../sending/compose/authoring.ts';
import type { TemplateRegistry } from '../../sending/compose/template-registry.ts';

export interface SequenceToCheck {
  readonly project: { readonly id: string; readonly slug: string };
  readonly registry: TemplateRegistry;
  readonly authoring: Pick<Authoring, 'misspelled'>;
  readonly graph: SequenceGraph;
  /** Whether its mails go as things stand: it is active or simulated. Otherwise only what the graph itself says is looked at. */
  readonly isLive: boolean;
  /** Of the contact whose run it is; the project's default when omitted. */
  readonly brand?: string | undefined;
}

/** What would keep a mail of a sequence from going out, or make it and what else the sequence writes another than was meant. */
export interface SequenceWarning {
  readonly nodeId: string;
  /** The node's place in the graph. */
  readonly index: number;
  /** Of its config, like `template`; none: it is about the node as it stands in the graph. */
  readonly field?: string;
  readonly message: string;
}

/** Where the nodes of a graph stand, and the templates of those that send. */
interface CheckedNode {
  readonly node: SequenceNode;
  readonly index: number;
  readonly entry: RegistryEntry | undefined;
}

/**
 * Variables that no node sees, Liquid within data, loops that go round too fast and yearly dates that enroll once in a life; of a sequence that is live
 * also the mails that would fail: a template that is not enabled, no brand or sender, required data that nobody gives; and segments, sequences
 * and topics that there are not. A graph is valid all the same, since it is portable (docs/contract/sequences.md 7).
 */
export async function sequenceWarnings(em: EntityManager, check: SequenceToCheck): Promise<SequenceWarning[]> {
  const { project, registry, graph } = check;
  const keys = graph.nodes.flatMap((node) => (node.kind === 'send_email' ? [node.config.template] : []));
  const templates = await registry.findAll(em, project, keys);
  const nodes = graph.nodes.map<CheckedNode>((node, index) => {
    return { node, index, entry: node.kind === 'send_email' ? templates.get(node.config.template) : undefined };
  });
  const found = [
    ...(check.isLive ? [...(await failures(em, check, nodes)), ...(await unknownReferences(em, check, nodes))] : []),
    ...shortLoops(graph).map((loop) => ofLoop(loop, nodes)),
    ...enteredOnceOnly(graph, nodes),
    ...gatheredOneByOne(graph, nodes),
    ...nodes.flatMap(ofData),
    ...(await misspellings(check, nodes)),
  ];
  return found.sort((left, right) => left.index - right.index).slice(0, MAX_ISSUES);
}

async function failures(
  em: EntityManager,
  { project, graph, brand }: SequenceToCheck,
  nodes: readonly CheckedNode[],
): Promise<SequenceWarning[]> {
  const mails = nodes.flatMap(({ node, index, entry }) => (node.kind === 'send_email' ? { node, index, entry } : []));
  const problems = await templateProblems(
    em,
    project.id,
    mails.map(({ node: { config }, entry }) => ({ template: config.template, entry, brand: config.brand ?? brand })),
  );
  // As soon as a run has left its digest.
  const gathered = hasDigest(graph) ? { digest: { count: 1, events: [{}] } } : {};
  const hasEvents = triggerTypes(graph).length > 0 || graph.nodes.some(awaitsEvent);
  return mails.flatMap(({ node, index, entry }, at) => {
    const { template, data = {} } = node.config;
    const warning = (field: string, message: string): SequenceWarning => ({ nodeId: node.id, index, field, message });
    const problem = problems[at];
    const lacking = entry ? ungivenPaths(requiredPaths(entry.dataSchema), { ...data, ...gathered }, hasEvents) : [];
    return [
      ...(problem ? [warning('template', problem.message)] : []),
      ...lacking.map((path) => warning(`data.${path}`, ungivenMessage(template, path))),
    ];
  });
}

/** A name in a graph of what the project may not have, and what then becomes of runs. */
interface Reference extends Omit<SequenceWarning, 'message'> {
  readonly of: keyof typeof UNKNOWN;
  readonly name: string;
}

const UNKNOWN = {
  sequence: (key: string) => `no sequence has the key ${key}: runs pass this node by`,
  segment: (label: string) => `no segment is called ${label}: nobody is in it`,
  topic: (key: string) => `no topic has the key ${key}: it is missing for everybody`,
};

/** Segments, sequences and topics of conditions that the project does not have (yet). */
async function unknownReferences(
  em: EntityManager,
  { project, graph }: SequenceToCheck,
  nodes: readonly CheckedNode[],
): Promise<SequenceWarning[]> {
  const named = nodes.flatMap(({ node, index }) => {
    const found: Reference[] = [];
    if (node.kind === 'trigger') for (const name of triggerSegments(graph)) found.push({ nodeId: node.id, index, of: 'segment', name });
    if (node.kind === 'subflow')
      found.push({ nodeId: node.id, index, field: 'sequenceKey', of: 'sequence', name: node.config.sequenceKey });
    if (kindOf(node).conditions(node.config).length > 0)
      visitTexts(node.config, (text, path) => {
        const at = { nodeId: node.id, index, field: pathText(path) };
        if (path.at(-1) === 'segment') found.push({ ...at, of: 'segment', name: text });
        const topic = topicAt(text, path);
        if (topic !== undefined) found.push({ ...at, of: 'topic', name: topic });
      });
    return found;
  });
  if (named.length === 0) return [];
  const namesOf = (kind: Reference['of']) => named.filter(({ of }) => of === kind).map(({ name }) => name);
  const known = await knownReferences(em, project.id, {
    sequenceKeys: namesOf('sequence'),
    segments: namesOf('segment').map(segmentKey),
    topics: namesOf('topic'),
  });
  const isKnown = ({ of, name }: Reference): boolean => {
    if (of === 'segment') return known.segments.includes(segmentKey(name));
    return (of === 'sequence' ? known.sequenceKeys : known.topics).includes(name);
  };
  return named.flatMap((reference) => {
    if (isKnown(reference)) return [];
    const { of, name, ...where } = reference;
    return [{ ...where, message: UNKNOWN[of](name) }];
  });
}

/** Nodes of a loop that are named. */
const MOST_NAMED = 10;

/** A loop that runs go round faster than anybody means to is told at its wait, or at its first node where it has none. */
function ofLoop({ nodeIds, minutes }: ShortLoop, nodes: readonly CheckedNode[]): SequenceWarning {
  const inLoop = nodeIds.map((nodeId) => nodes.find(({ node }) => node.id === nodeId)!);
  const wait = inLoop.find(({ node }) => node.kind === 'wait_delay');
  const { node, index } = wait ?? inLoop[0]!;
  const named = [...nodeIds.slice(0, MOST_NAMED), ...(nodeIds.length > MOST_NAMED ? ['…'] : []), nodeIds[0]].join(' → ');
  const message =
    minutes === 0
      ? `the loop ${named} can be gone round without a wait: a run that does so ends after ${MAX_HOPS} steps, and stays a minute at each email and call ` +
        `once it took more than ${MOST_STEPS_A_MINUTE} steps within a minute`
      : `the waits of the loop ${named} add up to ${shownSeconds(minutes)}, less than a minute: a run that took more than ${MOST_STEPS_A_MINUTE} ` +
        `steps within a minute stays a minute at each wait, email and call, and ends after ${grouped(MAX_STEPS)} steps`;
  return { nodeId: node.id, index, ...(wait ? { field: 'minutes' } : {}), message };
}

/** A date of every year means every year, which a sequence that a contact enters once only does not do. */
function enteredOnceOnly(graph: SequenceGraph, nodes: readonly CheckedNode[]): SequenceWarning[] {
  if (graph.reentry !== 'once_ever') return [];
  const dates = new Set(triggerDates(graph).flatMap(({ attribute, field, every }) => (every ? (field ?? attribute ?? []) : [])));
  return nodes.flatMap(({ node, index }) =>
    node.kind === 'trigger' ? [...dates].map((date) => ({ nodeId: node.id, index, message: onceOnly(date) })) : [],
  );
}

function onceOnly(date: string): string {
  return `a contact enters once only, so that later years of ${date} enroll nobody: choose the reentry once_active or always`;
}

function shownSeconds(minutes: number): string {
  const seconds = Number((minutes * 60).toPrecision(3));
  return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
}

function ofData({ node, index, entry }: CheckedNode): SequenceWarning[] {
  if (node.kind !== 'send_email') return [];
  const issues = dataWarnings(entry?.dataSchema ?? [], node.config.data ?? {});
  return issues.map(({ path, message }) => ({ nodeId: node.id, index, field: path, message }));
}

async function misspellings({ project, authoring, graph }: SequenceToCheck, nodes: readonly CheckedNode[]): Promise<SequenceWarning[]> {
  const texts = nodes.flatMap(({ node, index, entry }) => {
    const found: (LiquidText & Pick<SequenceWarning, 'nodeId' | 'index'>)[] = [];
    const kind = kindNamed(node.kind);
    if (!kind) return found;
    const scope = withDigest(graph, node.kind === 'send_email' ? mailScope(entry?.dataSchema ?? [], node.config.data) : kind.variables);
    visitTexts(kind.liquid(node.config), (source, path) => {
      if (source.includes('{')) found.push({ nodeId: node.id, index, source, at: pathText(path), scope });
    });
    return found;
  });
  const issues = await authoring.misspelled(
    texts.map(({ source, at, scope }) => ({ source, at, scope })),
    project.id,
  );
  return texts.flatMap(({ nodeId, index }, text) =>
    (issues[text] ?? []).map(({ path: field, message }) => ({ nodeId, index, field, message })),
  );
}

/** What has gathered is a variable of every text in a graph that gathers events. */
function withDigest(graph: SequenceGraph, scope: VariableScope): VariableScope {
  return hasDigest(graph) ? { ...scope, names: { ...scope.names, digest: DIGEST_VARIABLES } } : scope;
}

/** Each key has a run of its own only where several runs may be under way. */
function gatheredOneByOne({ reentry }: SequenceGraph, nodes: readonly CheckedNode[]): SequenceWarning[] {
  if (reentry === 'always') return [];
  return nodes.flatMap(({ node, index }) =>
    node.kind === 'digest' && node.config.key !== undefined ? [{ nodeId: node.id, index, field: 'key', message: ONE_BY_ONE }] : [],
  );
}

const ONE_BY_ONE =
  'one run of a contact is under way at a time, so that events with another key gather in the run after it: choose the reentry always';

/** As told of a graph, like `nodes[1].config.template`. */
export function graphIssues(warnings: readonly SequenceWarning[]): Issue[] {
  return warnings.map(({ nodeId, index, field, message }) => ({
    path: field === undefined ? `nodes[${index}]` : `nodes[${index}].config.${field}`,
    message: `${nodeId}: ${message}`,
  }));
}
