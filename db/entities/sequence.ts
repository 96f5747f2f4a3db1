import { defineEntity, type InferEntity } from '@mikro-orm/core';
import type { SegmentFilter } from '../../domain/segments/segment.ts';
import type { BulkStatus, SkippedByReason } from '../../domain/sequences/bulk-enrollment.ts';
import type { EnteredDate } from '../../domain/sequences/date-entry.ts';
import type { EndReason } from '../../domain/sequences/end-reason.ts';
import type { ActionStatus, EnrollmentActionName, Migrate, RunFilter } from '../../domain/sequences/enrollment-action.ts';
import type { SequenceGraph } from '../../domain/sequences/graph.ts';
import type { NodeKind } from '../../domain/sequences/kinds/node-kinds.ts';
import type { SequenceStatus } from '../../domain/sequences/statuses.ts';
import type { WaitingFor } from '../../domain/sequences/waiting-for.ts';

export const Sequence = defineEntity({
  name: 'Sequence',
  tableName: 'sequences',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    key: p.text(),
    name: p.text(),
    status: p.text().$type<SequenceStatus>(),
    version: p.integer(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    updated_at: p.datetime(3).defaultRaw(`now()`),
    archived_at: p.datetime(3).strictNullable(),
    deleted_at: p.datetime(3).strictNullable(),
    is_ending: p.boolean().defaultRaw(`false`),
  }),
});
export type SequenceRow = InferEntity<typeof Sequence>;

export const SequenceVersion = defineEntity({
  name: 'SequenceVersion',
  tableName: 'sequence_versions',
  properties: (p) => ({
    sequence_id: p.uuid().primary(),
    version: p.integer().primary(),
    graph: p.json<SequenceGraph>(),
    created_at: p.datetime(3).defaultRaw(`now()`),
  }),
});
export type SequenceVersionRow = InferEntity<typeof SequenceVersion>;

export const SequenceTrigger = defineEntity({
  name: 'SequenceTrigger',
  tableName: 'sequence_triggers',
  properties: (p) => ({
    sequence_id: p.uuid().primary(),
    project_id: p.uuid(),
    event_type: p.text().primary(),
    place: p.smallint().defaultRaw(`0`),
  }),
});
export type SequenceTriggerRow = InferEntity<typeof SequenceTrigger>;

/** A date by which a sequence is entered, or was. */
export const DateTrigger = defineEntity({
  name: 'DateTrigger',
  tableName: 'date_triggers',
  properties: (p) => ({
    id: p.uuid().primary().defaultRaw(`uuid_v7()`),
    project_id: p.uuid(),
    sequence_id: p.uuid(),
    /** As dateEntryName writes it: one row for each, however often it is turned on. */
    name: p.text(),
    rule: p.json<EnteredDate>(),
    /** When it was turned on: what is due before enrolls nobody. */
    since: p.datetime(3),
    /** When all contacts are looked at next; null: it is off. */
    look_at: p.datetime(3).strictNullable(),
    /** Since when they are being looked at, and the last that was; null: they are not. */
    look_began_at: p.datetime(3).strictNullable(),
    looked_to_at: p.datetime(3).strictNullable(),
    looked_to: p.uuid().strictNullable(),
    /** Since when it is off. */
    ended_at: p.datetime(3).strictNullable(),
  }),
});
export type DateTriggerRow = InferEntity<typeof DateTrigger>;

/** A contact that is due by a date, or was. */
export const DateEntry = defineEntity({
  name: 'DateEntry',
  tableName: 'date_entries',
  properties: (p) => ({
    trigger_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
    /** For which it is, like 2027-05-14. */
    date: p.text().primary(),
    due_at: p.datetime(3),
    /** When it was enrolled, or refused; null: it is still to come. */
    settled_at: p.datetime(3).strictNullable(),
  }),
});
export type DateEntryRow = InferEntity<typeof DateEntry>;

export const Enrollment = defineEntity({
  name: 'Enrollment',
  tableName: 'enrollments',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    sequence_id: p.uuid(),
    sequence_version: p.integer(),
    contact_id: p.uuid(),
    event_id: p.uuid().strictNullable(),
    status: p.text().$type<'active' | 'completed' | 'cancelled'>().defaultRaw(`'active'`),
    end_reason: p.text().$type<EndReason>().strictNullable(),
    current_node_id: p.text().strictNullable(),
    waiting_for: p.text().$type<WaitingFor>().strictNullable(),
    wakes_at: p.datetime(3).strictNullable(),
    held_at: p.datetime(3).strictNullable(),
    parent_id: p.uuid().strictNullable(),
    parent_step: p.integer().strictNullable(),
    depth: p.smallint().defaultRaw(`0`),
    /** The run that no subflow node entered, of all that came of it; null for that run itself. */
    root_id: p.uuid().strictNullable(),
    /** The sequences of the runs above it, down from the root. */
    ancestor_sequences: p.array().columnType('uuid[]').defaultRaw(`'{}'`),
    watches_contact: p.boolean().defaultRaw(`false`),
    hops: p.integer().defaultRaw(`0`),
    /** How many of its steps failed. */
    failed_steps: p.integer().defaultRaw(`0`),
    started_at: p.datetime(3).defaultRaw(`now()`),
    ended_at: p.datetime(3).strictNullable(),
    is_bulk: p.boolean().defaultRaw(`false`),
    /** Of one that was cancelled by itself, with the API. */
    cancelled_by_key_id: p.uuid().strictNullable(),
    /** Since when it makes one pass a minute: it took too many steps within one. */
    slowed_at: p.datetime(3).strictNullable(),
    /** A test key asked for it: none of its mails leaves. */
    sandboxed: p.boolean().defaultRaw(`false`),
    /** The last step that a move left: no mail of it or of one before it may go any more. */
    moved_step: p.integer().strictNullable(),
    /** When it began again after it had failed. */
    retried_at: p.datetime(3).strictNullable(),
  }),
});
export type EnrollmentRow = InferEntity<typeof Enrollment>;

