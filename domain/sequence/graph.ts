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
  readonly config: { readonly type: string };
  readonly enabled: boolean;
}

export interface SendEmailConfig {
  readonly template: string;
  /** Liquid; overrides the template's subject. */
  readonly subject?: string;
  readonly type?: 'transactional' | 'marketing';
  readonly brand?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Minutes may be fractions; at most a year. */
export interface WaitDelayConfig {
  readonly minutes: number;
}

export type SequenceNode =
  | { readonly id: string; readonly kind: 'trigger' }
  | { readonly id: string; readonly kind: 'send_email'; readonly config: SendEmailConfig }
  | { readonly id: string; readonly kind: 'wait_delay'; readonly config: WaitDelayConfig }
  | { readonly id: string; readonly kind: 'exit' };

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
  readonly frequencyCap: FrequencyCap | null;
  readonly triggers: readonly Trigger[];
  readonly nodes: readonly SequenceNode[];
  readonly edges: readonly Edge[];
}

export const MAX_WAIT_MINUTES = 525_600;

/** The event types whose arrival enrolls a contact. */
export function triggerTypes({ triggers }: Pick<SequenceGraph, 'triggers'>): string[] {
  return [...new Set(triggers.flatMap(({ enabled, config }) => (enabled ? [config.type] : [])))];
}
