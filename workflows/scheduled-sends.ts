import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ScheduledActivities } from '../activities/scheduled-sends.ts';
import { grouped, shownInstant } from '../domain/shown-text.ts';
import { queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import { type RunState, type ScheduledInput, type ScheduledReport, TASK_QUEUES } from './contracts.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';

/** A wait for a mail that is due looks again so often, should its signal ever be lost. */
const WAIT_RECHECK_MS = 6 * 3_600_000;

/** While the provider takes nothing, what is due is offered so often. */
const MOST_AWAY_MS = 30_000;

/** A timer may be late by so much: who is asked before the time waits for it. */
const LEAD_MS = 1_000;

/** The mails of POST /send that a project has asked for with `sendAt`: waits for the next, sends what is due, until none waits. Answers with a sentence for operators. */
export async function scheduledSends(input: ScheduledInput): Promise<string> {
  const changes = new Changes({
    changed: 'Sent by Everpost: an earlier mail was scheduled, or the project may send again',
    retryNow: 'What is due and was put off is tried again at once',
  });
  const { sendDueMails } = queuedActivities<ScheduledActivities>(input, {
    taskQueue: TASK_QUEUES.campaigns,
    summary: 'what is due',
    startToCloseTimeout: '5m',
    heartbeatTimeout: '10s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  const made = { sent: 0, failed: 0 };
  for (;;) {
    const seen = changes.count;
    const report = await sendDueMails({ projectId: input.projectId, retryNow: changes.takeRetry() });
    made.sent += report.sent;
    made.failed += report.failed;
    const total = `${grouped(made.sent)} sent, ${grouped(made.failed)} failed`;
    const pause = pauseAfter(report);
    if (pause === undefined) {
      // Asked for again while it was ending: one may wait.
      if (changes.count === seen) return total;
      continue;
    }
    const { state, milliseconds, words } = pause;
    setCurrentDetails(`${words}. In all: ${total}`);
    showState(state);
    if (milliseconds > 0) await changes.beyond(seen, milliseconds, words);
    if (workflowInfo().continueAsNewSuggested && changes.count === seen) await continueAsNew<typeof scheduledSends>(input);
  }
}

interface Pause {
  readonly state: RunState;
  readonly milliseconds: number;
  /** For operators. */
  readonly words: string;
}

/** undefined: none waits. */
function pauseAfter({ waiting, nextInMs, heldBy, away }: ScheduledReport): Pause | undefined {
  if (nextInMs === null) return undefined;
  const many = `${grouped(waiting)} scheduled`;
  if (heldBy !== undefined) return { state: 'held', milliseconds: RECHECK_MS, words: `${many}, held: ${heldBy.replaceAll('_', ' ')}` };
  if (away) {
    // It may be about one recipient alone: no other mail waits for that longer than it has to.
    const milliseconds = nextInMs > 0 ? nextInMs : Math.min(away.seconds * 1000, MOST_AWAY_MS);
    return { state: 'retrying', milliseconds, words: `${many}, the last ones are tried again soon: ${away.message}` };
  }
  if (nextInMs <= 0) return { state: 'sending', milliseconds: 0, words: `${many}, sending what is due` };
  const words = `${many}, the next until ${shownInstant(Date.now() + nextInMs)}`;
  return { state: 'waiting', milliseconds: Math.min(Math.max(1, nextInMs - LEAD_MS), WAIT_RECHECK_MS), words };
}
