import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { SegmentFilter } from '../../domain/segments/segment.ts';

export const Segment = defineEntity({
  name: 'Segment',
  tableName: 'segments',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    label: p.text(),
    brand_id: p.text().strictNullable(),
    filter: p.json<SegmentFilter>(),
    version: p.integer().defaultRaw(`1`),
    created_at: p.datetime(3).defaultRaw(`now()`),
    updated_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SegmentRow = InferEntity<typeof Segment>;

/** A segment that was made, changed or deleted, until every run that may wait on it has been told. */
export const SegmentChange = defineEntity({
  name: 'SegmentChange',
  tableName: 'segment_changes',
  properties: (p) => ({
    project_id: p.uuid().primary(),
    /** As segmentKey writes it. */
    label: p.text().primary(),
    /** Runs up to this id have been told; null: none has. */
    told_to: p.uuid().strictNullable(),
  }),
});
export type SegmentChangeRow = InferEntity<typeof SegmentChange>;
