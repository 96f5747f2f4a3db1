import { type Client, isGrpcServiceError, type WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { MOST_ATTEMPTS_EXPECTED, type Stuck } from '../../domain/operations/stuck.ts';
import { shownWords } from '../../domain/shown-text.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/contracts.ts';

const { PendingActivityState } = proto.temporal.api.enums.v1;

/** A task is tried again at once after its first failures: what fails once was perhaps only a worker that stopped. */
const TASK_ATTEMPTS_EXPECTED = 2;
/** Of the end of a history, where the failure of the latest task stands. */
const EVENTS_READ = 10;
const MAX_REASON = 300;
/** gRPC's: the server does not know the attribute, what is asked for, or the call. */
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** A workflow as the list of workflows shows it. */
export interface ListedWorkflow {
  readonly workflowId: string;
  readonly type: string;
  /** Slug; null for a workflow that belongs to no project. */
  readonly project: string | null;
  readonly startTime: Date;
}

/**
 * Open workflows whose tasks the server reports as failing, of all types. Undefined when the server is too old to report any (before 1.30).
 */
export async function listFailing(client: Client, project: string | undefined, most: number): Promise<ListedWorkflow[] | undefined> {
  const ofProject = project === undefined ? '' : ` AND ${SEARCH_ATTRIBUTES.project} = "${project}"`;
  const query = `ExecutionStatus = "Running" AND TemporalReportedProblems IN ("category=WorkflowTaskFailed", "category=WorkflowTaskTimedOut")${ofProject}`;
  const found: ListedWorkflow[] = [];
  try {
    for await (const { workflowId, type, startTime, searchAttributes } of client.workflow.list({
      query,
      pageSize: Math.min(most, 1_000),
    })) {
      found.push({
        workflowId,
        type,
        project: (searchAttributes[SEARCH_ATTRIBUTES.project]?.[0] as string | undefined) ?? null,
        startTime,
      });
      if (found.length >= most) break;
    }
  } catch (error) {
    if (codeOf(error) === INVALID_ARGUMENT) return undefined;
    throw error;
  }
  return found;
}

/** What keeps an open workflow from going on; undefined when nothing does. `since`: of its row. */
export async function workflowProblem(client: Client, description: WorkflowExecutionDescription, since: Date): Promise<Stuck | undefined> {
  return (await taskProblem(client, description)) ?? activityProblem(description, since);
}

/** Undefined when its tasks do not fail. */
export async function taskProblem(client: Client, { workflowId, runId, raw }: WorkflowExecutionDescription): Promise<Stuck | undefined> {
  const task = raw.pendingWorkflowTask;
  const attempt = task?.attempt ?? 0;
  if (!task || attempt <= TASK_ATTEMPTS_EXPECTED) return undefined;
  const reason = await lastTaskFailure(client, { workflowId, runId });
  return {
    since: dateOf(task.originalScheduledTime ?? task.scheduledTime),
    problem: `its workflow tasks fail, ${attempt - 1} times in a row: ${reason}; it goes on by itself with a worker whose code is mended, or end it: workflow terminate`,
  };
}

function activityProblem({ raw }: WorkflowExecutionDescription, since: Date): Stuck | undefined {
  const worst = (raw.pendingActivities ?? []).toSorted((a, b) => (b.attempt ?? 0) - (a.attempt ?? 0))[0];
  if (!worst || (worst.attempt ?? 0) <= MOST_ATTEMPTS_EXPECTED) return undefined;
  const reason = shown(worst.lastFailure?.cause?.message ?? worst.lastFailure?.message);
  return {
    since,
    problem: `its activity ${worst.activityType?.name} is at attempt ${worst.attempt}: ${reason}; it is tried again by itself, or at once with: workflow retry`,
  };
}

/** Makes the attempts at once that wait for their time, and counts them anew. A server before 1.28 cannot: they are made in their time. */
export async function retryActivitiesNow(client: Client, { workflowId, runId, raw }: WorkflowExecutionDescription): Promise<void> {
  const waiting = (raw.pendingActivities ?? []).filter(
    ({ attempt, state }) => (attempt ?? 0) > 1 && state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED,
  );
  const { namespace } = client.options;
  for (const { activityId = null } of waiting) {
    try {
      await client.workflowService.resetActivity({ namespace, execution: { workflowId, runId }, id: activityId });
    } catch (error) {
      if (codeOf(error) === UNIMPLEMENTED) return;
      // It has ended meanwhile.
      if (codeOf(error) !== NOT_FOUND) throw error;
    }
  }
}

async function lastTaskFailure(client: Client, execution: { readonly workflowId: string; readonly runId: string }): Promise<string> {
  const { namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution,
    maximumPageSize: EVENTS_READ,
  });
  const failed = history?.events?.find(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes);
  return shown(failed?.workflowTaskFailedEventAttributes?.failure?.message);
}

/** What somebody's server has answered may be long, have several lines, and name addresses. */
function shown(message: string | null | undefined): string {
  return shownWords((message || 'no reason is known').trim(), MAX_REASON);
}

function dateOf(timestamp: { readonly seconds?: unknown } | null | undefined): Date {
  return new Date(Number(timestamp?.seconds ?? 0) * 1000);
}

function codeOf(error: unknown): number | undefined {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}
