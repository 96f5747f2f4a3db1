import type { EntityManager } from '../../db/orm.ts';
import { lookUpFacts } from '../../db/queries/conditions/condition-facts.ts';
import { listTopics } from '../../db/queries/contacts/topics.ts';
import { passesOf } from '../../db/queries/sequences/throttle-passes.ts';
import { invalidRequest, Refusal } from '../../domain/errors.ts';
import type { SendWindow } from '../../domain/send-window.ts';
import { conditionsOf, triggerConditions } from '../../domain/sequences/conditions-of.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';
import type { Simulation } from '../../domain/sequences/simulate.ts';
import type { MailFacts } from '../../domain/sequences/simulated-mails.ts';
import type { SimulatedEvent } from '../../domain/sequences/simulated-world.ts';
import type { WalkContact } from '../../domain/sequences/walk-context.ts';
import type { RegistryEntry } from '../../domain/templates/registry-entry.ts';
import { requiredPaths } from '../../domain/templates/required-data.ts';
import type { Authoring } from '../../sending/compose/authoring.ts';
import type { TemplateProject, TemplateRegistry } from '../../sending/compose/template-registry.ts';

type MailTemplate = Pick<RegistryEntry, 'key' | 'type' | 'dataSchema'>;

export interface ToSimulate {
  readonly project: TemplateProject;
  readonly registry: TemplateRegistry;
  readonly authoring: Pick<Authoring, 'simulate'>;
  readonly graph: SequenceGraph;
  readonly sequenceKey: string;
  readonly contact: WalkContact;
  /** Whose passes of throttles count; undefined: the graph is of no sequence yet. */
  readonly sequenceId?: string | undefined;
  /** Of one that the project has; undefined: it is made up. */
  readonly contactId: string | undefined;
  readonly event: { readonly type: string; readonly payload: Readonly<Record<string, unknown>> } | undefined;
  /** What comes in the time of the simulation. */
  readonly events?: readonly SimulatedEvent[] | undefined;
  /** Outcomes by node id. */
  readonly assume: Readonly<Record<string, string>>;
  /** Of the project. */
  readonly sendWindow: SendWindow | null;
  readonly history: Pick<MailFacts, 'isSuppressed' | 'isUnconfirmed' | 'marketingAt'>;
  /** Templates that its mails have where the project has none with their keys. */
  readonly brought?: readonly MailTemplate[];
  readonly now: Date;
}

/** Leads one contact through a graph and writes nothing: docs/contract/sequences.md 31 to 36. Refuses a graph without an entry node, and what a walk cannot take. */
export async function simulateGraph(em: EntityManager, given: ToSimulate): Promise<Simulation> {
  const { project, registry, authoring, graph, contactId, event, events, history, sendWindow, sequenceId, brought = [], ...start } = given;
  const keys = graph.nodes.flatMap((node) => (node.kind === 'send_email' ? [node.config.template] : []));
  const found = [...brought, ...(await registry.findAll(em, project, keys)).values()];
  const templates = Object.fromEntries(found.map(({ key, type, dataSchema }) => [key, { type, required: requiredPaths(dataSchema) }]));
  const payload = event?.payload;
  const facts = await lookUpFacts(em, {
    ...{ projectId: project.id, contactId, event: payload, now: given.now },
    conditions: [...conditionsOf(graph), ...(events ? triggerConditions(graph) : [])],
  });
  const { isSuppressed, isUnconfirmed, marketingAt } = history;
  const asksTopics = graph.nodes.some((node) => node.kind === 'send_email' && node.config.topic !== undefined);
  const topics = asksTopics ? await listTopics(em, project.id) : [];
  const mails = { isSuppressed, isUnconfirmed, marketingAt, templates, topics, sendWindow };
  const throttles = graph.nodes.flatMap((node) => (node.kind === 'throttle' ? node : []));
  const passes = contactId && sequenceId ? await passesOf(em, { contact_id: contactId, sequence_id: sequenceId }, throttles) : {};
  const coming = events && { events: events.toSorted((left, right) => left.at - right.at) };
  const simulation = await authoring.simulate(
    { ...start, ...coming, passes, graph, event: payload, eventType: event?.type, facts, mails },
    project.id,
  );
  if (!simulation) throw new Refusal('not_found', 'the graph has no entry node');
  if ('issues' in simulation) throw invalidRequest(simulation.issues);
  return simulation;
}
