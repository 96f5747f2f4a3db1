import * as z from 'zod';
import { Refusal } from '../../../domain/errors.ts';
import { confirmationToken, readConfirmation } from '../confirmation.ts';
import { pathOf } from '../own-calls.ts';
import { nameOf } from '../reason-words.ts';
import { listed, senderOf, type TemplateState, templateState } from '../template-state.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { Token, tokenWords } from './confirming.ts';
import { runWords } from './explain-email.ts';
import { counted, findContact, fittingPage, Id, ifThere, pageFields, pageWords, personFields } from './shared.ts';

const SequenceKey = z.string().min(1).max(64).meta({ description: 'The key of the sequence' });

interface Graph {
  readonly version: number;
  readonly status: string;
  readonly nodes: readonly { readonly kind: string; readonly config?: Readonly<Record<string, unknown>> }[];
  readonly triggers?: readonly unknown[];
}

const listSequences = defineTool({
  name: 'list_sequences',
  title: 'List sequences',
  description:
    'All sequences of the project with status, trigger, and how many runs are under way, completed and cancelled. Begin here to find the key of a sequence.',
  kind: 'read',
  scopes: ['sequences:read'],
  input: z.object({}),
  async run({ ask }) {
    const { sequences } = await ask<{ sequences: { status: string }[] }>({ method: 'GET', path: '/sequences' });
    const active = sequences.filter(({ status }) => status === 'active').length;
    return { says: [`${counted(sequences.length, 'sequence')}, ${active} of them active.`], data: { sequences } };
  },
});

const getSequence = defineTool({
  name: 'get_sequence',
  title: 'A sequence',
  description:
    "A sequence's graph: triggers, nodes and edges, re-entry, goal, frequency cap, send window; and which way its runs went (counts by node).",
  kind: 'read',
  scopes: ['sequences:read'],
  input: z.object({ sequence: SequenceKey }),
  hasParts: true,
  async run({ ask }, { sequence }) {
    const graph = await ask<Graph & { ok?: unknown }>({ method: 'GET', path: pathOf`/sequences/${sequence}` });
    const { ok: _, ...flow } = await ask<{ ok?: unknown }>({ method: 'GET', path: pathOf`/sequences/${sequence}/flow` });
    const { ok: _ok, ...shown } = graph;
    const says = [`The sequence is ${nameOf(graph.status)}, at version ${graph.version}, with ${counted(graph.nodes.length, 'node')}.`];
    return { says, data: { ...shown, flow } };
  },
});

const getRun = defineTool({
  name: 'get_run',
  title: "A run's way",
  description:
    "One person's way through a sequence: each step with its outcome, where the run stands and what it waits for or is held by. By `enrollmentId`, or by `sequence` and a person (the latest run); with `sequence` alone it lists its runs, the last started first.",
  kind: 'read',
  scopes: ['sequences:read'],
  input: z.object({
    enrollmentId: Id.optional(),
    sequence: SequenceKey.optional(),
    ...personFields,
    ...pageFields,
  }),
  takes: { route: 'GET /sequences/:key/enrollments', fields: ['status', 'nodeId', 'waitingFor', 'held', 'failedSteps'] },
  hasParts: true,
  async run(context, { enrollmentId, sequence, contactId, email, limit, cursor }, taken) {
    if (enrollmentId !== undefined) return oneRun(context, enrollmentId);
    if (sequence === undefined) throw new Refusal('invalid_request', 'either enrollmentId or sequence is required');
    const ofPerson = contactId ?? (email === undefined ? undefined : (await findContact(context, { email }))?.id);
    if (email !== undefined && ofPerson === undefined) return { says: ['The project has no contact with this address.'] };
    const path = pathOf`/sequences/${sequence}/enrollments`;
    const { enrollments, nextCursor } = await fittingPage(ofPerson ? 1 : limit, (most) =>
      context.ask<{ enrollments: { id: string }[]; nextCursor: string | null }>({
        method: 'GET',
        path,
        query: { ...taken, contactId: ofPerson, limit: most, cursor },
      }),
    );
    if (ofPerson !== undefined)
      return enrollments[0] ? oneRun(context, enrollments[0].id) : { says: ['The person was never enrolled in this sequence.'] };
    return { says: [`${counted(enrollments.length, 'run')} on this page.`, ...pageWords(nextCursor)], data: { enrollments, nextCursor } };
  },
});

