import * as z from 'zod';
import { findSequenceVersion } from '../../../db/queries/sequences/sequence-versions.ts';
import {
  countEnrollments,
  FIRST_VERSION,
  findSequence,
  listSequences,
  type SequenceWithGraph,
} from '../../../db/queries/sequences/sequences.ts';
import { noBrand, notFound, refuseStale } from '../../../domain/errors.ts';
import { shownChoice } from '../../../domain/send-window-schema.ts';
import type { SequenceGraph } from '../../../domain/sequences/graph.ts';
import { NodeId } from '../../../domain/sequences/kinds/kind.ts';
import { migrateProblems, readMigrate } from '../../../domain/sequences/migrate.ts';
import { FlowGraph, FlowGraphInput, SequenceName, SequenceStatusName } from '../../../domain/sequences/schema.ts';
import { awaitMailsInFlight } from '../../../usecases/sends/await-mails-in-flight.ts';
import { type ChangedSequence, changeSequence, invalidMigrate, type SequenceChange } from '../../../usecases/sequences/change-sequence.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { deleteSequence } from '../../../usecases/sequences/delete-sequence.ts';
import { endSequenceRuns } from '../../../usecases/sequences/end-sequence-runs.ts';
import { graphIssues, type SequenceWarning, sequenceWarnings } from '../../../usecases/sequences/sequence-warnings.ts';
import { actionRecord, EnrollmentActionRecord } from '../../enrollment-action-records.ts';
import * as examples from '../../examples/sequence-examples.ts';
import { judgedGraph } from '../../judged-graph.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { DryRun, IfVersion, VersionNumber, Warnings, warned } from '../../schemas.ts';
import { ChangedStepRecord, GraphVersion, ReplyKey, SequenceKeyParam, SequenceSummary } from '../../sequence-schemas.ts';

const list = defineRoute({
  method: 'get',
  path: '/sequences',
  scope: 'sequences:read',
  summary: 'List the sequences, newest first',
  status: 200,
  reply: z.object({ sequences: z.array(SequenceSummary).meta({ description: 'All of them' }) }),
  examples: examples.list,
  async handle({ em, project }) {
    const [sequences, counts] = await Promise.all([listSequences(em, project.id), countEnrollments(em, project.id)]);
    return {
      sequences: sequences.map((sequence) => ({
        ...sequence,
        ...(counts.get(sequence.id) ?? NO_ENROLLMENTS),
      })),
    };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/sequences/:key',
  scope: 'sequences:read',
  summary: "Read a sequence's flow graph",
  description: 'Of an earlier `version` the graph only: name and status are those of now. PUT with it makes it the latest again.',
  params: SequenceKeyParam,
  query: z.object({ version: VersionNumber.optional().meta({ description: 'The current one when omitted' }) }),
  status: 200,
  reply: FlowGraph,
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params, query }) {
    const sequence = (await findSequence(em, project.id, params.key)) ?? notFound('sequence');
    const { version = sequence.version } = query;
    if (version === sequence.version) return flowGraph(sequence);
    const graph = (await findSequenceVersion(em, sequence.id, version)) ?? notFound('version');
    return flowGraph({ ...sequence, version, graph });
  },
});

