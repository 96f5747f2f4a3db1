import * as z from 'zod';
import { changeSegment, createSegment, deleteSegment, findSegment, listSegments } from '../../db/queries/segments.ts';
import { notFound } from '../../domain/errors.ts';
import { SegmentFilter } from '../../domain/segment.ts';
import { requireBrand } from '../brand.ts';
import { defineRoute } from '../route.ts';
import { BrandSlug, PathId, Timestamp } from '../schemas.ts';

const Label = z
  .string()
  .trim()
  .min(1, { error: '1 to 100 characters' })
  .max(100, { error: '1 to 100 characters' })
  .meta({ pattern: '\\S', description: 'Spaces around it do not count' });

const SegmentRecord = z
  .object({
    id: z.uuid(),
    label: z.string(),
    brand_id: z.string().nullable(),
    filter: SegmentFilter,
    count: z.int().meta({ description: 'Counted when asked' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Segment' });

export const list = defineRoute({
  method: 'get',
  path: '/segments',
  scope: 'any key',
  summary: 'List segments, each counted now',
  status: 200,
  reply: z.object({ segments: z.array(SegmentRecord) }),
  async handle({ em, project }) {
    return { segments: await listSegments(em, project.id) };
  },
});

export const create = defineRoute({
  method: 'post',
  path: '/segments',
  scope: 'contacts:write',
  summary: 'Save an audience filter',
  description: 'The filter is evaluated whenever it is used, so membership is always current. Labels are unique without regard to case.',
  body: z
    .object({
      label: Label,
      filter: SegmentFilter.nullish(),
      brand: BrandSlug.nullish().meta({ description: 'Only contacts of this brand' }),
    })
    .meta({ id: 'SegmentInput' }),
  status: 201,
  reply: z.object({ segment: SegmentRecord }),
  errors: ['invalid_request', 'duplicate_label'],
  async handle({ em, project, now, newId }, { body }) {
    const brand = body.brand ?? null;
    await requireBrand(em, project.id, brand);
    const { label } = body;
    return {
      segment: await createSegment(em, { id: newId(), projectId: project.id, label, filter: given(body.filter), brand, now: now() }),
    };
  },
});

export const read = defineRoute({
  method: 'get',
  path: '/segments/:id',
  scope: 'any key',
  summary: 'Read one segment, counted now',
  params: z.object({ id: PathId }),
  status: 200,
  reply: z.object({ segment: SegmentRecord }),
  errors: ['not_found'],
  async handle({ em, project }, { params }) {
    return { segment: (await findSegment(em, project.id, params.id)) ?? notFound('segment') };
  },
});

export const change = defineRoute({
  method: 'patch',
  path: '/segments/:id',
  scope: 'contacts:write',
  summary: 'Rename a segment or replace its filter',
  params: z.object({ id: PathId }),
  body: z.object({ label: Label.nullish(), filter: SegmentFilter.nullish() }).meta({ id: 'SegmentChange' }),
  status: 200,
  reply: z.object({ segment: SegmentRecord }),
  errors: ['invalid_request', 'duplicate_label', 'not_found'],
  async handle({ em, project, now }, { params, body }) {
    const filter = body.filter ? given(body.filter) : undefined;
    const changed = await changeSegment(em, project.id, params.id, { label: body.label ?? undefined, filter, now: now() });
    return { segment: changed ?? notFound('segment') };
  },
});

export const remove = defineRoute({
  method: 'delete',
  path: '/segments/:id',
  scope: 'contacts:write',
  summary: 'Delete a segment; its contacts are untouched',
  params: z.object({ id: PathId }),
  status: 200,
  reply: z.object({ id: z.uuid(), deleted: z.literal(true) }),
  errors: ['not_found'],
  async handle({ em, project }, { params }) {
    if (!(await deleteSegment(em, project.id, params.id))) notFound('segment');
    return { id: params.id, deleted: true as const };
  },
});

/** null is the same as omitting (decisions.md 1.4) and is not kept. */
function given(filter: SegmentFilter | null | undefined): SegmentFilter {
  return Object.fromEntries(Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined));
}
