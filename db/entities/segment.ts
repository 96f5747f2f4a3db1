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

/** A segment whose members an active sequence enrolls as they become members. */
export const SegmentTrigger = defineEntity({
  name: 'SegmentTrigger',
  tableName: 'segment_triggers',
  properties: (p) => ({
    /** One for each time that it is turned on. */
    id: p.uuid().primary().defaultRaw(`uuid_v7()`),
    project_id: p.uuid(),
    sequence_id: p.uuid(),
    /** As segmentKey writes it. */
    label: p.text(),
    /** When all contacts are compared with the members next; null: not before the segment changes. */
    look_at: p.datetime(3).strictNullable(),
    /** Since when they are being compared, and the last that was; null: they are not. */
    look_began_at: p.datetime(3).strictNullable(),
    looked_to_at: p.datetime(3).strictNullable(),
    looked_to: p.uuid().strictNullable(),
    /** It enrolls nobody any more, and its members are to be removed. */
    ended_at: p.datetime(3).strictNullable(),
  }),
});
export type SegmentTriggerRow = InferEntity<typeof SegmentTrigger>;

/** Who was a member when the trigger was last compared with the contact. */
export const SegmentTriggerMember = defineEntity({
  name: 'SegmentTriggerMember',
  tableName: 'segment_trigger_members',
  properties: (p) => ({
    trigger_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
  }),
});

/** A contact about whom something has changed, in a project with segment triggers. */
export const MembershipCheck = defineEntity({
  name: 'MembershipCheck',
  tableName: 'membership_checks',
  properties: (p) => ({
    id: p.bigint('number').primary(),
    project_id: p.uuid(),
    contact_id: p.uuid(),
    /** A test key made the change. */
    sandboxed: p.boolean(),
  }),
});
export type MembershipCheckRow = InferEntity<typeof MembershipCheck>;
