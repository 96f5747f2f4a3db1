import { defineSearchAttributeKey } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { EnrollmentActivities } from '../activities/enrollment.ts';
import { SEND_ACTIVITY_MS } from '../domain/sends/submission-times.ts';
import { capitalized, shownInstant, shownWords } from '../domain/shown-text.ts';
import { busyPauseMs } from '../domain/webhooks/delivery.ts';
import { localActivities, queuedActivities } from './activities.ts';
import {
  type CallProgress,
  type EnrollmentCommand,
  type EnrollmentInput,
  HOST_BUSY,
  type RunState,
  SEARCH_ATTRIBUTES,
  SEND_FAILED,
  type SendInput,
  type SendStepResult,
  type StepReport,
  TASK_QUEUES,
} from './contracts.ts';
import { Mishaps } from './mishaps.ts';
import { changed, RECHECK_MS, retryNow } from './signals.ts';
import { unlessBrokenOff } from './unless-broken-off.ts';

/** docs/contract/sequences.md 23: five tries in all, each pause twice the one before. */
const CALL_TRIES = 5;
/** Longer than the wait for a slot (15 s) and the longest call (30 s) may take. */
const CALL_SECONDS = 60;
const MOST_CALL_PAUSE_MS = 24 * 3_600_000;

const STEP_ACTIVITY = { startToCloseTimeout: '10s' } as const;

/** Nothing that may still pass is waited for longer: docs/contract/events.md 20. */
const PATIENCE_DAYS = 3;
const MAILED_BEFORE_RESTORE = 'done before the database was restored to an earlier state';
/** A wait that has no instant looks again so often, should its signal ever be lost. */
const WAIT_RECHECK_MS = 6 * 3_600_000;

const DAY_MS = 24 * 3_600_000;

/** A change between the tries of a call is seen, or while one is in flight; and a call that finds no place neither fills a history nor lasts for ever. */
const LISTENS = 'listens-between-calls';
const NOT_CALLED: Omit<CallProgress, 'step'> = { made: 0, busy: 0, busySince: null };

const nodeAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.node, 'KEYWORD');
const stateAttribute = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, 'KEYWORD');

/** How a command went. */
interface Performed {
  readonly report?: StepReport;
  /** What comes next, where the activity has asked already. */
  readonly next?: EnrollmentCommand;
  /** The changes counted before the database was asked: one that came while it answered must not be slept through. */
  readonly seen?: number;
}

/**
 * One contact's run through one sequence: ask what comes next, do it, report how it went, until it ends. Answers with a sentence for
 * operators.
 */
