import { ActivityFailure, ApplicationFailure, condition, isCancellation, patched, sleep } from '@temporalio/workflow';
import type { EnrollmentActivities } from '../../activities/enrollment.ts';
import { capitalized, shownInstant, shownWords } from '../../domain/shown-text.ts';
import { busyPauseMs } from '../../domain/webhooks/delivery.ts';
import { queuedActivities } from '../activities.ts';
import { type CallProgress, HOST_BUSY, type StepReport, TASK_QUEUES } from '../contracts.ts';
import { type Command, PATIENCE_DAYS, type Performed, type Run, turnOf } from './run.ts';

/** docs/contract/sequences.md 23: five tries in all, each pause twice the one before. */
const CALL_TRIES = 5;
/** Longer than the wait for a slot (15 s) and the longest call (30 s) may take. */
const CALL_SECONDS = 60;
const MOST_CALL_PAUSE_MS = 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** A change between the tries of a call is seen, or while one is in flight; and a call that finds no place neither fills a history nor lasts for ever. */
const LISTENS = 'listens-between-calls';
/** A retryNow that comes while a call is in flight is for the try after it. */
const HEARS_RETRIES = 'hears-retries-in-flight';

/** Calls the address of a webhook node, again and again until it is taken or given up, or the run has ended or stands elsewhere. */
export function call(run: Run, command: Command<'call'>, seen: number): Promise<Performed> {
  const { nodeId, method, host, path } = command;
  const what = `${method} ${host}${path ?? ''}`;
  run.show('running', nodeId, `Calling ${what} (${nodeId})`);
  return new Call(run, command, { what, seen }).carryOut();
}

class Call {
  readonly #run: Run;
  readonly #command: Command<'call'>;
  /** Method and address, as operators see them. */
  readonly #what: string;
  readonly #before: string;
  /** Earlier runs leave all tries to the retries of one activity. */
  readonly #isByRun: boolean;
  #made: number;
  /** How often in a row it had no place, and since when. */
  #busy: number;
  #busySince: number | null;
  /** Changes that were answered. */
  #heard: number;
  #turnsAt: number;

  constructor(run: Run, command: Command<'call'>, { what, seen }: { readonly what: string; readonly seen: number }) {
    const { step, nodeId } = command;
    this.#run = run;
    this.#command = command;
    this.#what = what;
    this.#before = run.failedSteps.before(step, `${nodeId}: ${what}`);
    this.#isByRun = command.path !== undefined;
    const { calling } = run.input;
    const progress: Omit<CallProgress, 'step'> = calling?.step === step ? calling : { made: 0, busy: 0, busySince: null };
    this.#made = progress.made;
    this.#busy = progress.busy;
    this.#busySince = progress.busySince;
    this.#heard = seen;
    this.#turnsAt = Date.now() + turnOf(command);
  }

  async carryOut(): Promise<Performed> {
    for (;;) {
      const ended = await this.#try();
      if (ended) return ended;
      this.#run.tell(`Calling ${this.#what} (${this.#command.nodeId}), try ${this.#made + 1} of ${CALL_TRIES}`);
    }
  }

  /** How the call ended, or what comes instead of it; undefined when it is to be tried again now. */
  async #try(): Promise<Performed | undefined> {
    const retriesAsked = this.#run.changes.retriesAsked;
    const pauseMs = this.#made + 1 < CALL_TRIES ? this.#pauseAfter(this.#made + 1) : null;
    try {
      const calling = this.#callWebhook(pauseMs);
      while (await isOvertaken(calling, () => this.#run.changes.count > this.#heard)) {
        if (!patched(LISTENS)) break;
        // A call in flight is recorded by the activity all the same.
        const other = await this.#instead();
        if (other) return other;
      }
      return { report: await calling };
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
      const { cause } = error;
      if (cause instanceof ApplicationFailure && cause.type === HOST_BUSY) return this.#foundNoPlace(cause, retriesAsked);
      return this.#failed(cause?.message ?? error.message, { pauseMs, retriesAsked });
    }
  }

  #callWebhook(pauseMs: number | null): Promise<StepReport> {
    const { input } = this.#run;
    const { step } = this.#command;
    const retry = {
      initialInterval: this.#pauseAfter(this.#made + 1),
      backoffCoefficient: 2,
      maximumInterval: MOST_CALL_PAUSE_MS,
      maximumAttempts: CALL_TRIES - this.#made,
    };
    const { callWebhook } = queuedActivities<EnrollmentActivities>(input, {
      taskQueue: TASK_QUEUES.webhooks,
      summary: this.#isByRun ? `${this.#before}, ${this.#number()}` : this.#before,
      startToCloseTimeout: `${CALL_SECONDS}s`,
      retry: this.#isByRun ? { maximumAttempts: 1 } : retry,
    });
    const asked = { enrollmentId: input.enrollmentId, step };
    return callWebhook(this.#isByRun ? { ...asked, pauseMs, triesBefore: this.#made } : asked);
  }

