import * as z from 'zod';
import { type ActionOn, countRunsFor, findAction, listActions } from '../../../db/queries/sequences/enrollment-actions.ts';
import { findSequence, loadGraph, lockSequence, type SequenceWithGraph } from '../../../db/queries/sequences/sequences.ts';
import { notFound, Refusal } from '../../../domain/errors.ts';
import type { RunFilter } from '../../../domain/sequences/enrollment-action.ts';
import { standingProblem } from '../../../domain/sequences/graph-changes.ts';
import { NodeId } from '../../../domain/sequences/kinds/kind.ts';
import { withoutUndefined } from '../../../domain/without-undefined.ts';
import { beginAction, cancelAction } from '../../../usecases/sequences/act-on-runs.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import { actionRecord, EnrollmentActionRecord, RunActionName } from '../../enrollment-action-records.ts';
import * as examples from '../../examples/enrollment-action-examples.ts';
import { Answer, defineRoute, type KeyContext, type Route } from '../../route.ts';
import { RunFilterInput } from '../../run-schemas.ts';
import { Cursor, DryRun, Limit, NextCursor, PathId } from '../../schemas.ts';
import { SequenceKey, SequenceKeyParam } from '../../sequence-schemas.ts';

const ActionPath = z.object({ key: SequenceKey, id: PathId.meta({ description: "The action's id" }) });
const OneAction = z.object({ action: EnrollmentActionRecord });

async function sequenceOf({ em, project }: KeyContext, key: string): Promise<SequenceWithGraph> {
  return (await findSequence(em, project.id, key)) ?? notFound('sequence');
}

const begin = defineRoute({
  method: 'post',
  path: '/sequences/:key/enrollments/actions',
  scope: 'sequences:write',
  summary: 'Move, cancel, resume or retry all runs that match',
  description:
    'It is answered at once with 202 and goes on by itself, whatever process dies. The runs that match at that moment are taken one after the other, each ' +
    'once; one that does not match any more when its turn comes is skipped. With `dryRun` nothing is done, and the answer is 200 with their number. ' +
    'At most ten at a time for each sequence, else `invalid_status`; so is one of an archived sequence.',
  params: SequenceKeyParam,
  query: z.object({ dryRun: DryRun }),
  body: z
    .strictObject({
      action: RunActionName,
      filter: RunFilterInput,
      to: NodeId.nullish().meta({
        description: 'A node of the current version. A move requires it; of a retry the runs go on there, and not where they failed',
      }),
      dryRun: z.boolean().nullish().meta({ description: 'true: nothing is done, and the answer says how many match' }),
    })
    .refine(({ action, to }) => (to ? action === 'move' || action === 'retry' : action !== 'move'), {
      error: 'a move says where to, and a retry may; nothing else does',
      path: ['to'],
    })
    .meta({ id: 'EnrollmentActionInput', description: 'What is done with which runs' }),
  status: 200,
  reply: z.object({
    dryRun: z.literal(true).meta({ description: 'Nothing was done' }),
    count: z.int().meta({ description: 'Runs that match now' }),
  }),
  accepted: OneAction,
  errors: ['not_found', 'invalid_status'],
  idempotency: 'stored',
  examples: examples.begin,
  async handle({ em, project, keyId, newId }, { params, query, body }) {
    const { action } = body;
    const filter = keptFilter(body.filter);
    return em.transactional(async (tx) => {
      // So that the node is there as long as it takes to ask for it.
      const sequence = (await lockSequence(tx, project.id, params.key)) ?? notFound('sequence');
      if (sequence.status === 'archived') throw new Refusal('invalid_status', 'an archived sequence has no runs that go on');
      const graph = await loadGraph(tx, sequence.id, sequence.version);
      const problem = body.to ? standingProblem(graph, body.to) : undefined;
      if (problem) throw new Refusal('invalid_request', `to: ${problem}`, { body: { issues: [{ path: 'to', message: problem }] } });
      const destination = { to_node: body.to ?? null, to_version: body.to ? sequence.version : null };
      const on: ActionOn = { sequence_id: sequence.id, action, filter, migrate: null, ...destination };
      if (body.dryRun || query.dryRun) return { dryRun: true as const, count: await countRunsFor(tx, on) };
      const begun = await beginAction(tx, { id: newId(), project_id: project.id, key_id: keyId, ...on });
      return new Answer(202, { ok: true, action: z.encode(EnrollmentActionRecord, actionRecord(sequence.key, begun)) });
    });
  },
});

/** What is null is not asked for. */
function keptFilter(filter: z.output<typeof RunFilterInput>): RunFilter {
  return withoutUndefined(Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, value ?? undefined]))) as RunFilter;
}

const list = defineRoute({
  method: 'get',
  path: '/sequences/:key/enrollments/actions',
  scope: 'sequences:read',
  summary: 'List what was done with many runs at once, the newest first',
  params: SequenceKeyParam,
  query: z.object({ limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({ actions: z.array(EnrollmentActionRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.list,
  async handle(context, { params, query }) {
    const { em, project, vault } = context;
    const sequence = await sequenceOf(context, params.key);
    const scope = { projectId: project.id, list: `enrollment actions ${sequence.id}`, filter: {} };
    const from = readCursor(vault, scope, query.cursor);
    const page = await listActions(em, sequence.id, { limit: query.limit, from, direction: 'next' });
    return { actions: page.rows.map((row) => actionRecord(sequence.key, row)), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/sequences/:key/enrollments/actions/:id',
  scope: 'sequences:read',
  summary: 'How far it is',
  params: ActionPath,
  status: 200,
  reply: OneAction,
  errors: ['not_found'],
  examples: examples.read,
  async handle(context, { params }) {
    const sequence = await sequenceOf(context, params.key);
    return { action: actionRecord(sequence.key, (await findAction(context.em, sequence.id, params.id)) ?? notFound('action')) };
  },
});

const cancel = defineRoute({
  method: 'post',
  path: '/sequences/:key/enrollments/actions/:id/cancel',
  scope: 'sequences:write',
  summary: 'Cancel what is done with many runs; what was done stays',
  description: 'After the answer no further run is touched by it. One that has ended is 404, as a run is that has.',
  params: ActionPath,
  status: 200,
  reply: OneAction,
  errors: ['not_found'],
  examples: examples.cancel,
  async handle(context, { params }) {
    const { em } = context;
    const sequence = await sequenceOf(context, params.key);
    const found = (await findAction(em, sequence.id, params.id)) ?? notFound('action');
    if (!(await cancelAction(em, found.id))) notFound('running action');
    return { action: actionRecord(sequence.key, (await findAction(em, sequence.id, params.id)) ?? notFound('action')) };
  },
});

export const routes: readonly Route[] = [begin, list, read, cancel];
