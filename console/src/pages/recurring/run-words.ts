import type { Schemas } from '../../api/client.ts';

type Run = Schemas['RecurringRun'];
type RunReason = NonNullable<Run['reason']>;

const REASONS: Readonly<Record<RunReason, string>> = {
  empty_audience: 'nobody in the audience could get email',
  unknown_segment: 'its segment was deleted',
  unknown_template: 'its template was deleted',
  template_not_enabled: 'its template is off',
  no_brand: 'its brand was deleted',
  invalid_from: 'its sender is not on a verified domain',
  unknown_topic: 'its topic was deleted, or its template is transactional now',
  project_suspended: 'the project was suspended',
  email_unverified: "the owner's email was not verified",
  approval_required: 'it was not approved',
  later_run_due: 'a later run was due as well',
  ends_at_reached: 'it would have been over',
  changed: 'the schedule was changed before it ran',
  paused: 'it was paused before it ran',
  deleted: 'it was ended before it ran',
};

const OUTCOMES: Readonly<Record<Run['outcome'], string>> = {
  created: 'Campaign created',
  not_created: 'No campaign',
  missed: 'Missed',
  skipped: 'Skipped',
};

/** What became of an instant, and why there is no campaign. */
export function outcomeWords({ outcome, reason }: Pick<Run, 'outcome' | 'reason'>): string {
  return reason === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]}: ${REASONS[reason] ?? reason}`;
}

/** Whether it is none that somebody wanted. */
export function hasFailed({ outcome, reason }: Pick<Run, 'outcome' | 'reason'>): boolean {
  return outcome === 'not_created' || (outcome === 'missed' && (reason === 'later_run_due' || reason === 'ends_at_reached'));
}