export async function enrollment(input: EnrollmentInput): Promise<string> {
  const { enrollmentId } = input;
  let changes = 0;
  const noteChange = (): void => {
    changes++;
  };
  setHandler(changed, noteChange, { description: 'Sent by Everpost: something that the run may depend on has changed' });
  let hurries = 0;
  setHandler(
    retryNow,
    () => {
      hurries++;
      noteChange();
    },
    { description: 'A step that is held, or whose provider is away, is tried again at once, and so is the call of a webhook node' },
  );
  /** What the database knows too, unless it was restored to an earlier state: then it would have mails sent again. */
  const mailed: Record<string, number> = { ...input.mailed };
  /** The node of the last command. */
  let at = '';
  /** How often in a row the provider was away; the pauses grow with it. */
  let outages = 0;
  const mishaps = new Mishaps(input.mishaps);

  const tell = (details: string): void => setCurrentDetails(mishaps.below(details));
  /** Where it lasts: each change of the attributes is an event and a write to the list of workflows. */
  const show = (state: RunState, nodeId: string, details: string): void => {
    tell(details);
    showPlace(state, nodeId);
  };

  /** All that decides stands in the database, as long as that is not restored. */
  const continueAs = (progress: Pick<EnrollmentInput, 'calling'>): Promise<never> => {
    const { calling: _, ...given } = input;
    return continueAsNew<typeof enrollment>({ ...given, mailed, mishaps: mishaps.all, ...progress });
  };

  const send = async (command: Extract<EnrollmentCommand, { do: 'send' }>): Promise<Performed> => {
    const { step, nodeId, template } = command;
    if (step <= (mailed[nodeId] ?? 0)) return { report: { step, outcome: 'skipped', detail: MAILED_BEFORE_RESTORE } };
    const summary = mishaps.before(step, `${nodeId}: send ${template}`);
    const { sendSequenceEmail } = queuedActivities<EnrollmentActivities>(input, {
      taskQueue: TASK_QUEUES.email,
      summary,
      startToCloseTimeout: SEND_ACTIVITY_MS,
      scheduleToCloseTimeout: `${PATIENCE_DAYS}d`,
      retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
    });
    tell(`Sending ${template} (${nodeId})`);
    const seen = changes;
    try {
      let result = outages === 0 ? await sendWithThisTask(input, { enrollmentId, step, outages }, summary) : null;
      if (!result) {
        if (outages === 0) show('sending', nodeId, `Sending ${template} (${nodeId})`);
        result = await sendSequenceEmail({ enrollmentId, step, outages });
      }
      if (result.done) {
        mailed[nodeId] = step;
        outages = 0;
        mishaps.note(nodeId, result);
        return { next: result.next, seen };
      }
      if (result.heldBy === null) return {};
      const said = result.detail === undefined ? '' : ` (${result.detail})`;
      const until = result.until === null ? '' : ` until ${shownInstant(result.until)}`;
      const isOutage = result.heldBy === 'provider_unavailable';
      outages = isOutage ? outages + 1 : 0;
      show(isOutage ? 'retrying' : 'held', nodeId, `Held before ${nodeId}: ${result.heldBy.replaceAll('_', ' ')}${said}${until}`);
      const recheck = result.until === null ? RECHECK_MS : Math.max(1, result.until - Date.now());
      await condition(() => changes > seen, Math.min(recheck, turnOf(command)), {
        summary: `held before ${nodeId}: ${result.heldBy}${said}${until}`,
      });
      return {};
    } catch (error) {
      const failed = failedSend(error);
      if (failed) {
        mailed[nodeId] = step;
        outages = 0;
        mishaps.note(nodeId, { outcome: 'failed', detail: failed.detail });
        return { next: failed.next, seen };
      }
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      const detail = `given up after ${PATIENCE_DAYS} days: ${error.cause?.message ?? error.message}`;
      return { report: { step, outcome: 'failed', detail } };
    }
  };

  const wait = async (command: Extract<EnrollmentCommand, { do: 'wait' }>, seen: number): Promise<Performed> => {
    const { step, nodeId, waitingFor, until, timeoutOutcome } = command;
    const end = until === null ? '' : ` until ${shownInstant(until)}`;
    show('waiting', nodeId, `Waiting at ${nodeId} for ${waitingFor}${end}`);
    if (until === null) {
      const summary = mishaps.before(step, `${nodeId}: ${waitingFor}`);
      await condition(() => changes > seen, Math.min(WAIT_RECHECK_MS, turnOf(command)), { summary });
      return {};
    }
    const remaining = until - Date.now();
    if (remaining <= 0) return { report: { step, outcome: timeoutOutcome } };
    const turn = turnOf(command);
    const summary = mishaps.before(step, `${nodeId}: ${waitingFor}${end}`);
    const isToldMore = (await condition(() => changes > seen, Math.min(remaining, turn), { summary })) || turn < remaining;
    return isToldMore ? {} : { report: { step, outcome: timeoutOutcome } };
  };

  const call = async (command: Extract<EnrollmentCommand, { do: 'call' }>, seen: number): Promise<Performed> => {
    const { step, nodeId, method, host, path, firstRetrySeconds } = command;
    const what = `${method} ${host}${path ?? ''}`;
    show('running', nodeId, `Calling ${what} (${nodeId})`);
    const before = mishaps.before(step, `${nodeId}: ${what}`);
    const pauseAfter = (tries: number): number => Math.min(firstRetrySeconds * 1000 * 2 ** (tries - 1), MOST_CALL_PAUSE_MS);
    let { made, busy, busySince } = input.calling?.step === step ? input.calling : NOT_CALLED;
    let heard = seen;
    let turnsAt = Date.now() + turnOf(command);
    /** What comes instead of the call, if the run has ended by what has changed, or stands elsewhere. */
    const instead = async (): Promise<Performed | undefined> => {
      heard = changes;
      const next = await stepAfter(input, nodeId)({ enrollmentId });
      if (next.do !== 'call' || next.step !== step) return { next, seen: heard };
      turnsAt = Date.now() + turnOf(next);
      return undefined;
    };
    /** Until the call is made again: what comes instead of it, if something does. */
    const pause = async (pauseMs: number, hurried: number, summary: string): Promise<Performed | undefined> => {
      if (!patched(LISTENS)) {
        await condition(() => hurries > hurried, pauseMs, { summary });
        return undefined;
      }
      const until = Date.now() + pauseMs;
      for (let left = pauseMs; left > 0; left = until - Date.now()) {
        const turn = Math.max(1, turnsAt - Date.now());
        await condition(() => changes > heard, Math.min(left, turn), { summary });
        if (changes === heard && turn >= left) return undefined;
        const other = await instead();
        if (other || hurries > hurried) return other;
      }
      return undefined;
    };
    while (true) {
      const hurried = hurries;
      const number = `try ${made + 1} of ${CALL_TRIES}`;
      const isByRun = path !== undefined;
      const { callWebhook } = queuedActivities<EnrollmentActivities>(input, {
        taskQueue: TASK_QUEUES.webhooks,
        summary: isByRun ? `${before}, ${number}` : before,
        startToCloseTimeout: `${CALL_SECONDS}s`,
        retry: isByRun
          ? { maximumAttempts: 1 }
          : {
              initialInterval: pauseAfter(made + 1),
              backoffCoefficient: 2,
              maximumInterval: MOST_CALL_PAUSE_MS,
              maximumAttempts: CALL_TRIES - made,
            },
      });
      const pauseMs = made + 1 < CALL_TRIES ? pauseAfter(made + 1) : null;
      try {
        const calling = callWebhook(isByRun ? { enrollmentId, step, pauseMs, triesBefore: made } : { enrollmentId, step });
        while (await isOvertaken(calling, () => changes > heard)) {
          if (!patched(LISTENS)) break;
          // A call in flight is recorded by the activity all the same.
          const other = await instead();
          if (other) return other;
        }
        return { report: await calling };
      } catch (error) {
        if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
        const { cause } = error;
        if (cause instanceof ApplicationFailure && cause.type === HOST_BUSY) {
          made += Number(cause.details?.[0] ?? 0);
          // It was no try.
          busySince ??= Date.now();
          const busyMs = busyPauseMs({ busy: busy++, isRetry: made > 0 }, Math.random());
          const notMade = made > 0 ? `try ${made + 1} not made yet` : 'no call made yet';
          const plan = `waits for a place until ${shownInstant(Date.now() + busyMs)}: ${cause.message}; ${notMade}`;
          tell(`${capitalized(plan)} (${what}, ${nodeId})`);
          if (isByRun && patched(LISTENS)) {
            if (Date.now() - busySince >= PATIENCE_DAYS * DAY_MS)
              return {
                report: { step, outcome: 'failed', detail: `given up after ${PATIENCE_DAYS} days without a place: ${cause.message}` },
              };
            const other = await pause(busyMs, hurried, `${nodeId}: ${plan}`);
            if (other) return other;
            if (workflowInfo().continueAsNewSuggested) await continueAs({ calling: { step, made, busy, busySince } });
          } else await sleep(busyMs, { summary: `${nodeId}: ${plan}` });
          tell(`Calling ${what} (${nodeId}), try ${made + 1} of ${CALL_TRIES}`);
          continue;
        }
        const said = cause?.message ?? error.message;
        if (!isByRun || pauseMs === null)
          return { report: { step, outcome: 'failed', detail: `given up after ${CALL_TRIES} tries: ${said}` } };
        made++;
        busySince = null;
        const plan = `${number}: ${shownWords(said)}; next ${shownInstant(Date.now() + pauseMs)}`;
        show('retrying', nodeId, `Calling ${what} (${nodeId}), ${plan}`);
        const other = await pause(pauseMs, hurried, `${nodeId}: ${plan}`);
        if (other) return other;
        tell(`Calling ${what} (${nodeId}), try ${made + 1} of ${CALL_TRIES}`);
      }
    }
  };

  const perform = (command: Exclude<EnrollmentCommand, { do: 'end' }>, seen: number): Promise<Performed> => {
    switch (command.do) {
      case 'send':
        return send(command);
      case 'wait':
        return wait(command, seen);
      case 'call':
        return call(command, seen);
      default:
        return command satisfies never;
    }
  };

  try {
    for (let performed: Performed = {}; ; ) {
      const { report, next, seen = changes } = performed;
      if (report) mishaps.note(at, report);
      const command = next ?? (await stepAfter(input, at)(report ? { enrollmentId, report } : { enrollmentId }));
      if (command.do === 'end') {
        if (command.detail !== undefined) mishaps.note(at, { outcome: 'failed', detail: command.detail });
        const end = command.status === undefined ? command.reason : `${command.status}: ${command.reason}`;
        const isFailed = command.reason === 'failed' && input.types === 'in words';
        show(isFailed ? 'failed' : 'running', at, `Ended, ${end}`);
        return [end, ...mishaps.all].join('; ');
      }
      at = command.nodeId;
      if (workflowInfo().continueAsNewSuggested) await continueAs({});
      performed = await perform(command, seen);
    }
  } catch (error) {
    if (isCancellation(error)) {
      const { endCancelled } = localActivities<EnrollmentActivities>(input, STEP_ACTIVITY);
      await CancellationScope.nonCancellable(() => endCancelled({ enrollmentId }));
    }
    throw error;
  }
}