async function oneRun({ ask }: ToolContext, id: string) {
  const { enrollment, nextCursor } = await ask<{ enrollment: Parameters<typeof runWords>[0]; nextCursor: string | null }>({
    method: 'GET',
    path: pathOf`/enrollments/${id}`,
    query: { limit: 100 },
  });
  const earlier = nextCursor ? ['It has earlier steps, which are not shown.'] : [];
  return { says: [...runWords(enrollment), ...earlier], data: { run: enrollment } };
}

const GraphInput = z.record(z.string(), z.unknown()).meta({
  description: 'Nodes, edges, triggers and so on, as get_sequence shows them; get_format with `sequence_graph` has the form',
});

const draftSequence = defineTool({
  name: 'draft_sequence',
  title: 'Draft a sequence',
  description:
    'Create a sequence as a draft, or replace the graph of one that is a draft. It enrolls and sends nothing. A sequence that is or was active is not touched: draft a new one beside it. Try it with simulate_sequence.',
  kind: 'draft',
  scopes: ['sequences:write', 'sequences:read'],
  input: z.object({ sequence: SequenceKey, graph: GraphInput }),
  async run({ ask }, { sequence, graph }) {
    const path = pathOf`/sequences/${sequence}`;
    const there = await ifThere(ask<Graph>({ method: 'GET', path }));
    if (there && there.status !== 'draft')
      throw new Refusal('invalid_status', `this sequence is ${there.status}: only a draft can be drafted anew`);
    if (graph.migrate)
      throw new Refusal('invalid_request', 'graph.migrate moves people who are under way: a draft leaves them where they are');
    const body = { ...graph, status: 'draft' };
    const saved = await ask<{ version: number }>({ method: 'PUT', path, query: { ifVersion: there?.version ?? 0 }, body });
    return { says: [`The sequence is a draft, at version ${saved.version}.`], data: saved };
  },
});

const simulateSequence = defineTool({
  name: 'simulate_sequence',
  title: 'Simulate a sequence',
  description:
    'Walk one contact (a real one or one made up) through a sequence, or through a graph that is not saved yet: the path, the emails that would go, and what is not set up. Sends nothing and writes nothing.',
  kind: 'read',
  scopes: ['sequences:write'],
  input: z.object({ sequence: SequenceKey, graph: GraphInput.optional() }),
  takes: { route: 'POST /sequences/:key/simulate', fields: ['contactId', 'contact', 'event', 'events', 'assume', 'asIfNotEnrolled'] },
  async run({ ask }, { sequence, graph }, taken) {
    const body = { ...taken, ...(graph ? { graph } : {}) };
    const { ok: _, ...way } = await ask<{ ok?: unknown; path: unknown[]; sends: unknown[]; endedBy: string; warnings?: unknown[] }>({
      method: 'POST',
      path: pathOf`/sequences/${sequence}/simulate`,
      body,
    });
    const warned = way.warnings?.length ? [`${counted(way.warnings.length, 'warning')}: see data.`] : [];
    return {
      says: [`${counted(way.path.length, 'step')}, ${counted(way.sends.length, 'email')}; ended by ${nameOf(way.endedBy)}.`, ...warned],
      data: way,
    };
  },
});

/** What decides what an activation does. */
async function activation(context: ToolContext, key: string) {
  const { ask } = context;
  const graph = await ask<Graph & { ok?: unknown }>({ method: 'GET', path: pathOf`/sequences/${key}` });
  const { sequences } = await ask<{ sequences: { key: string; enrollments: { active: number } }[] }>({ method: 'GET', path: '/sequences' });
  const held = sequences.find((one) => one.key === key)?.enrollments.active ?? 0;
  const keys = graph.nodes.flatMap(({ kind, config }) =>
    kind === 'send_email' && typeof config?.template === 'string' ? [config.template] : [],
  );
  const templates: TemplateState[] = [];
  const known = await listed(context, undefined);
  for (const template of new Set(keys)) templates.push(await templateState(context, template, undefined, known));
  return { graph, held, templates, content: { key, version: graph.version, status: graph.status, held, templates } };
}

