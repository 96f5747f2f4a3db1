import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { EnrollmentActivities } from '../activities/enrollment.ts';
import {
  CHANGED_SIGNAL,
  type EnrollmentCommand,
  type EnrollmentInput,
  type RunState,
  SEARCH_ATTRIBUTES,
  type StepReport,
  TASK_QUEUES,
} from './contracts.ts';

const { nextStep, endCancelled } = proxyLocalActivities<EnrollmentActivities>({ startToCloseTimeout: '10s' });

/** Longer than a send can take (10 s); a worker that died with one is found out soon. */
const SEND_SECONDS = 30;
/** A provider outage is waited out this long: decisions.md 9.7. */
const OUTAGE_DAYS = 3;
/** A held step looks again by itself, should the signal that ends its hold ever be lost. */
const HELD_RECHECK_MINUTES = 30;

const changed = defineSignal(CHANGED_SIGNAL);
const nodeAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.node, 'KEYWORD');
const stateAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD');

/** One contact's run through one sequence: ask what comes next, do it, report how it went, until it ends. */
export async function enrollment({ enrollmentId }: EnrollmentInput): Promise<string> {
  let changes = 0;
  setHandler(changed, () => {
    changes++;
  });

  const send = async ({ step, nodeId, template }: Extract<EnrollmentCommand, { do: 'send' }>): Promise<StepReport | undefined> => {
    const { sendSequenceEmail } = proxyActivities<EnrollmentActivities>({
      taskQueue: TASK_QUEUES.email,
      summary: `${nodeId}: send ${template}`,
      startToCloseTimeout: `${SEND_SECONDS}s`,
      scheduleToCloseTimeout: `${OUTAGE_DAYS}d`,
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
    });
    for (;;) {
      show('running', nodeId, `Sending ${template} (${nodeId})`);
      const seen = changes;
      try {
        const result = await sendSequenceEmail({ enrollmentId, step });
        if (result.done) return { step, outcome: result.outcome, detail: result.detail };
        if (result.heldBy === null) return undefined;
        show('held', nodeId, `Held before ${nodeId}: ${result.heldBy.replaceAll('_', ' ')}`);
        await condition(() => changes > seen, `${HELD_RECHECK_MINUTES}m`, { summary: `held before ${nodeId}: ${result.heldBy}` });
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        return { step, outcome: 'failed', detail: `given up after ${OUTAGE_DAYS} days: ${error.cause?.message ?? error.message}` };
      }
    }
  };

  const wait = async ({ step, nodeId, waitingFor, until }: Extract<EnrollmentCommand, { do: 'wait' }>): Promise<StepReport> => {
    const until_ = new Date(until).toISOString();
    show('waiting', nodeId, `Waiting at ${nodeId} for ${waitingFor} until ${until_}`);
    const remaining = until - Date.now();
    if (remaining > 0) await sleep(remaining, { summary: `${nodeId}: ${waitingFor} until ${until_}` });
    return { step, outcome: 'waited' };
  };

  try {
    let report: StepReport | undefined;
    for (;;) {
      const command = await nextStep(report ? { enrollmentId, report } : { enrollmentId });
      if (command.do === 'end') {
        setCurrentDetails(`Ended: ${command.reason}`);
        return command.reason;
      }
      report = command.do === 'send' ? await send(command) : await wait(command);
      if (workflowInfo().continueAsNewSuggested) {
        if (report) await nextStep({ enrollmentId, report });
        await continueAsNew<typeof enrollment>({ enrollmentId });
      }
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => endCancelled({ enrollmentId }));
    throw error;
  }
}

function show(state: RunState, nodeId: string, details: string): void {
  setCurrentDetails(details);
  const { searchAttributes } = workflowInfo();
  if (searchAttributes[SEARCH_ATTRIBUTES.node]?.[0] === nodeId && searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] === state) return;
  upsertSearchAttributes([
    { key: nodeAttribute, value: nodeId },
    { key: stateAttribute, value: state },
  ]);
}
