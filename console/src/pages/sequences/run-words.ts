import type { Schemas } from '../../api/client.ts';
import { MOST_STEPS_A_MINUTE } from '../../api/limits.ts';
import { sendErrorWords } from '../../show/send-error-words.ts';
import type { GraphNode, RunWithSteps, Simulation } from './sequence-queries.ts';
import { detailWords, skippedWords } from './simulation-words.ts';

const WAITING: Readonly<Record<Schemas['Wait'], string>> = {
  delay: 'Waits for its time',
  time: 'Waits for its time',
  condition: 'Waits for its condition',
  subflow: 'Waits for the other sequence',
  webhook: 'Calls, and tries again',
  'held:paused': 'Held: paused',
  'held:project_suspended': 'Held: project suspended',
  'held:email_unverified': 'Held: email unverified',
  'held:frequency_cap': 'Held: frequency cap',
  'held:provider_unavailable': 'Held: provider unavailable',
  'held:too_many_steps': `Slowed to one pass a minute, since it goes round and took more than ${MOST_STEPS_A_MINUTE} steps within one`,
};

/** What a run waits for, as the API names it: `delay`, `event:<type>`, `held:<why>`… */
export function waitingWords(waitingFor: string): string {
  const known: Readonly<Record<string, string>> = WAITING;
  return known[waitingFor] ?? waitingFor.replace(/^event:/, 'Waits for the event ');
}

const ENDS: Readonly<Record<Schemas['EndReason'] | Simulation['endedBy'], string>> = {
  exit: 'Came to its end',
  goal: 'Reached the goal',
  dead_end: 'Came where no edge leads on',
  hop_guard: 'Took too many steps',
  failed: 'Ended by a step that failed',
  cancelled: 'Cancelled by hand or by a program',
  exit_sequences: 'Ended by an event',
  archived: 'Ended with the sequence',
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
  contact_unsubscribed: 'Has unsubscribed',
  already_enrolled: 'Is in it already',
  already_completed: 'Was in it before, and it is entered but once',
  cooldown: 'Was in it too recently',
};

/** Why a contact cannot enter. */
export function refusalWords(reason: Schemas['EnrollRefusal']): string {
  return REFUSALS[reason];
}

type Step = Pick<RunWithSteps['steps'][number], 'outcome' | 'detail'>;

/** Outcomes whose detail is about the machinery. */
const OUTCOMES: Readonly<Record<string, string>> = {
  sent: 'Sent',
  event: 'The event came',
  met: 'It came to hold',
  timeout: 'Nothing came in time',
  waited: 'Its time came',
  enrolled: 'Entered the other sequence',
  updated: '',
  ended: '',
};

/** What a step of a run came to, for people; '' where its name says it all. */
export function stepOutcomeWords({ outcome, detail }: Step, node: GraphNode | undefined): string {
  const more = detail ?? '';
  if (outcome === null) return 'Stands here';
  if (outcome === 'failed') return more ? `Failed: ${sendErrorWords(more)}` : 'Failed';
  if (outcome === 'skipped') return more ? `Left out: ${skippedWords(more)}` : 'Left out';
  if (outcome === 'called') return more ? `Called, ${more}` : 'Called';
  if (outcome === 'passed' && node?.kind === 'subflow') return more ? `Passed by: ${more}` : 'Passed by';
  return detailWords(more, node) ?? OUTCOMES[outcome] ?? [outcome, more].filter(Boolean).join(': ');
}