  /** The host has as many calls at once as it may have: that was no try. */
  async #foundNoPlace({ message, details }: ApplicationFailure, retriesAsked: number): Promise<Performed | undefined> {
    const { nodeId, step } = this.#command;
    this.#made += Number(details?.[0] ?? 0);
    this.#busySince ??= Date.now();
    const busyMs = busyPauseMs({ busy: this.#busy++, isRetry: this.#made > 0 }, Math.random());
    const notMade = this.#made > 0 ? `try ${this.#made + 1} not made yet` : 'no call made yet';
    const plan = `waits for a place until ${shownInstant(Date.now() + busyMs)}: ${message}; ${notMade}`;
    this.#run.tell(`${capitalized(plan)} (${this.#what}, ${nodeId})`);
    if (!this.#isByRun || !patched(LISTENS)) {
      await sleep(busyMs, { summary: `${nodeId}: ${plan}` });
      return undefined;
    }
    if (Date.now() - this.#busySince >= PATIENCE_DAYS * DAY_MS)
      return this.#givenUp(`given up after ${PATIENCE_DAYS} days without a place: ${message}`);
    const other = await this.#pause(busyMs, { retriesAsked, summary: `${nodeId}: ${plan}` });
    if (other) return other;
    await this.#run.continueIfLong({ calling: { step, made: this.#made, busy: this.#busy, busySince: this.#busySince } });
    return undefined;
  }

  async #failed(
    said: string,
    { pauseMs, retriesAsked }: { readonly pauseMs: number | null; readonly retriesAsked: number },
  ): Promise<Performed | undefined> {
    if (!this.#isByRun || pauseMs === null) return this.#givenUp(`given up after ${CALL_TRIES} tries: ${said}`);
    const { nodeId } = this.#command;
    const plan = `${this.#number()}: ${shownWords(said)}; next ${shownInstant(Date.now() + pauseMs)}`;
    this.#made++;
    this.#busySince = null;
    this.#run.show('retrying', nodeId, `Calling ${this.#what} (${nodeId}), ${plan}`);
    return this.#pause(pauseMs, { retriesAsked, summary: `${nodeId}: ${plan}` });
  }

  #givenUp(detail: string): Performed {
    return { report: { step: this.#command.step, outcome: 'failed', detail } };
  }

  /** Until the call is made again: what comes instead of it, if something does. */
  async #pause(
    pauseMs: number,
    { retriesAsked, summary }: { readonly retriesAsked: number; readonly summary: string },
  ): Promise<Performed | undefined> {
    const run = this.#run;
    if (!patched(LISTENS)) {
      await condition(() => run.changes.retriesAsked > retriesAsked, pauseMs, { summary });
      return undefined;
    }
    const until = Date.now() + pauseMs;
    if (run.changes.retriesAsked > retriesAsked && patched(HEARS_RETRIES)) return undefined;
    for (let left = pauseMs; left > 0; left = until - Date.now()) {
      const turn = Math.max(1, this.#turnsAt - Date.now());
      await run.changes.beyond(this.#heard, Math.min(left, turn), summary);
      if (run.changes.count === this.#heard && turn >= left) return undefined;
      const other = await this.#instead();
      if (other || run.changes.retriesAsked > retriesAsked) return other;
    }
    return undefined;
  }

  /** What comes instead of the call, if the run has ended by what has changed, or stands elsewhere. */
  async #instead(): Promise<Performed | undefined> {
    this.#heard = this.#run.changes.count;
    const next = await this.#run.next();
    if (next.do !== 'call' || next.step !== this.#command.step) return { next, seen: this.#heard };
    this.#turnsAt = Date.now() + turnOf(next);
    return undefined;
  }

  #number(): string {
    return `try ${this.#made + 1} of ${CALL_TRIES}`;
  }

  #pauseAfter(tries: number): number {
    return Math.min(this.#command.firstRetrySeconds * 1000 * 2 ** (tries - 1), MOST_CALL_PAUSE_MS);
  }
}

/** Whether something comes true before the work has ended, however that ends. */
function isOvertaken(work: Promise<unknown>, isTrue: () => boolean): Promise<boolean> {
  const ended = work.then(
    () => false,
    () => false,
  );
  return Promise.race([ended, condition(isTrue).then(() => true)]);
}
