import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { CHANGED_SIGNAL, TASK_QUEUES, type TemporalMessage } from '../../workflows/contracts.ts';
import { putSchedule, type RecurringSchedule } from './recurring-schedules.ts';
import type { WorkflowStart } from './workflow-starts.ts';

/** A message with all that Temporal needs to carry it out. */
export type DispatchedMessage =
  | Exclude<TemporalMessage, { kind: 'start' | 'schedule' }>
  | { readonly kind: 'start'; readonly start: WorkflowStart }
  /** undefined: there is to be none. */
  | { readonly kind: 'schedule'; readonly schedule: RecurringSchedule | undefined };

/** Whether Temporal has the message now. `absent`: no open workflow of that id. */
export type Dispatched = 'done' | 'absent';

/** Without one a call waits for a server that is away, and a crash in that time leaves its messages leased. */
const DEADLINE_MS = 5_000;

/** Hands one message for a workflow, or a schedule, of this id to Temporal. Safe to repeat: a start that was already made is done. Throws when the server does not take it now. */
export function dispatchMessage(client: Client, workflowId: string, message: DispatchedMessage): Promise<Dispatched> {
  return client.withDeadline(Date.now() + DEADLINE_MS, () => hand(client, workflowId, message));
}

async function hand(client: Client, workflowId: string, message: DispatchedMessage): Promise<Dispatched> {
  try {
    switch (message.kind) {
      case 'start': {
        const { workflowType, input, searchAttributes, summary, details, priority, fairnessKey, isRepeatable } = message.start;
        const options = {
          workflowId,
          taskQueue: TASK_QUEUES.workflows,
          args: [input],
          typedSearchAttributes: new TypedSearchAttributes(
            Object.entries(searchAttributes).map(([name, value]) => ({ key: defineSearchAttributeKey(name, 'KEYWORD'), value })),
          ),
          staticSummary: summary,
          ...(details === undefined ? {} : { staticDetails: details }),
          priority: { priorityKey: priority, fairnessKey },
        };
        try {
          await client.workflow.start(workflowType, {
            ...options,
            workflowIdReusePolicy: isRepeatable ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
          });
        } catch (error) {
          if (!isRepeatable || !(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          // Perhaps about to end: the signal asks it to look once more, or starts the next.
          await client.workflow.signalWithStart(workflowType, { ...options, signal: CHANGED_SIGNAL });
        }
        return 'done';
      }
      case 'signal':
        await client.workflow.getHandle(workflowId).signal(message.signal);
        return 'done';
      case 'cancel':
        await client.workflow.getHandle(workflowId).cancel();
        return 'done';
      case 'schedule':
        await putSchedule(client, workflowId, message.schedule);
        return 'done';
      default:
        return message satisfies never;
    }
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'done';
    if (error instanceof WorkflowNotFoundError) return 'absent';
    throw error;
  }
}
