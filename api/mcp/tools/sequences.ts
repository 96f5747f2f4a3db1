import * as z from 'zod';
import { Refusal } from '../../../domain/errors.ts';
import { pathOf } from '../own-calls.ts';
import { nameOf } from '../reason-words.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { runWords } from './explain-email.ts';
import { counted, findContact, fittingPage, Id, ifThere, pageFields, pageWords, personFields } from './shared.ts';

export const SequenceKey = z.string().min(1).max(64).meta({ description: 'The key of the sequence' });

/** A sequence as its route answers it. */
export interface Graph {
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
  hasParts: true,
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

export const tools = [...[listSequences, getSequence, getRun, draftSequence, simulateSequence], ...[pauseSequence, cancelRun]];
