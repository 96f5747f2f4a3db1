import * as z from 'zod';
import type { BulkEnrollmentRow } from '../../../db/entities/index.ts';
import { countMatching, findSegment } from '../../../db/queries/segments/segments.ts';
import { findBulk, listBulk } from '../../../db/queries/sequences/bulk-enrollments.ts';
import { findSequence, type SequenceWithGraph } from '../../../db/queries/sequences/sequences.ts';
import { notFound, Refusal, unknownSegment } from '../../../domain/errors.ts';
import { BULK_STATUSES, countSkipped } from '../../../domain/sequences/bulk-enrollment.ts';
import { beginBulk, cancelBulk } from '../../../usecases/sequences/enroll-segment.ts';
import { bulkWorkflowId } from '../../../workflows/contracts.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/bulk-enrollment-examples.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
import { CreatedAt, Cursor, Id, Limit, NextCursor, PathId, Timestamp } from '../../schemas.ts';
import { SequenceKey, SequenceKeyParam } from '../../sequence-schemas.ts';
import { ENROLL_REFUSALS, EnrollRefusalName } from './enrollments.ts';

const BulkPath = z.object({ key: SequenceKey, id: PathId.meta({ description: "The bulk enrollment's id" }) });

const BulkRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    sequence_key: z.string().meta({ description: 'The key of its sequence' }),
    segment: z.string().meta({ description: 'The label of the segment when it was asked for' }),
    status: z.enum(BULK_STATUSES).meta({ description: '`cancelled`: by DELETE, by an operator, or since the sequence was archived' }),
    total: z.int().meta({ description: 'In the segment when it was asked for' }),
    enrolled: z.int().meta({ description: 'New enrollments so far' }),
    skipped: z.int().meta({ description: 'Refused so far' }),
    reasons: z.partialRecord(EnrollRefusalName, z.int()).meta({ description: 'How many were skipped for each reason' }),
    created_at: CreatedAt,
    ended_at: Timestamp.nullable().meta({ description: 'null: it runs' }),
    workflow_id: z.string().meta({ description: 'The workflow id in Temporal' }),
  })
  .meta({ id: 'BulkEnrollment', description: 'The enrollment of all members of a segment' });

function bulkRecord({ key }: Pick<SequenceWithGraph, 'key'>, bulk: BulkEnrollmentRow): z.output<typeof BulkRecord> {
  const { id, status, label, total, enrolled, skipped, created_at, ended_at } = bulk;
  return {
    ...{ id, sequence_key: key, segment: label, status, total, enrolled, skipped: countSkipped(skipped), reasons: skipped },
    ...{ created_at, ended_at, workflow_id: bulkWorkflowId(id) },
  };
}

async function sequenceOf({ em, project }: KeyContext, key: string): Promise<SequenceWithGraph> {
  return (await findSequence(em, project.id, key)) ?? notFound('sequence');
}

const begin = defineRoute({
  method: 'post',
  path: '/sequences/:key/bulk-enrollments',
  scope: 'sequences:write',
  summary: 'Enroll all members of a segment',
  description:
    'It is answered at once and goes on by itself, whatever process dies: each member by the rules of a single enrollment, in the order in which they became ' +
    'contacts, by the filter that the segment has now. While the sequence is paused it waits; archiving the sequence cancels it. One at a time for ' +
    'each sequence, else `invalid_status`; a sequence that is a draft or archived is `enroll_failed`.',
  params: SequenceKeyParam,
  body: z
    .object({ segmentId: Id.meta({ description: "The segment's id" }) })
    .meta({ id: 'BulkEnrollmentInput', description: 'Of which segment' }),
  status: 201,
  reply: z.object({ bulk: BulkRecord }),
  errors: ['not_found', 'unknown_segment', 'enroll_failed', 'invalid_status'],
  idempotency: 'stored',
  examples: examples.begin,
  async handle(context, { params, body }) {
    const { em, project, newId } = context;
    const sequence = await sequenceOf(context, params.key);
    if (sequence.status !== 'active' && sequence.status !== 'paused') {
      const reason = 'sequence_not_active';
      throw new Refusal('enroll_failed', ENROLL_REFUSALS[reason], { body: { reason } });
    }
    const segment = (await findSegment(em, project.id, body.segmentId)) ?? unknownSegment();
    const { label, filter, brand_id } = segment;
    const total = await countMatching(em, segment);
    const asked = { id: newId(), project_id: project.id, sequence_id: sequence.id, label, filter, brand_id, total };
    return { bulk: bulkRecord(sequence, await em.transactional((tx) => beginBulk(tx, asked))) };
  },
});

const list = defineRoute({
  method: 'get',
  path: '/sequences/:key/bulk-enrollments',
  scope: 'sequences:read',
  summary: 'List the enrollments of whole segments, the newest first',
  params: SequenceKeyParam,
  query: z.object({ limit: Limit, cursor: Cursor.optional() }),
  status: 200,
  reply: z.object({ bulks: z.array(BulkRecord).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.list,
  async handle(context, { params, query }) {
    const { em, project, vault } = context;
    const sequence = await sequenceOf(context, params.key);
    const scope = { projectId: project.id, list: `bulk enrollments ${sequence.id}`, filter: {} };
    const from = readCursor(vault, scope, query.cursor);
    const page = await listBulk(em, sequence.id, { limit: query.limit, from, direction: 'next' });
    return { bulks: page.rows.map((bulk) => bulkRecord(sequence, bulk)), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/sequences/:key/bulk-enrollments/:id',
  scope: 'sequences:read',
  summary: 'How far the enrollment of a whole segment is',
  params: BulkPath,
  status: 200,
  reply: z.object({ bulk: BulkRecord }),
  errors: ['not_found'],
  examples: examples.read,
  async handle(context, { params }) {
    const sequence = await sequenceOf(context, params.key);
    return { bulk: bulkRecord(sequence, (await findBulk(context.em, sequence.id, params.id)) ?? notFound('bulk enrollment')) };
  },
});

const cancel = defineRoute({
  method: 'delete',
  path: '/sequences/:key/bulk-enrollments/:id',
  scope: 'sequences:write',
  summary: 'Cancel the enrollment of a whole segment; who was enrolled stays so',
  description: 'After the answer nobody more is enrolled by it. One that has ended is 404, as a run is that has.',
  params: BulkPath,
  status: 200,
  reply: z.object({ bulk: BulkRecord }),
  errors: ['not_found'],
  examples: examples.cancel,
  async handle(context, { params }) {
    const { em, project } = context;
    const sequence = await sequenceOf(context, params.key);
    const found = (await findBulk(em, sequence.id, params.id)) ?? notFound('bulk enrollment');
    if (!(await cancelBulk(em, { id: found.id, project_id: project.id }))) notFound('running bulk enrollment');
    return { bulk: bulkRecord(sequence, (await findBulk(em, sequence.id, params.id)) ?? notFound('bulk enrollment')) };
  },
});

export const routes: readonly Route[] = [begin, list, read, cancel];