const replace = defineRoute({
  method: 'put',
  path: '/sequences/:key',
  scope: 'sequences:write',
  summary: 'Replace the whole flow graph with a new version, or create the sequence',
  description:
    'Takes what GET answers, also that of another project; `key` and `version` are ignored, `name` and `status` omitted keep what is there. ' +
    'A key that is new makes a sequence, `draft` and named after its key unless the body says otherwise, whose version is 1. Everything wrong ' +
    'is listed in `error` and `issues: [{ nodeId?, message }]`, and nothing is applied. Running enrollments keep their version, but those that `migrate` moves or ends; ' +
    '`changes` says how many people stand at steps that this removes or changes. With `dryRun=1` nothing is written, and the answer says what it would be. Variables ' +
    'that no node sees are told in `warnings`, with the right spelling: `[{ "path": "nodes[2].config.body.name", "message": "call: ' +
    'contact.firstName is no variable; did you mean contact.first_name?" }]`, and so are loops whose waits add up to less than a minute, and dates of every year with `once_ever`. While the sequence is active they also name emails that would ' +
    'fail as things stand, which differs between projects: ' +
    '`[{ "path": "nodes[1].config.data.resetUrl", "message": "send_1: password-reset requires resetUrl …" }]`.',
  params: SequenceKeyParam,
  query: z.object({ ifVersion: IfVersion, dryRun: DryRun }),
  // Whatever is wrong with it has one code, so the use case reads it: docs/contract/sequences.md 30.
  body: z.custom<Readonly<Record<string, unknown>>>(),
  documentedBody: FlowGraphInput,
  status: 200,
  reply: z.object({
    key: ReplyKey,
    nodes: z.int().meta({ description: 'How many' }),
    version: GraphVersion,
    warnings: Warnings,
    dryRun: z.literal(true).optional().meta({ description: 'Nothing was written: `version` is the one that it would make' }),
    changes: z.array(ChangedStepRecord).optional().meta({
      description: 'Steps that this removes or changes and at which people stand; omitted where there are none, but not by a dry run',
    }),
    migrated: z
      .record(NodeId, z.int())
      .optional()
      .meta({ description: 'How many stand at each of the nodes that `migrate` names; omitted without it' }),
    action: EnrollmentActionRecord.optional().meta({
      description: 'What moves or ends them, as GET …/enrollments/actions/:id has it; omitted where nobody is',
    }),
  }),
  errors: ['not_found', 'invalid_graph', 'invalid_status', 'no_brand', 'version_conflict'],
  examples: examples.replace,
  async handle(context, { params, query, body }) {
    const { em, project, now } = context;
    const { key } = params;
    const sequence = await findSequence(em, project.id, key);
    const valid = await judgedGraph(context, body, sequence?.status ?? 'draft');
    const isDryRun = query.dryRun === '1';
    const asked = readMigrate(body.migrate);
    if ('problems' in asked) throw invalidMigrate(asked.problems);
    const migrating = asked.migrate && { migrate: asked.migrate, keyId: context.keyId, newId: context.newId };
    const change = { projectId: project.id, key, ...valid, migrating, ifVersion: query.ifVersion, isDryRun, now: now() };
    const stored = (await changed(context, change)) ?? (await created(context, change));
    const warnings = graphIssues(await warningsOf(context, stored));
    const { graph, version, affected, migrated, action } = stored;
    const ofMigration = { ...(migrated ? { migrated: { ...migrated } } : {}), ...(action ? { action: actionRecord(key, action) } : {}) };
    const said = { key, nodes: graph.nodes.length, version, ...warned(warnings), ...ofMigration };
    const changes = affected.map((step) => ({ ...step, versions: [...step.versions] }));
    if (isDryRun) return { ...said, dryRun: true as const, changes };
    return { ...said, ...(changes.length > 0 ? { changes } : {}) };
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/sequences/:key',
  scope: 'sequences:write',
  summary: 'Rename, pause, resume or archive a sequence',
  description:
    'The graph and its version stay. `paused` and `draft` hold the running enrollments before their next send, `active` lets them go on, ' +
    '`archived` ends them. An archived sequence can only become a draft. Answers with the `warnings` of PUT.',
  params: SequenceKeyParam,
  body: z
    .object({ name: SequenceName.nullish(), status: SequenceStatusName.nullish().meta({ description: 'Of an archived one only draft' }) })
    .meta({ id: 'SequenceChange', description: 'What is omitted stays as it is' }),
  status: 200,
  reply: z.object({ key: ReplyKey, name: SequenceName, status: SequenceStatusName, version: GraphVersion, warnings: Warnings }),
  errors: ['not_found', 'invalid_graph', 'invalid_status'],
  examples: examples.change,
  async handle(context, { params, body }) {
    const { project, now } = context;
    const { key } = params;
    const given = { name: body.name ?? undefined, status: body.status ?? undefined };
    const found = await changed(context, { projectId: project.id, key, ...given, graph: undefined, now: now() });
    const stored = found ?? notFound('sequence');
    const { name, status, version } = stored;
    return { key, name, status, version, ...warned(graphIssues(await warningsOf(context, stored))) };
  },
});

async function changed(context: KeyContext, change: SequenceChange): Promise<ChangedSequence | undefined> {
  const sequence = await changeSequence(context.em, change);
  if (sequence?.isEnding && !change.isDryRun) await endFirstRuns(context, sequence.id);
  return sequence;
}

/** Of two that create it at once the second makes the next version. */
async function created(context: KeyContext, change: SequenceChange & { readonly graph: SequenceGraph }): Promise<StoredSequence> {
  const { em, project, newId } = context;
  refuseStale('sequence', 0, change.ifVersion);
  if (!project.default_brand) throw noBrand();
  const { key, graph, name = key, status = 'draft' } = change;
  const problems = migrateProblems(change.migrating?.migrate ?? {}, graph, () => false);
  if (problems.length > 0) throw invalidMigrate(problems);
  const stored = { status, graph, version: FIRST_VERSION, affected: [], migrated: change.migrating && {}, action: undefined };
  if (change.isDryRun || (await createSequence(em, { ...change, id: newId(), name, status }))) return stored;
  return (await changed(context, change)) ?? notFound('sequence');
}

type StoredSequence = Pick<ChangedSequence, 'status' | 'graph' | 'version' | 'affected' | 'migrated' | 'action'>;

/** Of what would keep its mails from going out only while it is active. */
async function warningsOf(
  { em, project, registry, authoring }: KeyContext,
  { status, graph }: Pick<StoredSequence, 'status' | 'graph'>,
): Promise<SequenceWarning[]> {
  return sequenceWarnings(em, { project, registry, authoring, graph, isLive: status === 'active' });
}

const remove = defineRoute({
  method: 'delete',
  path: '/sequences/:key',
  scope: 'sequences:write',
  summary: 'Delete a sequence and its enrollments; nothing more is sent',
  params: SequenceKeyParam,
  status: 200,
  reply: z.object({ deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['not_found'],
  examples: examples.remove,
  async handle(context, { params }) {
    const { em, project } = context;
    const id = (await deleteSequence(em, project.id, params.key)) ?? notFound('sequence');
    await endFirstRuns(context, id);
    return { deleted: true as const };
  },
});

/** Batches of runs that the call itself ends; a worker ends the others. */
const BATCHES_IN_CALL = 2;

/** Nothing of the sequence is sent from here on. Of its runs the first have ended, too. */
async function endFirstRuns({ em, now }: KeyContext, sequenceId: string): Promise<void> {
  for (let batch = 0; batch < BATCHES_IN_CALL; batch++) if (!(await endSequenceRuns(em, sequenceId, { now: now() }))) break;
  await awaitMailsInFlight(em, { sequenceId });
}

const NO_ENROLLMENTS = { enrollments: { active: 0, completed: 0, cancelled: 0 }, failed_steps: 0 };

function flowGraph({ key, name, status, version, graph }: SequenceWithGraph): z.input<typeof FlowGraph> {
  const { triggers, nodes, edges, sendWindow, ...settings } = graph;
  return {
    ...{ key, version, name, status, ...settings, ...(sendWindow && { sendWindow: shownChoice(sendWindow) }) },
    ...{ triggers: [...triggers], nodes: [...nodes], edges: [...edges] },
  };
}

export const routes: readonly Route[] = [list, read, replace, change, remove];
