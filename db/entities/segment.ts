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
