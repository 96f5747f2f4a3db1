import type * as z from 'zod';
import { segmentKey } from '../conditions/needs.ts';
import type { WindowChoice } from '../send-window.ts';
import type { EnteredDate } from './date-entry.ts';
import type { FrequencyCap } from './frequency-cap.ts';
import type { SequenceNode } from './kinds/node-kinds.ts';
import type { Goal as GoalSchema, GraphEdge, Trigger as TriggerSchema } from './schema.ts';
import type { Reentry } from './statuses.ts';

export type Trigger = z.output<typeof TriggerSchema>;

/** Met at any moment while an enrollment is active, it ends the enrollment. At least one of the two. */
export type Goal = z.output<typeof GoalSchema>;

export type Edge = z.output<typeof GraphEdge>;

/** What one version of a sequence does; immutable once an enrollment runs on it. */
export interface SequenceGraph {
  readonly reentry: Reentry;
  /** Hours since the last start before a contact may enter again. */
  readonly cooldownHours: number | null;
  readonly goal: Goal | null;
  readonly frequencyCap: FrequencyCap | null;
  /** Absent: the project's. */
  readonly sendWindow?: NonNullable<WindowChoice> | undefined;
  readonly triggers: readonly Trigger[];
  readonly nodes: readonly SequenceNode[];
  readonly edges: readonly Edge[];
}

/** The event types whose arrival enrolls a contact, as far as a trigger's `match` agrees. */
export function triggerTypes({ triggers }: Pick<SequenceGraph, 'triggers'>): string[] {
  return [...new Set(triggers.flatMap((trigger) => (trigger.enabled && trigger.kind === 'event' ? [trigger.config.type] : [])))];
}

/** The segments whose members are enrolled as they become members, as segmentKey writes them. */
export function triggerSegments({ triggers }: Pick<SequenceGraph, 'triggers'>): string[] {
  const labels = triggers.flatMap((trigger) => (trigger.enabled && trigger.kind === 'segment' ? [trigger.config.segment] : []));
  return [...new Set(labels.map(segmentKey))];
}

/** The dates by which contacts are enrolled. */
export function triggerDates({ triggers }: Pick<SequenceGraph, 'triggers'>): EnteredDate[] {
  return triggers.flatMap((trigger) => (trigger.enabled && trigger.kind === 'date' ? [trigger.config] : []));
}

/** Whether something about the contact, and not only an event or the clock, may move an enrollment on. */
export function watchesContact({ goal }: Pick<SequenceGraph, 'goal'>): boolean {
  return goal?.condition !== undefined;
}

/** Whether events of the sequence are gathered. */
export function hasDigest({ nodes }: Pick<SequenceGraph, 'nodes'>): boolean {
  return nodes.some(({ kind }) => kind === 'digest');
}

/**
 * Whether a run that an event begins is walked to where it first stands by whoever accepts the event, rather than by its workflow: so the event after it
 * finds the digest open, or comes to the throttle after it.
 */
export function isWalkedAtOnce({ nodes }: Pick<SequenceGraph, 'nodes'>): boolean {
  return nodes.some(({ kind }) => kind === 'digest' || kind === 'throttle');
}

/** Where a run begins: the one trigger node. */
export function entryNode({ nodes }: SequenceGraph): SequenceNode | undefined {
  return nodes.find(({ kind }) => kind === 'trigger');
}

export function nodeOf({ nodes }: SequenceGraph, nodeId: string): SequenceNode | undefined {
  return nodes.find(({ id }) => id === nodeId);
}

/** The node that an outcome leads to: by the edge of its own key, else by the one edge without a key. */
export function nodeAfter(graph: SequenceGraph, nodeId: string, outcome: string): SequenceNode | undefined {
  const edge = edgeAfter(graph, nodeId, outcome);
  return edge && nodeOf(graph, edge.to);
}

/** The edge by which an outcome leaves a node; undefined where the run ends. */
export function edgeAfter({ edges }: Pick<SequenceGraph, 'edges'>, nodeId: string, outcome: string): Edge | undefined {
  const out = edges.filter(({ from }) => from === nodeId);
  return out.find(({ branchKey }) => branchKey === outcome) ?? out.find(({ branchKey }) => branchKey === undefined);
}
