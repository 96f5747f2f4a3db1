export const SEQUENCE_STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
export type SequenceStatus = (typeof SEQUENCE_STATUSES)[number];

export const REENTRY_POLICIES = ['once_ever', 'once_active', 'always'] as const;
export type Reentry = (typeof REENTRY_POLICIES)[number];
