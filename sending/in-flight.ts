import { createTurns } from './compose/turns.ts';
import type { SendPace } from './send-pace.ts';

/** Lets go of what `enter` gave, once. `unused`: mails of it that the provider was not asked to take; they do not count against the rate. */
export type Leave = (unused: number) => void;

/**
 * How many mails of campaigns this process has in flight: as many as keep it busy, few enough that a crash leaves few of unknown outcome. No
 * `Slots`: mails come by the batch, how many there is room for is measured, and the pace has to let them go as well.
 */
export interface InFlight {
  /** Waits for room for so many mails; projects take turns. Rejects with the signal's reason as soon as it is aborted. */
  enter(project: string, mails: number, signal: AbortSignal): Promise<Leave>;
  /** A run is under way in this process: for a moment there is less of campaigns in flight, so that its steps and mails go between them. */
  yieldToRuns(): void;
}

export interface InFlightOptions {
  /** Connections to the provider: so many mails are under way at least. */
  readonly connections: number;
  readonly pace: SendPace;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** Work for so long is in flight at the rate at which it goes: enough for the full rate. */
const WORTH_MS = 120;
/** While runs are under way. Campaigns are a fifth slower by it, and the mails of runs twice as fast (bench/fairness.ts). */
const YIELDING_WORTH_MS = 60;
const YIELD_FOR_MS = 1_000;
/** However fast it goes. */
const MOST = 600;
/** What has been in flight for so long waits for something of its own project, like a row that is locked, and takes no room from others. */
const STUCK_AFTER_MS = 2_000;
/** The rate is that of about the last second. */
const MEASURED_MS = 1_000;

interface Entered {
  readonly project: string;
  readonly mails: number;
  readonly at: number;
}

interface Waiting {
  readonly mails: number;
  readonly admitted: (leave: Leave) => void;
  readonly signal: AbortSignal;
}

export function createInFlight({ connections, pace, now = () => performance.now() }: InFlightOptions): InFlight {
  const waiting = createTurns<Waiting>();
  const ended = new RecentRate(now);
  const entered = new Set<Entered>();
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
  let yieldsUntil = Number.NEGATIVE_INFINITY;

  const room = (): number => {
    const worthMs = now() < yieldsUntil ? YIELDING_WORTH_MS : WORTH_MS;
    return Math.min(MOST, Math.max(connections, (ended.perSecond * worthMs) / 1000));
  };

  /** Whose turn it may be; undefined: nobody's. Who has something stuck waits until there is room for it too. */
  const mayEnter = (): ((project: string) => boolean) | undefined => {
    if (inFlight === 0 || inFlight < room()) return () => true;
    const stuck = [...entered].filter(({ at }) => now() - at >= STUCK_AFTER_MS);
    const moving = inFlight - stuck.reduce((sum, { mails }) => sum + mails, 0);
    if (inFlight >= MOST || moving >= room()) return undefined;
    const busy = new Set(stuck.map(({ project }) => project));
    return (project) => !busy.has(project);
  };

  const admit = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (let mayHaveTurn = mayEnter(); mayHaveTurn; mayHaveTurn = mayEnter()) {
      const pause = pace.batchWaitMs();
      if (pause > 0) {
        timer = setTimeout(admit, pause);
        return;
      }
      const next = waiting.next(mayHaveTurn);
      if (!next) break;
      const { mails, signal, admitted } = next.member;
      if (signal.aborted) continue;
      const mine = { project: next.line, mails, at: now() };
      entered.add(mine);
      inFlight += mails;
      pace.takeBatch(mails);
      admitted((unused) => {
        if (!entered.delete(mine)) return;
        inFlight -= mails;
        ended.add(mails - unused);
        pace.giveBack(unused);
        admit();
      });
    }
    if (inFlight > 0 && waiting.hasAny()) timer = setTimeout(admit, STUCK_AFTER_MS).unref();
  };

  return {
    enter: (project, mails, signal) =>
      new Promise((resolve, reject) => {
        // Its place in the line is passed over when its turn comes.
        const giveUp = (): void => reject(signal.reason);
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        const admitted = (leave: Leave): void => {
          signal.removeEventListener('abort', giveUp);
          resolve(leave);
        };
        waiting.add(project, { mails, admitted, signal });
        admit();
      }),
    yieldToRuns() {
      yieldsUntil = now() + YIELD_FOR_MS;
    },
  };
}

/** How many mails a second have ended, over about the last second. */
class RecentRate {
  readonly #now: () => number;
  #perSecond = 0;
  /** Since it was measured. */
  #ended = 0;
  #measuredAt: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#measuredAt = now();
  }

  get perSecond(): number {
    return this.#perSecond;
  }

  add(mails: number): void {
    this.#ended += mails;
    const elapsed = this.#now() - this.#measuredAt;
    if (elapsed < WORTH_MS) return;
    const share = Math.min(1, elapsed / MEASURED_MS);
    this.#perSecond = this.#perSecond * (1 - share) + ((this.#ended * 1000) / elapsed) * share;
    this.#ended = 0;
    this.#measuredAt = this.#now();
  }
}
