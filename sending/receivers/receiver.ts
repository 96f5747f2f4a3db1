import { createSendPace, NO_PACE, type SendPace } from '../send-pace.ts';

/** What is set of the mails to one receiver, for each process; absent: as many as go. */
export interface ReceiverLimits {
  readonly ratePerSecond?: number | undefined;
  /** Mails that are submitted at the same time. */
  readonly connections?: number | undefined;
}

/** A mail of a campaign waits here for so long at most: what cannot go by then makes room for mails to others. */
const BULK_WAIT_MS = 1_000;
/** Of the rate at which its mails were taken of late. */
const WINDOW_MS = 5_000;
/** Deferrals within so long of each other slow it down once. */
const ONE_STEP_MS = 5_000;
/** Without a deferral for so long its rate doubles. */
const RECOVERS_MS = 30_000;
/** However often it defers. */
const SLOWEST_PER_SECOND = 0.5;
/** Once it takes so many times what it took when it was slowed down first, it is no longer. */
const RECOVERED_TIMES = 4;

/** What may be asked of a receiver just now. */
interface Slowed {
  readonly perSecond: number;
  readonly pace: SendPace;
  /** When its rate was changed last, or a mail deferred. */
  readonly at: number;
  /** The rate before it was slowed down. */
  readonly from: number;
}

/** A mail that waits for a connection. */
interface Waiter {
  readonly isBulk: boolean;
  readonly go: (may: boolean) => void;
}

/** Mails to one receiver of this process: its limits, and the rate that it asks for by deferring. `now`: milliseconds of a clock that never goes back. */
export class Receiver {
  readonly name: string;
  readonly #limits: ReceiverLimits;
  readonly #now: () => number;
  readonly #pace: SendPace;
  #slowed: Slowed | undefined;
  #inFlight = 0;
  /** For a connection: those of calls and steps first. */
  readonly #waiting: Waiter[] = [];
  /** When the next mail that has to go later may be tried. */
  #heldUntil = 0;
  #window = { begunAt: 0, taken: 0, before: 0 };

  constructor(name: string, limits: ReceiverLimits, now: () => number) {
    this.name = name;
    this.#limits = limits;
    this.#now = now;
    this.#pace = createSendPace(limits.ratePerSecond ?? 0, now);
  }

  /** Mails a second that it may get; undefined: as many as go. */
  get perSecond(): number | undefined {
    const { ratePerSecond = Number.POSITIVE_INFINITY } = this.#limits;
    const least = Math.min(ratePerSecond, this.#slowed?.perSecond ?? Number.POSITIVE_INFINITY);
    return least === Number.POSITIVE_INFINITY ? undefined : least;
  }

  get isSlowed(): boolean {
    this.#recover();
    return this.#slowed !== undefined;
  }

  /** Takes the turn of a mail. Milliseconds until it has come; undefined: it does not come by `deadline`, or for one of a campaign soon enough. */
  turn(isBulk: boolean, deadline: number): number | undefined {
    this.#recover();
    if (this.perSecond === undefined) return 0;
    const leftMs = Math.max(0, Math.min(deadline - this.#now(), isBulk ? BULK_WAIT_MS : Number.POSITIVE_INFINITY));
    const paces = [this.#pace, this.#slowed?.pace ?? NO_PACE];
    if (!isBulk) {
      const waits = paces.map((pace) => pace.takeOne(leftMs));
      const most = Math.max(...waits);
      return most > leftMs ? undefined : most;
    }
    const most = Math.max(...paces.map((pace) => pace.batchWaitMs()));
    if (most > leftMs) return undefined;
    for (const pace of paces) pace.takeBatch(1);
    return most;
  }

  /** Takes a connection if one is free. */
  connectAtOnce(): boolean {
    const { connections = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#inFlight >= connections) return false;
    this.#inFlight++;
    return true;
  }

  /** Takes a connection, waiting for one if need be. False: there is none in time. */
  async connect(isBulk: boolean, deadline: number): Promise<boolean> {
    if (this.connectAtOnce()) return true;
    const until = Math.min(deadline, isBulk ? this.#now() + BULK_WAIT_MS : Number.POSITIVE_INFINITY);
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.go(false), Math.max(0, until - this.#now()));
      const waiter: Waiter = {
        isBulk,
        go: (may) => {
          clearTimeout(timer);
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
          resolve(may);
        },
      };
      this.#waiting.push(waiter);
    });
  }

  /** Gives the connection to the next one. */
  leave(): void {
    const next = this.#waiting.find(({ isBulk }) => !isBulk) ?? this.#waiting[0];
    if (next) next.go(true);
    else this.#inFlight--;
  }

  /** Seconds after which a mail that has to go later may have its turn, behind those that have to already. */
  holdSeconds(): number {
    const at = Math.max(this.#now(), this.#heldUntil);
    this.#heldUntil = at + 1_000 / (this.perSecond ?? Math.max(1, this.#recentRate()));
    return Math.max(1, Math.ceil((this.#heldUntil - this.#now()) / 1_000));
  }

  taken(): void {
    this.#shift();
    this.#window.taken++;
  }

  /** It wants mails later, while others take theirs. True when it is slowed down by that. */
  deferred(): boolean {
    this.#recover();
    const at = this.#now();
    if (this.#slowed && at - this.#slowed.at < ONE_STEP_MS) return false;
    const from = this.#slowed?.from ?? Math.max(this.#recentRate(), SLOWEST_PER_SECOND);
    const perSecond = Math.max(SLOWEST_PER_SECOND, (this.#slowed?.perSecond ?? from) / 2);
    this.#slowed = { perSecond, from, at, pace: createSendPace(perSecond, this.#now) };
    return true;
  }

  #recover(): void {
    if (!this.#slowed) return;
    const at = this.#now();
    const { from, at: since, perSecond: before } = this.#slowed;
    const steps = Math.floor((at - since) / RECOVERS_MS);
    if (steps === 0) return;
    const perSecond = before * 2 ** steps;
    const isRecovered = perSecond >= from * RECOVERED_TIMES;
    this.#slowed = isRecovered ? undefined : { perSecond, from, at, pace: createSendPace(perSecond, this.#now) };
  }

  /** Mails a second that it took of late. */
  #recentRate(): number {
    this.#shift();
    const { begunAt, taken, before } = this.#window;
    return (taken + before) / ((this.#now() - begunAt + WINDOW_MS) / 1_000);
  }

  #shift(): void {
    const age = this.#now() - this.#window.begunAt;
    if (age < WINDOW_MS) return;
    this.#window = { begunAt: this.#now(), taken: 0, before: age < 2 * WINDOW_MS ? this.#window.taken : 0 };
  }
}
