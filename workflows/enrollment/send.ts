import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { EnrollmentActivities } from '../../activities/enrollment.ts';
import { SEND_ACTIVITY_MS } from '../../domain/sends/submission-times.ts';
import { shownInstant } from '../../domain/shown-text.ts';
import { localActivities, queuedActivities } from '../activities.ts';
import {
  type EnrollmentCommand,
  type EnrollmentInput,
  SEND_FAILED,
  type SendInput,
  type SendStepResult,
  TASK_QUEUES,
} from '../contracts.ts';
import { RECHECK_MS } from '../signals.ts';
import { unlessBrokenOff } from '../unless-broken-off.ts';
import { type Command, PATIENCE_DAYS, type Performed, type Run, turnOf } from './run.ts';

const MAILED_BEFORE_RESTORE = 'done before the database was restored to an earlier state';

/** What became of the mail, and what comes next. */
type Mailed = Omit<Extract<SendStepResult, { done: true }>, 'outcome'> & { readonly outcome?: 'sent' | 'skipped' | 'failed' };
type Held = Extract<SendStepResult, { done: false }>;

/** Sends the mail of a node. What holds it may pass: the run waits, and asks again what it is to do. */
export async function send(run: Run, command: Command<'send'>): Promise<Performed> {
  const { step, nodeId } = command;
  if (step <= (run.mailed[nodeId] ?? 0)) return { report: { step, outcome: 'skipped', detail: MAILED_BEFORE_RESTORE } };
  const seen = run.changes.count;
  const answer = await ask(run, command);
  if ('givenUp' in answer) return { report: { step, outcome: 'failed', detail: answer.givenUp } };
  if (!answer.done) {
    await waitWhileHeld(run, command, { ...answer, seen });
    return {};
  }
  run.mailed[nodeId] = step;
  run.outages = 0;
  run.failedSteps.note(nodeId, answer);
  return { next: answer.next, seen };
}

/** With the present task where that is possible, else through the queue, which is patient. */
async function ask(run: Run, { step, nodeId, template }: Command<'send'>): Promise<Mailed | Held | { readonly givenUp: string }> {
  const { input, outages } = run;
  const order = { enrollmentId: input.enrollmentId, step, outages };
  const summary = run.failedSteps.before(step, `${nodeId}: send ${template}`);
  const sending = `Sending ${template} (${nodeId})`;
  const { sendSequenceEmail } = queuedActivities<EnrollmentActivities>(input, {
    taskQueue: TASK_QUEUES.email,
    summary,
    startToCloseTimeout: SEND_ACTIVITY_MS,
    scheduleToCloseTimeout: `${PATIENCE_DAYS}d`,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
  });
  run.tell(sending);
  try {
    const sent = outages === 0 ? await sendWithThisTask(input, order, summary) : null;
    if (sent) return sent;
    if (outages === 0) run.show('sending', nodeId, sending);
    return await sendSequenceEmail(order);
  } catch (error) {
    const failed = failedMail(error);
    if (failed) return failed;
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    return { givenUp: `given up after ${PATIENCE_DAYS} days: ${error.cause?.message ?? error.message}` };
  }
}

/** Sends within the present task; null when it has to go through the queue, also when the attempt broke off. */
function sendWithThisTask(input: EnrollmentInput, order: SendInput, summary: string): Promise<SendStepResult | null> {
  const { sendWithTask } = localActivities<EnrollmentActivities>(input, {
    summary,
    startToCloseTimeout: SEND_ACTIVITY_MS,
    retry: { maximumAttempts: 1 },
  });
  return unlessBrokenOff(sendWithTask(order), SEND_FAILED);
}

/**
 * A mail that failed makes its activity fail, so that operators see it; the answer stands in the failure. Undefined for every other failure. One
 * of a local activity arrives as it is.
 */
function failedMail(error: unknown): Mailed | undefined {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  if (!(failure instanceof ApplicationFailure) || failure.type !== SEND_FAILED) return undefined;
  return { done: true, outcome: 'failed', detail: failure.message, next: failure.details?.[0] as EnrollmentCommand };
}

/** Until what holds the mail may have changed. A run that has ended meanwhile is not held. */
async function waitWhileHeld(run: Run, command: Command<'send'>, held: Held & { readonly seen: number }): Promise<void> {
  if (held.heldBy === null) return;
  const { nodeId } = command;
  const { heldBy, detail, seen } = held;
  const said = detail === undefined ? '' : ` (${detail})`;
  const until = held.until === null ? '' : ` until ${shownInstant(held.until)}`;
  const isOutage = heldBy === 'provider_unavailable';
  run.outages = isOutage ? run.outages + 1 : 0;
  const [shown, summary] =
    heldBy === 'send_window' && held.until !== null
      ? [`Before ${nodeId}: ${detail}, at ${shownInstant(held.until)}`, `${nodeId} ${detail}, at ${shownInstant(held.until)}`]
      : [`Held before ${nodeId}: ${heldBy.replaceAll('_', ' ')}${said}${until}`, `held before ${nodeId}: ${heldBy}${said}${until}`];
  run.show(isOutage ? 'retrying' : 'held', nodeId, shown);
  const recheck = held.until === null ? RECHECK_MS : Math.max(1, held.until - Date.now());
  await run.changes.beyond(seen, Math.min(recheck, turnOf(command)), summary);
}
