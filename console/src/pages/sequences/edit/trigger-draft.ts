import type { FieldProblems } from './form-problems.ts';
import type { GraphDraft } from './graph-draft.ts';

export type Trigger = GraphDraft['triggers'][number];

/** What the form of one trigger is given. */
export interface TriggerGiven<Kind extends Trigger['kind']> {
  readonly trigger: Extract<Trigger, { kind: Kind }>;
  /** Where the graph has its settings. */
  readonly at: string;
  readonly isNew: boolean;
  readonly onChange: (trigger: Trigger, problems?: FieldProblems) => void;
  readonly onRemove: () => void;
}

/** What a trigger still lacks, by the field that asks for it. */
export function unsaidOf({ kind, config }: Trigger): FieldProblems {
  if (kind === 'event') return { type: config.type ? undefined : 'Choose the event that enrolls contacts' };
  if (kind === 'date')
    return {
      attribute: config.attribute || config.field ? undefined : 'Choose the date that enrolls contacts',
      at: config.at ? undefined : 'At what time?',
    };
  return { segment: config.segment ? undefined : 'Choose the segment that enrolls contacts' };
}