const prepareActivation = defineTool({
  name: 'prepare_sequence_activation',
  title: 'Read back what an activation does',
  description:
    'Reads back what would happen if a sequence were activated: its version, its triggers, the template, subject and sender of its emails, and how many runs are held and would go on. Show that to the user; its confirmation token is for activate_sequence. Changes nothing.',
  kind: 'act',
  scopes: ['sequences:write', 'sequences:read', 'templates:read'],
  input: z.object({ sequence: SequenceKey }),
  isIdempotent: true,
  async run(context, { sequence }) {
    const { graph, held, templates, content } = await activation(context, sequence);
    if (graph.status === 'active') throw new Refusal('invalid_status', 'this sequence is active');
    const mails = graph.nodes.filter(({ kind }) => kind === 'send_email').length;
    const token = confirmationToken(
      context.vault,
      context.key,
      { act: 'activate_sequence', content, count: held, version: graph.version },
      { now: context.now(), id: context.newId() },
    );
    const says = [
      `The sequence is ${nameOf(graph.status)}, at version ${graph.version}, with ${counted(mails, 'email')} in ${counted(graph.nodes.length, 'node')}.`,
      `Activated, it enrolls by the triggers of data, and ${counted(held, 'run that is held goes', 'runs that are held go')} on.`,
      ...tokenWords(token, 'activate_sequence'),
    ];
    const emails = templates.map((state) => ({
      template: state.entry.key,
      enabled: state.entry.enabled,
      subject: state.published.find(({ locale, subject }) => locale === null && subject)?.subject ?? state.entry.subject,
      ...senderOf(state, undefined),
    }));
    return { says, data: { name: (graph as { name?: unknown }).name, triggers: graph.triggers ?? [], emails } };
  },
});

const activateSequence = defineTool({
  name: 'activate_sequence',
  title: 'Activate a sequence',
  description:
    'Activate a sequence: it enrolls people and sends from now on. Needs the token of prepare_sequence_activation, which the user has agreed to.',
  kind: 'act',
  scopes: ['sequences:write', 'sequences:read', 'templates:read'],
  input: z.object({ sequence: SequenceKey, confirmationToken: Token }),
  isDestructive: true,
  isIdempotent: true,
  async run(context, { sequence, confirmationToken: token }) {
    const confirmed = readConfirmation(context.vault, context.key, 'activate_sequence', token, context.now());
    const { graph, content } = await activation(context, sequence);
    if (graph.status === 'active' && graph.version === confirmed.version) return { says: ['The sequence is active.'] };
    confirmed.demandSame(content);
    const answer = await context.ask<object>({ method: 'PATCH', path: pathOf`/sequences/${sequence}`, body: { status: 'active' } });
    return { says: ['The sequence is active.'], data: answer };
  },
});

const pauseSequence = defineTool({
  name: 'pause_sequence',
  title: 'Pause a sequence',
  description: 'Pause a sequence: it enrolls nobody, and its runs are held before their next email until it is activated again.',
  kind: 'act',
  scopes: ['sequences:write'],
  input: z.object({ sequence: SequenceKey }),
  isIdempotent: true,
  async run({ ask }, { sequence }) {
    const answer = await ask<object>({ method: 'PATCH', path: pathOf`/sequences/${sequence}`, body: { status: 'paused' } });
    return { says: ['The sequence is paused.'], data: answer };
  },
});

const cancelRun = defineTool({
  name: 'cancel_run',
  title: "Cancel one person's run",
  description: 'End one run of a sequence: its remaining steps never send. It cannot be taken back.',
  kind: 'act',
  scopes: ['sequences:write'],
  input: z.object({ enrollmentId: Id }),
  isDestructive: true,
  async run({ ask }, { enrollmentId }) {
    const answer = await ask<object>({ method: 'DELETE', path: pathOf`/enrollments/${enrollmentId}` });
    return { says: ['The run is cancelled.'], data: answer };
  },
});

export const tools = [
  ...[listSequences, getSequence, getRun, draftSequence, simulateSequence],
  ...[prepareActivation, activateSequence, pauseSequence, cancelRun],
];
