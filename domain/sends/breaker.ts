/** So many of the latest answers are looked at, none older than that. */
const LATEST = 20;
const LATEST_MS = 60_000;
/** It opens when so many of them failed, and at least this share. */
const FAILED = 5;
const FAILED_SHARE = 0.5;
/** How long it is open before it lets one through, doubled by each that fails. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
/** One that was let through has its answer by then, or another one is. */
const PROBE_MS = 30_000;

/** What an answer has changed. */
export type BreakerChange = 'opened' | 'closed' | undefined;

interface Answer {
  readonly at: number;
  readonly failed: boolean;
}

/**
 * Whether something that fails should be asked at all: it opens when half of the latest answers, and five of them, were failures. While it is open one
 * probe is let through after 5 s, 10 s, 20 s … at most a minute; the first that succeeds closes it. `now`: milliseconds of a clock that never goes back.
 */
export class Breaker {
  readonly #now: () => number;
  #answers: Answer[] = [];
  #next = 0;
  /** When the next probe may go; undefined while it is closed. */
  #probeAt: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #isProbed = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#probeAt !== undefined;
  }

  /** Whether nobody should ask just now: it is open, and it is not the time of a probe. */
  get isShut(): boolean {
    return this.#probeAt !== undefined && this.#now() < this.#probeAt;
  }

  /** To be called by whoever asks. While it is open, that is the probe. */
  asked(): void {
    if (this.#probeAt === undefined || this.isShut) return;
    this.#isProbed = true;
    this.#probeAt = this.#now() + PROBE_MS;
  }

  succeeded(): BreakerChange {
    if (this.#probeAt === undefined) {
      this.#keep(false);
      return undefined;
    }
    // Of one that was asked before it opened.
    if (!this.#isProbed) return undefined;
    this.#probeAt = undefined;
    this.#isProbed = false;
    this.#answers = [];
    this.#next = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    return 'closed';
  }

  failed(): BreakerChange {
    if (this.#probeAt !== undefined) {
      if (!this.#isProbed) return undefined;
      this.#isProbed = false;
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
      this.#probeAt = this.#now() + this.#pauseMs;
      return undefined;
    }
    this.#keep(true);
    const since = this.#now() - LATEST_MS;
    const latest = this.#answers.filter(({ at }) => at > since);
    const failures = latest.filter(({ failed }) => failed).length;
    if (failures < FAILED || failures < latest.length * FAILED_SHARE) return undefined;
    this.#probeAt = this.#now() + this.#pauseMs;
    return 'opened';
  }

  /** Of every mail, so it takes the place of the oldest. */
  #keep(failed: boolean): void {
    this.#answers[this.#next] = { at: this.#now(), failed };
    this.#next = (this.#next + 1) % LATEST;
  }
}
