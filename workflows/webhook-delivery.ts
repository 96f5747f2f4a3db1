import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-delivery.ts';
import { MOST_ATTEMPTS } from '../domain/webhooks/delivery.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import { type DeliveryCommand, type DeliveryInput, type LocalAttemptAnswer, TASK_QUEUES } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';
import { unlessBrokenOff } from './unless-broken-off.ts';

/** Longer than an attempt and the wait for its slot may take. */
const ATTEMPT_MS = 60_000;
const EARLY_MS = 1_000;

/** One delivery of an event to an endpoint: attempt after attempt, until it is taken or given up. Answers with a sentence for operators. */
export async function webhookDelivery(input: DeliveryInput): Promise<string> {
  const { deliveryCancelled } = localActivities<WebhookActivities>(input, { startToCloseTimeout: '10s' });
  const changes = new Changes({
    changed: 'Sent by Everpost: the endpoint was changed or deleted, or the delivery is begun again',
    retryNow: 'The next attempt is made at once',
  });
  let isStillHurried = false;
  let busy = 0;
  let number = input.number ?? 1;

  return settlingCancellation(
    async () => {
      for (;;) {
        const seen = changes.count;
        const isHurried: boolean = changes.takeRetry() || isStillHurried;
        const command = await makeAttempt({ ...input, number, isHurried, busy });
        setCurrentDetails(command.details);
        // No attempt was made: the operator's word still stands.
        isStillHurried = isHurried && command.do === 'wait' && command.isBusy === true;
        if (command.do === 'wait') {
          busy = command.isBusy ? busy + 1 : 0;
          // Asked for too early, by clocks that differ: not again at once.
          const least = command.next === number ? EARLY_MS : 1;
          number = command.next ?? number;
          if (!command.isBusy) showState(command.state);
          const pause = command.until === null ? RECHECK_MS : Math.max(least, command.until - Date.now());
          await changes.beyond(seen, pause, command.summary);
        }
        // Begun again by hand while it was ending: asked once more.
        else if (changes.count === seen) {
          if (command.status === 'failed' && input.types === 'in words') showState('failed');
          return command.details;
        }
        // All that is to be known stands in the database, so the next run needs no more than the ids.
        if (workflowInfo().continueAsNewSuggested && !isStillHurried && !changes.isRetryAsked)
          await continueAsNew<typeof webhookDelivery>({ ...input, number });
      }
    },
    () => deliveryCancelled(input),
  );
}

type AttemptRequest = Parameters<WebhookActivities['attemptWithTask']>[0] & { readonly number: number };

/** Makes the next attempt: within the present task, or through the queue, and by that alone where it had no place before. */
async function makeAttempt(request: AttemptRequest): Promise<DeliveryCommand> {
  const isAskedAgain = request.busy > 0;
  const summary = `attempt ${request.number} of ${MOST_ATTEMPTS}`;
  setCurrentDetails(isAskedAgain ? `Asks for a place again, for ${summary}` : `Making ${summary}`);
  const command: LocalAttemptAnswer = isAskedAgain ? { do: 'queue' } : await withThisTask(request, `${summary}, unless queued`);
  if (command.do !== 'queue') return command;
  const { attemptDelivery } = queuedActivities<WebhookActivities>(request, {
    taskQueue: TASK_QUEUES.webhooks,
    summary: isAskedAgain ? `asks for a place again, for ${summary}` : `${summary}, if there is a place`,
    startToCloseTimeout: ATTEMPT_MS,
    heartbeatTimeout: '8s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5s' },
  });
  return attemptDelivery(request);
}

/** Within the present task; through the queue also when the attempt broke off. */
async function withThisTask(request: AttemptRequest, summary: string): Promise<LocalAttemptAnswer> {
  const { attemptWithTask } = localActivities<WebhookActivities>(request, {
    summary,
    startToCloseTimeout: ATTEMPT_MS,
    retry: { maximumAttempts: 1 },
  });
  return (await unlessBrokenOff(attemptWithTask(request))) ?? { do: 'queue' };
}
