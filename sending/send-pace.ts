/**
 * How many mails this process submits a second at most, over all that it sends (SEND_RATE_PER_SECOND) or to one provider. Mails of calls and steps do not wait for
 * those of campaigns, which make room for them; a second's worth that was not used may be made up for.
 */
export interface SendPace {
  /** Infinity where no rate is set. */
  readonly perSecond: number;
  /** Takes the turn of a mail of a call or a step, unless it comes later than that. Returns the milliseconds until it has come, or would have. */
  takeOne(withinMs: number): number;
  /** Milliseconds until the next batch of a campaign may take its turn; 0: now. */
  batchWaitMs(): number;
  takeBatch(mails: number): void;
  /** Mails whose turn was taken and that were not submitted. */
  giveBack(mails: number): void;
}

/** Where no rate is set. */
export const NO_PACE: SendPace = {
  perSecond: Number.POSITIVE_INFINITY,
  takeOne: () => 0,
  batchWaitMs: () => 0,
  takeBatch: () => undefined,
  giveBack: () => undefined,
};

/** What may be made up for. */
const SLACK_MS = 1_000;

/** `perSecond` 0: as many as go. `now`: milliseconds. */
export function createSendPace(perSecond: number, now: () => number = () => performance.now()): SendPace {
  if (perSecond === 0) return NO_PACE;
  const eachMs = 1_000 / perSecond;
  /** When the next one may begin: of calls and steps by themselves, and of everything. */
  let oneAt = now();
  let allAt = now();
  const after = (at: number, mails: number): number => Math.max(at, now() - SLACK_MS) + mails * eachMs;
  return {
    perSecond,
    takeOne(withinMs) {
      const waitMs = Math.max(0, oneAt - now());
      if (waitMs > withinMs) return waitMs;
      oneAt = after(oneAt, 1);
      allAt = after(allAt, 1);
      return waitMs;
    },
    batchWaitMs: () => Math.max(0, allAt - now()),
    takeBatch(mails) {
      allAt = after(allAt, mails);
    },
    giveBack(mails) {
      allAt -= mails * eachMs;
    },
  };
}
