import {
  type CalendarSpec,
  type Client,
  MONTHS,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { EntityManager } from '../../db/orm.ts';
import { scheduledRecurring } from '../../db/queries/campaigns/recurring-schedules.ts';
import { recurrenceWords } from '../../domain/campaigns/recurrence-words.ts';
import { nextInstants } from '../../domain/campaigns/recurring.ts';
import { shownWords } from '../../domain/shown-text.ts';
import {
  type RecurringRunInput,
  recurringIdOf,
  recurringRunWorkflowId,
  recurringScheduleId,
  SEARCH_ATTRIBUTES,
  TASK_QUEUES,
} from '../../workflows/contracts.ts';

/** The schedule of a recurring campaign as it is to be: docs/contract/temporal.md 13. */
export interface RecurringSchedule {
  readonly recurringId: string;
  readonly projectSlug: string;
  /** For operators: its name, and its rule in words. */
  readonly words: string;
  readonly isPaused: boolean;
  /** Epoch milliseconds. */
  readonly instants: readonly number[];
  /** One has come already, which the schedule would not start. */
  readonly isDue: boolean;
}

/** Each run brings those after them. Enough to be looked at, also where nobody does any for a while. */
const KNOWN_INSTANTS = 10;

/** Of a schedule that the API has paused: one that an operator has paused stays so. */
const PAUSED_BY_API = 'Paused by the API: ';

const DETAILS =
  'Makes the campaign that is due, if one is: which instant that is, and whether it has been made, stands in PostgreSQL. So a run that is started by hand, ' +
  'twice or late makes nothing that would not have been made. Terminate and Request Cancellation lose none: another run begins within minutes.';

/** As its row is now; undefined when it has ended or is gone: then it has none. */
export async function loadSchedule(em: EntityManager, scheduleId: string): Promise<RecurringSchedule | undefined> {
  const id = recurringIdOf(scheduleId);
  const found = id === undefined ? undefined : await scheduledRecurring(em, id);
  if (!found || found.status === 'ended') return undefined;
  const { name, template, recurrence, status, created_at: madeAt, made, settled, projectSlug, isDue, now } = found;
  const instants = nextInstants(recurrence, { madeAt, after: now, made, settled }, KNOWN_INSTANTS);
  return {
    recurringId: found.id,
    projectSlug,
    words: `${shownWords(name) || template}: ${recurrenceWords(recurrence)}`,
    isPaused: status === 'paused',
    instants: instants.map((instant) => instant.getTime()),
    isDue: isDue && status === 'active',
  };
}

/** Makes, changes or deletes it. Safe to repeat. Throws when the server does not take it now. */
export async function putSchedule(client: Client, scheduleId: string, schedule: RecurringSchedule | undefined): Promise<void> {
  if (!schedule) return deleteSchedule(client, scheduleId);
  const isHeld = (await createSchedule(client, scheduleId, schedule))
    ? schedule.isPaused
    : await updateSchedule(client, scheduleId, schedule);
  if (schedule.isDue && !isHeld) await client.schedule.getHandle(scheduleId).trigger(ScheduleOverlapPolicy.SKIP);
}

/** Whether there was none. */
async function createSchedule(client: Client, scheduleId: string, schedule: RecurringSchedule): Promise<boolean> {
  const { recurringId, projectSlug, words, isPaused } = schedule;
  try {
    await client.schedule.create({
      scheduleId,
      ...contentOf(schedule),
      memo: { project: projectSlug, recurringCampaign: recurringId, rule: words },
      state: { paused: isPaused, note: noteOf(schedule) },
    });
    return true;
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) return false;
    throw error;
  }
}

/** Whether it is paused now. */
async function updateSchedule(client: Client, scheduleId: string, schedule: RecurringSchedule): Promise<boolean> {
  let paused = schedule.isPaused;
  await client.schedule.getHandle(scheduleId).update((previous) => {
    const isByOperator = isPausedByOperator(previous);
    paused = schedule.isPaused || isByOperator;
    const note = isByOperator && !schedule.isPaused ? previous.state.note : noteOf(schedule);
    return { ...contentOf(schedule), state: { paused, ...(note === undefined ? {} : { note }) } };
  });
  return paused;
}

async function deleteSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

/** Whether somebody has paused it in Temporal: nothing that the API does lets it go on. */
export function isPausedByOperator({ state }: Pick<ScheduleDescription, 'state'>): boolean {
  return state.paused && !state.note?.startsWith(PAUSED_BY_API);
}

/** Undefined when Temporal has none of that id. Throws when it does not answer. */
export async function describeSchedule(client: Client, recurringId: string): Promise<ScheduleDescription | undefined> {
  try {
    return await client.schedule.getHandle(recurringScheduleId(recurringId)).describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

function noteOf({ isPaused, words }: RecurringSchedule): string {
  return isPaused ? `${PAUSED_BY_API}${words}` : words;
}

function contentOf({ recurringId, projectSlug, words, instants }: RecurringSchedule) {
  const project = { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.project, 'KEYWORD'), value: projectSlug };
  const input: RecurringRunInput = { recurringId, about: words, types: 'in words' };
  return {
    // Instants rather than the rule: Temporal runs an hour that comes twice twice, and one that does not exist not at all.
    spec: { calendars: instants.map(calendarOf) },
    action: {
      type: 'startWorkflow',
      workflowType: 'recurringRun',
      workflowId: recurringRunWorkflowId(recurringId),
      taskQueue: TASK_QUEUES.workflows,
      args: [input],
      typedSearchAttributes: [project, { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD'), value: 'running' }],
      staticSummary: words,
      staticDetails: DETAILS,
    },
    // Of all that came due while Temporal or every worker was away one run is started: it makes the latest, and records the others as missed.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '365d' },
    typedSearchAttributes: [project],
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
}

/** That second alone. */
function calendarOf(instant: number): CalendarSpec {
  const at = new Date(instant);
  return {
    year: at.getUTCFullYear(),
    month: MONTHS[at.getUTCMonth()]!,
    dayOfMonth: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
  };
}