/** In how many milliseconds a command says that the clock alone may change what a run does; never for runs that began before. */
function turnOf({ turnsInMs }: { readonly turnsInMs?: number }): number {
  return turnsInMs !== undefined && patched('wakes-by-the-clock') ? turnsInMs : Number.POSITIVE_INFINITY;
}

/** Whether something comes true before the work has ended, however that ends. */
function isOvertaken(work: Promise<unknown>, isTrue: () => boolean): Promise<boolean> {
  const ended = work.then(
    () => false,
    () => false,
  );
  return Promise.race([ended, condition(isTrue).then(() => true)]);
}

/** Asks for the command after what was done at a node; none at the beginning of a run. */
function stepAfter(run: EnrollmentInput, nodeId: string): EnrollmentActivities['nextStep'] {
  const summary = nodeId === '' ? 'where it stands' : `what comes after ${nodeId}`;
  return localActivities<EnrollmentActivities>(run, { ...STEP_ACTIVITY, summary }).nextStep;
}

/** Sends within the present task; null when it has to go through the queue, also when the attempt broke off. */
function sendWithThisTask(run: EnrollmentInput, input: SendInput, summary: string): Promise<SendStepResult | null> {
  const { sendWithTask } = localActivities<EnrollmentActivities>(run, {
    summary,
    startToCloseTimeout: SEND_ACTIVITY_MS,
    retry: { maximumAttempts: 1 },
  });
  return unlessBrokenOff(sendWithTask(input), SEND_FAILED);
}

/** Why a mail failed, and the command that comes after it; undefined for every other failure. One of a local activity arrives as it is. */
function failedSend(error: unknown): { readonly detail: string; readonly next: EnrollmentCommand } | undefined {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  const isIt = failure instanceof ApplicationFailure && failure.type === SEND_FAILED;
  return isIt ? { detail: failure.message, next: failure.details?.[0] as EnrollmentCommand } : undefined;
}

/** Puts the node and the state into the list of workflows. */
function showPlace(state: RunState, nodeId: string): void {
  const { searchAttributes } = workflowInfo();
  if (searchAttributes[SEARCH_ATTRIBUTES.node]?.[0] === nodeId && searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] === state) return;
  upsertSearchAttributes([
    { key: nodeAttribute, value: nodeId },
    { key: stateAttribute, value: state },
  ]);
}
