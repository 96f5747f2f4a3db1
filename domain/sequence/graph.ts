import type { Condition } from '../condition/condition.ts';
import type { SendType } from '../send.ts';
import type { ContactUpdate, EventPattern, TimeOfWait } from './node-parts.ts';

export const SEQUENCE_STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
export type SequenceStatus = (typeof SEQUENCE_STATUSES)[number];

export const REENTRY_POLICIES = ['once_ever', 'once_active', 'always'] as const;
export type Reentry = (typeof REENTRY_POLICIES)[number];

/** Ceiling on marketing mails of the project to one contact in a sliding window. */
export interface FrequencyCap {
  readonly count: number;
  readonly windowHours: number;
}

export interface Trigger {
  readonly kind: 'event';
  readonly config: EventPattern;
  readonly enabled: boolean;
}

/** Met at any moment while an enrollment is active, it ends the enrollment. At least one of the two. */
export interface Goal {
  readonly event?: EventPattern;
  readonly condition?: Condition;
}

/** What each kind of node is told: decisions.md 7.1 and 7.5. */
export interface NodeConfigs {
  trigger: undefined;
  send_email: {
    readonly template: string;
    /** Liquid; overrides the template's subject. */
    readonly subject?: string;
    readonly type?: SendType;
    readonly brand?: string;
    readonly data?: Readonly<Record<string, unknown>>;
  };
  /** Minutes may be fractions; at most a year. */
  wait_delay: { readonly minutes: number };
  wait_until:
    | { readonly event: EventPattern; readonly timeoutMinutes: number }
    | { readonly condition: Condition; readonly timeoutMinutes: number }
    | { readonly time: TimeOfWait };
  branch: { readonly branches: readonly { readonly key: string; readonly when: Condition }[] } | { readonly when: Condition };
  split: { readonly arms: readonly { readonly key: string; readonly weight?: number }[] };
  update_contact: ContactUpdate;
  webhook: {
    readonly url: string;
    readonly method?: 'POST' | 'PUT' | 'PATCH' | 'GET';
    readonly headers?: Readonly<Record<string, string>>;
    /** A JSON value whose texts are Liquid. */
    readonly body?: unknown;
    readonly timeoutSeconds?: number;
    readonly onError?: 'continue' | 'fail';
  };
  subflow: { readonly sequenceKey: string; readonly mode?: 'enroll' | 'wait' };
  goal: { readonly condition: Condition } | undefined;
  exit: undefined;
}

export type NodeKind = keyof NodeConfigs;

/** A node of one kind; config is absent where the kind has none. */
export type NodeOf<K extends NodeKind> = { readonly id: string; readonly kind: K } & (NodeConfigs[K] extends undefined
  ? unknown
  : undefined extends NodeConfigs[K]
    ? { readonly config?: Exclude<NodeConfigs[K], undefined> }
    : { readonly config: NodeConfigs[K] });

export type SequenceNode = { [K in NodeKind]: NodeOf<K> }[NodeKind];

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Which outcome of a branch, split or wait this edge serves. */
  readonly branchKey?: string;
}

/** What one version of a sequence does; immutable once an enrollment runs on it. */
export interface SequenceGraph {
  readonly reentry: Reentry;
  /** Hours since the last start before a contact may enter again. */
  readonly cooldownHours: number | null;
  readonly goal: Goal | null;
  readonly frequencyCap: FrequencyCap | null;
  readonly triggers: readonly Trigger[];
  readonly nodes: readonly SequenceNode[];
  readonly edges: readonly Edge[];
}

/** A year. */
export const MAX_WAIT_MINUTES = 525_600;

/** The event types whose arrival enrolls a contact, as far as a trigger's `match` agrees. */
export function triggerTypes({ triggers }: Pick<SequenceGraph, 'triggers'>): string[] {
  return [...new Set(triggers.flatMap(({ enabled, config }) => (enabled ? [config.type] : [])))];
}

/** Whether something about the contact, and not only an event or the clock, may move an enrollment on. */
export function watchesContact({ goal }: Pick<SequenceGraph, 'goal'>): boolean {
  return goal?.condition !== undefined;
}
