import * as z from 'zod';
import {
  countMailable,
  countMatching,
  findSegment,
  listQuickly,
  listSegmentContacts,
  listSegments,
} from '../../../db/queries/segments/segments.ts';
import { withSuppressions } from '../../../db/queries/suppressions/suppressions.ts';
import { notFound } from '../../../domain/errors.ts';
import { SegmentFilter, StoredSegmentFilter } from '../../../domain/segments/segment.ts';
import { MAX_LABEL_LENGTH } from '../../../domain/segments/segment-label.ts';
import { deleteSegment } from '../../../usecases/segments/delete-segment.ts';
import { changeSegment, createSegment } from '../../../usecases/segments/save-segment.ts';
import { requireBrand } from '../../brand.ts';
import { readCursor, writeCursor } from '../../cursor.ts';
import * as examples from '../../examples/segment-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { BrandSlug, CreatedAt, Cursor, FilterText, IfVersion, Limit, NextCursor, PathId, Timestamp, TopicKey } from '../../schemas.ts';
import { requireTopic, requireTopicsOf } from '../../topic.ts';
import { ContactStatus, ListedContact } from '../contacts/contacts.ts';

const SegmentPath = z.object({ id: PathId.meta({ description: "The segment's id" }) });

const Label = z
  .string()
  .trim()
  .min(1, { error: `1 to ${MAX_LABEL_LENGTH} characters` })
  .max(MAX_LABEL_LENGTH, { error: `1 to ${MAX_LABEL_LENGTH} characters` })
  .meta({ pattern: '\\S', description: 'Names it; spaces around it do not count' });

const SegmentRecord = z
  .object({
    id: z.uuid().meta({ description: 'Stays the same for good' }),
    label: z.string().meta({ description: 'Unique in the project, without regard to case' }),
    brand_id: z.string().nullable().meta({ description: 'Only contacts of this brand; null: of all' }),
    filter: StoredSegmentFilter,
    version: z.int().meta({ description: 'Goes up with each change; for `ifVersion` of PATCH' }),
    count: z.int().meta({ description: 'Counted when asked' }),
    created_at: CreatedAt,
    updated_at: Timestamp.meta({ description: 'When label or filter last changed' }),
  })
  .meta({ id: 'Segment', description: 'A saved audience' });

const UncountedSegment = SegmentRecord.omit({ count: true }).meta({ id: 'UncountedSegment', description: 'A saved audience, not counted' });

const list = defineRoute({
  method: 'get',
  path: '/segments',
  scope: 'segments:read',
  summary: 'List segments, each counted now',
  description:
    'How many contacts there are of each status and with each tag is kept, so segments of everybody, of statuses and of one tag are counted ' +
    'at once. Others (several tags, a source, `where`, a brand) take up to a second for each million contacts; `counts=kept` lists those apart, uncounted.',
  query: z.object({
    counts: z.enum(['all', 'kept']).default('all').meta({ description: 'kept: segments that would take time are not counted' }),
  }),
  status: 200,
  reply: z.object({
    segments: z
      .array(SegmentRecord)
      .meta({ description: 'All of them, or with `counts=kept` those whose number is kept; the newest first' }),
    uncounted: z
      .array(UncountedSegment)
      .optional()
      .meta({ description: 'Only with `counts=kept`: the others, the newest first. GET /segments/:id counts one' }),
  }),
  examples: examples.list,
  async handle({ em, project }, { query }) {
    if (query.counts === 'all') return { segments: await listSegments(em, project.id) };
    return listQuickly(em, project.id);
  },
});

const create = defineRoute({
  method: 'post',
  path: '/segments',
  scope: 'contacts:write',
  summary: 'Save an audience filter',
  description: 'The filter is evaluated whenever it is used, so membership is always current. Labels are unique without regard to case.',
  body: z
    .object({
      label: Label,
      filter: SegmentFilter.nullish().meta({ description: '{} when omitted: all contacts' }),
      brand: BrandSlug.nullish().meta({ description: 'Only contacts of this brand' }),
    })
    .meta({ id: 'SegmentInput', description: 'A saved audience' }),
  status: 201,
  reply: z.object({ segment: SegmentRecord }),
  errors: ['invalid_request', 'duplicate_label'],
  examples: examples.create,
  async handle({ em, project, now, newId }, { body }) {
    const brand = body.brand ?? null;
    await requireBrand(em, project.id, brand);
    const { label } = body;
    const filter = given(body.filter);
    await requireTopicsOf(em, project.id, filter);
    return { segment: await createSegment(em, { id: newId(), projectId: project.id, label, filter, brand, now: now() }) };
  },
});

const read = defineRoute({
  method: 'get',
  path: '/segments/:id',
  scope: 'segments:read',
  summary: 'Read one segment, counted now',
  params: SegmentPath,
  status: 200,
  reply: z.object({ segment: SegmentRecord }),
  errors: ['not_found'],
  examples: examples.read,
  async handle({ em, project }, { params }) {
    const segment = (await findSegment(em, project.id, params.id)) ?? notFound('segment');
    return { segment: { ...segment, count: await countMatching(em, segment) } };
  },
});

/** Which members a list has. */
export const MemberFilters = {
  status: ContactStatus.optional(),
  tag: FilterText.optional().meta({ description: 'One that they carry' }),
  q: FilterText.optional().meta({ description: 'Part of the email or of a name, without regard to case' }),
};

