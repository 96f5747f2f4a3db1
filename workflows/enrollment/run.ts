import { defineSearchAttributeKey } from '@temporalio/common';
import { continueAsNew, patched, setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { EnrollmentActivities } from '../../activities/enrollment.ts';
import { localActivities } from '../activities.ts';
import { Changes } from '../changes.ts';
import { type EnrollmentCommand, type EnrollmentInput, type RunState, SEARCH_ATTRIBUTES, type StepReport } from '../contracts.ts';
import { FailedSteps } from '../failed-steps.ts';

/** Of what only asks the database. */
export const STEP_ACTIVITY = { startToCloseTimeout: '10s' } as const;

/** Nothing that may still pass is waited for longer: docs/contract/events.md 20. */
export const PATIENCE_DAYS = 3;

const nodeAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.node, 'KEYWORD');
const stateAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD');

export type Command<Does extends EnrollmentCommand['do']> = Extract<EnrollmentCommand, { do: Does }>;

/** How a command went. */
export interface Performed {
  readonly report?: StepReport;
  /** What comes next, where the activity has asked already. */
  readonly next?: EnrollmentCommand;
  /** The changes counted before the database was asked: one that came while it answered must not be slept through. */
  readonly seen?: number;
}

/** What the commands of one run share: where it is, what it has heard, and what operators see of it. */
export class Run {
  readonly input: EnrollmentInput;
  /** The latest step that mailed, by node. The database knows too, unless it was restored to an earlier state: then it would have mails sent again. */
  readonly mailed: Record<string, number>;
  readonly failedSteps: FailedSteps;
  readonly changes: Changes;
  /** The node of the last command. */
  at = '';
  /** How often in a row the provider was away; the pauses grow with it. */
  outages = 0;

  constructor(input: EnrollmentInput) {
    this.input = input;
    this.mailed = { ...input.mailed };
    this.failedSteps = new FailedSteps(input.mishaps);
    this.changes = new Changes({
      changed: 'Sent by Everpost: something that the run may depend on has changed',
      retryNow: 'A step that is held, or whose provider is away, is tried again at once, and so is the call of a webhook node',
    });
  }

  /** The command after what was done where the run is, and how that ended if it did. */
  next(report?: StepReport): Promise<EnrollmentCommand> {
    const { enrollmentId } = this.input;
    const summary = this.at === '' ? 'where it stands' : `what comes after ${this.at}`;
    const { nextStep } = localActivities<EnrollmentActivities>(this.input, { ...STEP_ACTIVITY, summary });
    return nextStep(report ? { enrollmentId, report } : { enrollmentId });
  }

  tell(details: string): void {
    setCurrentDetails(this.failedSteps.below(details));
  }

  /** Where it lasts: each change of the attributes is an event and a write to the list of workflows. */
  show(state: RunState, nodeId: string, details: string): void {
    this.tell(details);
    const { searchAttributes } = workflowInfo();
    if (searchAttributes[SEARCH_ATTRIBUTES.node]?.[0] === nodeId && searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] === state) return;
    upsertSearchAttributes([
      { key: nodeAttribute, value: nodeId },
      { key: stateAttribute, value: state },
    ]);
  }

  /** Continues as new once the history is long. All that decides stands in the database, as long as that is not restored. */
  async continueIfLong(progress: Pick<EnrollmentInput, 'calling'> = {}): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    const { calling: _, first: __, ...given } = this.input;
    await continueAsNew({ ...given, mailed: this.mailed, mishaps: this.failedSteps.all, ...progress });
  }
}

/** In how many milliseconds a command says that the clock alone may change what a run does; never for runs that began before. */
export function turnOf({ turnsInMs }: { readonly turnsInMs?: number }): number {
  return turnsInMs !== undefined && patched('wakes-by-the-clock') ? turnsInMs : Number.POSITIVE_INFINITY;
}
