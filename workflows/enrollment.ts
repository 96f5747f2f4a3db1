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

/** decisions.md 7.5: five tries in all, each pause twice the one before. */
const CALL_TRIES = 5;
/** Longer than the longest call may take (30 s). */
const CALL_SECONDS = 45;

const { nextStep, endCancelled } = proxyLocalActivities<EnrollmentActivities>({ startToCloseTimeout: '10s' });

/** Longer than a send can take (10 s); a worker that died with one is found out soon. */
const SEND_SECONDS = 30;
/** A provider outage is waited out this long: decisions.md 9.7. */
const OUTAGE_DAYS = 3;
/** A held step looks again by itself, should the signal that ends its hold ever be lost. */
const HELD_RECHECK_MS = 30 * 60_000;

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
        const until = result.until === null ? '' : ` until ${iso(result.until)}`;
        show('held', nodeId, `Held before ${nodeId}: ${result.heldBy.replaceAll('_', ' ')}${until}`);
        const recheck = result.until === null ? HELD_RECHECK_MS : Math.max(1, result.until - Date.now());
        await condition(() => changes > seen, recheck, { summary: `held before ${nodeId}: ${result.heldBy}${until}` });
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        return { step, outcome: 'failed', detail: `given up after ${OUTAGE_DAYS} days: ${error.cause?.message ?? error.message}` };
      }
    }
  };

  /** undefined: something changed meanwhile, so the database says where it stands now. */
  const wait = async (command: Extract<EnrollmentCommand, { do: 'wait' }>, seen: number): Promise<StepReport | undefined> => {
    const { step, nodeId, waitingFor, until, timeoutOutcome } = command;
    const end = until === null ? '' : ` until ${iso(until)}`;
    show('waiting', nodeId, `Waiting at ${nodeId} for ${waitingFor}${end}`);
    if (until === null) {
      await condition(() => changes > seen);
      return undefined;
    }
    const remaining = until - Date.now();
    if (remaining <= 0) return { step, outcome: timeoutOutcome };
    const changed = await condition(() => changes > seen, remaining, { summary: `${nodeId}: ${waitingFor}${end}` });
    return changed ? undefined : { step, outcome: timeoutOutcome };
  };

  const call = async ({
    step,
    nodeId,
    method,
    host,
    firstRetrySeconds,
  }: Extract<EnrollmentCommand, { do: 'call' }>): Promise<StepReport> => {
    const { callWebhook } = proxyActivities<EnrollmentActivities>({
      taskQueue: TASK_QUEUES.webhooks,
      summary: `${nodeId}: ${method} ${host}`,
      startToCloseTimeout: `${CALL_SECONDS}s`,
      retry: { initialInterval: firstRetrySeconds * 1000, backoffCoefficient: 2, maximumInterval: '1d', maximumAttempts: CALL_TRIES },
    });
    show('running', nodeId, `Calling ${method} ${host} (${nodeId})`);
    try {
      return await callWebhook({ enrollmentId, step });
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      return { step, outcome: 'failed', detail: `given up after ${CALL_TRIES} tries: ${error.cause?.message ?? error.message}` };
    }
  };

  const perform = (command: Exclude<EnrollmentCommand, { do: 'end' }>, seen: number): Promise<StepReport | undefined> => {
    switch (command.do) {
      case 'send':
        return send(command);
      case 'wait':
        return wait(command, seen);
      case 'call':
        return call(command);
      default:
        return command satisfies never;
    }
  };

  try {
    let report: StepReport | undefined;
    for (;;) {
      // Read before the database is asked: a change that comes while it answers must not be slept through.
      const seen = changes;
      const command = await nextStep(report ? { enrollmentId, report } : { enrollmentId });
      if (command.do === 'end') {
        setCurrentDetails(`Ended: ${command.reason}`);
        return command.reason;
      }
      report = await perform(command, seen);
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

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
