import type { Schemas } from '../../api/client.ts';
import { MOST_STEPS_A_MINUTE } from '../../api/limits.ts';
import { capitalized, uncapitalized } from '../../letters.ts';
import { sendErrorWords } from '../../show/send-error-words.ts';
import type { GraphNode, RunWithSteps, Simulation } from './sequence-queries.ts';
import { detailWords, skippedWords } from './simulation-words.ts';

/** Why a run is held. */
export const HOLDS: Readonly<Record<Schemas['HoldReason'], string>> = {
  send_window: 'Send window closed',
  frequency_cap: 'Frequency cap',
  provider_unavailable: 'Email provider unavailable',
  paused: 'Sequence paused',
  project_suspended: 'Project suspended',
  email_unverified: "Owner's email not verified",
  too_many_steps: 'Too many steps',
};

const WAITING: Readonly<Record<Exclude<Schemas['Wait'], `held:${string}`>, string>> = {
  delay: 'Waiting for its time',
  time: 'Waiting for its time',
  condition: 'Waiting for a condition',
  subflow: 'Waiting for the other sequence',
  webhook: 'Calling, with retries',
  digest: 'Gathering events',
  throttle: 'Waiting until it may pass',
};

const SLOWED = `Slowed to one pass a minute, because it loops and took more than ${MOST_STEPS_A_MINUTE} steps in a minute`;

const HELD = 'held:';

/** Whether something keeps a run from going on that is not its graph's. */
export function isHold(waitingFor: string | null): boolean {
  return waitingFor?.startsWith(HELD) ?? false;
}

/** Whether its contact has had as many emails as the frequency cap allows. */
export function isHeldByCap(waitingFor: string | null): boolean {
  return waitingFor === 'held:frequency_cap';
}

/** What a run waits for, as the API names it: `delay`, `event:<type>`, `held:<why>`… `cap`: its frequency cap in words, where that is known. */
export function waitingWords(waitingFor: string, cap?: string): string {
  if (waitingFor === 'held:too_many_steps') return SLOWED;
  if (waitingFor === 'held:send_window') return 'On hold until its send window opens';
  const holds: Readonly<Record<string, string>> = HOLDS;
  const hold = isHold(waitingFor) ? holds[waitingFor.slice(HELD.length)] : undefined;
  if (hold) return `On hold: ${uncapitalized(hold)}${cap && isHeldByCap(waitingFor) ? ` of ${cap}` : ''}`;
  const known: Readonly<Record<string, string>> = WAITING;
  return known[waitingFor] ?? waitingFor.replace(/^event:/, 'Waiting for the event ');
}

const ENDS: Readonly<Record<Schemas['EndReason'] | Simulation['endedBy'], string>> = {
  exit: 'Completed',
  goal: 'Reached the goal',
  dead_end: 'Reached a step with no next step',
  hop_guard: 'Exceeded the step limit',
  failed: 'Ended by a failed step',
  cancelled: 'Cancelled manually or by the API',
  exit_sequences: 'Ended by an event',
  archived: 'Sequence ended',
  terminated: 'Terminated in Temporal',
  refused: 'Could not enter',
};

/** Why a run, or a simulation, ended. */
export function endWords(reason: string): string {
  const known: Readonly<Record<string, string>> = ENDS;
  return known[reason] ?? reason;
}

const REFUSALS: Readonly<Record<Schemas['EnrollRefusal'], string>> = {
  sequence_not_active: 'The sequence is not active',
  contact_unsubscribed: 'Unsubscribed',
  already_enrolled: 'Already in the sequence',
  already_completed: 'Was in it before and cannot re-enter',
  cooldown: 'Was in it too recently',
};

/** Why a contact cannot enter. */
export function refusalWords(reason: Schemas['EnrollRefusal']): string {
  return REFUSALS[reason];
}

/** Whether it keeps out who was in the sequence before. */
export function isByEarlierRuns(reason: Schemas['EnrollRefusal'] | undefined): boolean {
  return reason === 'already_enrolled' || reason === 'already_completed' || reason === 'cooldown';
}

type Step = Pick<RunWithSteps['steps'][number], 'outcome' | 'detail'>;

/** Outcomes whose detail is about the machinery. */
const OUTCOMES: Readonly<Record<string, string>> = {
  sent: 'Sent',
  event: 'Event received',
  met: 'Condition met',
  timeout: 'Timed out',
  waited: 'Time reached',
  enrolled: 'Entered the other sequence',
  updated: '',
  ended: '',
};

/** Of a step that its run was moved away from: where it went. */
const MOVED = 'moved to ';

/** What a step of a run came to, for people; '' where its name says it all. */
export function stepOutcomeWords({ outcome, detail }: Step, node: GraphNode | undefined): string {
  const more = detail ?? '';
  if (outcome === null) return more && (node?.kind === 'digest' || node?.kind === 'send_email') ? `Here now, ${more}` : 'Here now';
  if (outcome === 'failed') return more ? `Failed: ${sendErrorWords(more)}` : 'Failed';
  if (outcome === 'skipped') return more ? `Left out: ${skippedWords(more)}` : 'Left out';
  if (outcome === 'called') return more ? `Called, ${more}` : 'Called';
  if (outcome === 'moved' && more.includes(MOVED)) return capitalized(more);
  if (outcome === 'gathered') return `${capitalized(more || 'events')} gathered`;
  if (outcome === 'empty') return 'No event gathered';
  if (outcome === 'dropped') return more ? `Dropped: ${more}` : 'Dropped';
  if (outcome === 'passed' && node?.kind === 'throttle') return 'Passed';
  if (outcome === 'passed' && node?.kind === 'subflow') return more ? `Skipped: ${more}` : 'Skipped';
  return detailWords(more, node) ?? OUTCOMES[outcome] ?? [outcome, more].filter(Boolean).join(': ');
}