const members = defineRoute({
  method: 'get',
  path: '/segments/:id/contacts',
  scope: 'contacts:read',
  summary: 'List the contacts that are in a segment now, newest first',
  params: SegmentPath,
  query: z.object({
    ...MemberFilters,
    limit: Limit,
    cursor: Cursor.optional(),
  }),
  status: 200,
  reply: z.object({ contacts: z.array(ListedContact).meta({ description: 'This page' }), nextCursor: NextCursor }),
  errors: ['not_found', 'invalid_cursor'],
  examples: examples.contacts,
  async handle({ em, project, vault }, { params, query }) {
    const segment = (await findSegment(em, project.id, params.id)) ?? notFound('segment');
    const { limit, cursor, ...filter } = query;
    const scope = { projectId: project.id, list: `segment ${segment.id}`, filter };
    const from = readCursor(vault, scope, cursor);
    const page = await listSegmentContacts(em, segment, filter, { limit, from, direction: 'next' });
    return { contacts: await withSuppressions(em, project.id, page.rows), nextCursor: writeCursor(vault, scope, page.next) };
  },
});

/** Enough to see whether a filter means what it should. */
const SAMPLE = 10;

const preview = defineRoute({
  method: 'post',
  path: '/segments/preview',
  scope: 'contacts:read',
  summary: 'Count what a filter matches now, with a sample',
  description: `Nothing is saved. \`sample\` has the newest ${SAMPLE} contacts that match.`,
  body: z
    .object({
      filter: SegmentFilter.nullish().meta({ description: '{} when omitted: all contacts' }),
      brand: BrandSlug.nullish().meta({ description: 'Only contacts of this brand' }),
      topic: TopicKey.nullish().meta({ description: 'Of `mailable` only those who have this topic on' }),
      mailable: z.boolean().nullish().meta({ description: 'true: those who would get a campaign are counted, too, which takes longer' }),
    })
    .meta({ id: 'SegmentPreview', description: 'Whom to count' }),
  status: 200,
  reply: z.object({
    count: z.int().meta({ description: 'All that match' }),
    mailable: z.int().nullable().meta({
      description: 'Those of them who have not unsubscribed, not bounced and are not suppressed; null: it was not asked for',
    }),
    sample: z.array(ListedContact).meta({ description: 'The newest of them' }),
  }),
  errors: ['invalid_request'],
  takesTestKeys: true,
  examples: examples.preview,
  async handle({ em, project }, { body }) {
    const brand = body.brand ?? null;
    await requireBrand(em, project.id, brand);
    await requireTopic(em, project.id, body.topic);
    const filter = given(body.filter);
    await requireTopicsOf(em, project.id, filter);
    const segment = { project_id: project.id, filter, brand_id: brand };
    const { rows: newest } = await listSegmentContacts(em, segment, {}, { limit: SAMPLE, from: undefined, direction: 'next' });
    const sample = await withSuppressions(em, project.id, newest);
    return {
      count: await countMatching(em, segment),
      mailable: body.mailable ? await countMailable(em, segment, body.topic ?? null) : null,
      sample,
    };
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/segments/:id',
  scope: 'contacts:write',
  summary: 'Rename a segment or replace its filter',
  description: 'Each change is the next `version`. With `ifVersion` nothing is changed when somebody else has changed it since.',
  params: SegmentPath,
  query: z.object({ ifVersion: IfVersion }),
  body: z
    .object({ label: Label.nullish(), filter: SegmentFilter.nullish().meta({ description: 'In place of the one before' }) })
    .meta({ id: 'SegmentChange', description: 'What is omitted stays as it is' }),
  status: 200,
  reply: z.object({ segment: SegmentRecord }),
  errors: ['invalid_request', 'duplicate_label', 'segment_in_use', 'version_conflict', 'not_found'],
  examples: examples.change,
  async handle({ em, project, now }, { params, query, body }) {
    const filter = body.filter ? given(body.filter) : undefined;
    if (filter) await requireTopicsOf(em, project.id, filter);
    const change = { label: body.label ?? undefined, filter, ifVersion: query.ifVersion, now: now() };
    const changed = await changeSegment(em, project.id, params.id, change);
    return { segment: changed ?? notFound('segment') };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/segments/:id',
  scope: 'contacts:write',
  summary: 'Delete a segment; its contacts are untouched',
  description: 'Refused with `segment_in_use` while a sequence that is not archived has it as its trigger; `sequences` says which.',
  params: SegmentPath,
  status: 200,
  reply: z.object({ id: z.uuid().meta({ description: 'What it was' }), deleted: z.literal(true).meta({ description: 'It is gone' }) }),
  errors: ['segment_in_use', 'not_found'],
  examples: examples.remove,
  async handle({ em, project }, { params }) {
    if (!(await deleteSegment(em, project.id, params.id))) notFound('segment');
    return { id: params.id, deleted: true as const };
  },
});

/** null is the same as omitting (docs/contract/http.md 14) and is not kept. */
function given(filter: SegmentFilter | null | undefined): SegmentFilter {
  return Object.fromEntries(Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined));
}

export const routes: readonly Route[] = [list, create, read, change, remove, members, preview];