export const EnrollmentStep = defineEntity({
  name: 'EnrollmentStep',
  tableName: 'enrollment_steps',
  properties: (p) => ({
    enrollment_id: p.uuid().primary(),
    step: p.integer().primary(),
    node_id: p.text(),
    visit: p.integer(),
    kind: p.text().$type<NodeKind>(),
    at: p.datetime(3).defaultRaw(`now()`),
    until: p.datetime(3).strictNullable(),
    outcome: p.text().strictNullable(),
    detail: p.text().strictNullable(),
    /** How long outages held the step up so far, in milliseconds. */
    outage_ms: p.bigint('number').defaultRaw(`0`),
    /** When it first met the frequency cap. */
    capped_at: p.datetime(3).strictNullable(),
  }),
});
export type EnrollmentStepRow = InferEntity<typeof EnrollmentStep>;

/** What has gathered at a visit to a digest. */
export const GatheredDigest = defineEntity({
  name: 'GatheredDigest',
  tableName: 'digests',
  properties: (p) => ({
    enrollment_id: p.uuid().primary(),
    step: p.integer().primary(),
    /** What its events have in common; null: nothing that tells them from others. */
    key: p.text().strictNullable(),
    count: p.integer(),
    /** The latest of them, oldest first. */
    event_ids: p.array().columnType('uuid[]'),
  }),
});
export type GatheredDigestRow = InferEntity<typeof GatheredDigest>;

/** An event that came while a run was under way and no digest of it was open. */
export const KeptEvent = defineEntity({
  name: 'KeptEvent',
  tableName: 'kept_events',
  properties: (p) => ({
    enrollment_id: p.uuid().primary(),
    /** The order in which they came. */
    place: p.integer().primary(),
    event_id: p.uuid(),
  }),
});

/** In which version of its graph a run was, up to a step, before it was moved to another. */
export const EnrollmentMove = defineEntity({
  name: 'EnrollmentMove',
  tableName: 'enrollment_moves',
  properties: (p) => ({
    enrollment_id: p.uuid().primary(),
    /** The last one in the version; 0: the run had not come to any. */
    step: p.integer().primary(),
    version: p.integer(),
  }),
});

/** When a run passes a throttle. */
export const ThrottlePass = defineEntity({
  name: 'ThrottlePass',
  tableName: 'throttle_passes',
  properties: (p) => ({
    enrollment_id: p.uuid().primary(),
    step: p.integer().primary(),
    project_id: p.uuid(),
    contact_id: p.uuid(),
    sequence_id: p.uuid(),
    node_id: p.text(),
    sandboxed: p.boolean(),
    at: p.datetime(3),
  }),
});
export type ThrottlePassRow = InferEntity<typeof ThrottlePass>;

/** An enrollment of all members of a segment. */
export const BulkEnrollment = defineEntity({
  name: 'BulkEnrollment',
  tableName: 'bulk_enrollments',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    sequence_id: p.uuid(),
    status: p.text().$type<BulkStatus>().defaultRaw(`'running'`),
    /** The segment as it was when it was asked for. */
    label: p.text(),
    filter: p.json<SegmentFilter>(),
    brand_id: p.text().strictNullable(),
    total: p.integer(),
    enrolled: p.integer().defaultRaw(`0`),
    skipped: p.json<SkippedByReason>().defaultRaw(`'{}'`),
    after_created_at: p.datetime(3).strictNullable(),
    after_id: p.uuid().strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    ended_at: p.datetime(3).strictNullable(),
  }),
});
export type BulkEnrollmentRow = InferEntity<typeof BulkEnrollment>;

/** What is done with many runs by one call. */
export const EnrollmentAction = defineEntity({
  name: 'EnrollmentAction',
  tableName: 'enrollment_actions',
  properties: (p) => ({
    id: p.uuid().primary(),
    project_id: p.uuid(),
    sequence_id: p.uuid(),
    action: p.text().$type<EnrollmentActionName>(),
    status: p.text().$type<ActionStatus>().defaultRaw(`'running'`),
    filter: p.json<RunFilter>(),
    /** Of a move: where to. */
    to_node: p.text().strictNullable(),
    /** Of a migration. */
    migrate: p.json<Migrate>().strictNullable(),
    /** In which version of the graph its runs go on. */
    to_version: p.integer().strictNullable(),
    /** Which key asked for it. */
    key_id: p.uuid().strictNullable(),
    /** Runs that matched when it was asked for. */
    total: p.integer(),
    done: p.integer().defaultRaw(`0`),
    skipped: p.integer().defaultRaw(`0`),
    /** The last run that was looked at. */
    after_id: p.uuid().strictNullable(),
    created_at: p.datetime(3).defaultRaw(`now()`),
    ended_at: p.datetime(3).strictNullable(),
  }),
});
export type EnrollmentActionRow = InferEntity<typeof EnrollmentAction>;

/** A run that an action has before it. */
export const EnrollmentActionRun = defineEntity({
  name: 'EnrollmentActionRun',
  tableName: 'enrollment_action_runs',
  properties: (p) => ({
    action_id: p.uuid().primary(),
    enrollment_id: p.uuid().primary(),
  }),
});
