import type { Taken } from '../../db/queries/sends/allowance-days.ts';
import { type AllowanceHolder, dayOf, endOfDay, holderWords } from '../../domain/sends/allowance.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';

export type HeldAnswer = Extract<ProviderAnswer, { outcome: 'later' }>;

/** How many mails may still go today, UTC, of all processes together. */
export interface Allowance {
  /** Takes one; an answer when none is left. */
  take(): Promise<HeldAnswer | undefined>;
  /** Whether the last that asked found none left of today. */
  readonly isUsed: boolean;
  /** One that was taken and not used. */
  giveBack(): void;
  /** Gives back what this process has left: the limit is another one, or nothing goes any more. */
  leave(): Promise<void>;
}

export interface AllowanceDeps {
  readonly holder: AllowanceHolder;
  /** Takes so many of this day from the database, or what is left. */
  readonly take: (day: string, wanted: number) => Promise<Taken>;
  readonly returned: (day: string, count: number) => Promise<void>;
  /** Mails are counted and none is held, whatever the database says. */
  readonly holdsNone?: boolean;
  /** Once it is used, others may give some back: it is looked at again after so long; 0: each time. */
  readonly lookAgainMs: number;
  /** Told once a day, when it is used. */
  readonly used?: (() => void) | undefined;
  readonly now: () => Date;
}

/** What nobody has taken for so long is given back, so that others may take it and what is counted is what went. */
const IDLE_MS = 3_000;
/** This part of a day's allowance is taken at once, so that the statement is none of each mail; and what a killed process has taken is lost for the day. */
const PART = 0.01;
const MOST_AT_ONCE = 500;

/** Taken from the database a part at a time. Where that cannot be asked, mails go later. */
export function createAllowance({ holder, take, returned, holdsNone = false, lookAgainMs, used, now }: AllowanceDeps): Allowance {
  let atOnce = 1;
  let day = dayOf(now());
  let left = 0;
  let usedUpUntil = 0;
  let usedOn: string | undefined;
  let toldOn: string | undefined;
  let taking: Promise<number> | undefined;
  /** How many limits have been left: what is taken meanwhile was by one of them. */
  let limitsLeft = 0;
  let idle: NodeJS.Timeout | undefined;

  const giveRest = async (): Promise<void> => {
    clearTimeout(idle);
    idle = undefined;
    const [rest, of] = [left, day];
    left = 0;
    // What cannot be given back is lost for the day.
    if (rest > 0 && of === dayOf(now())) await returned(of, rest).catch(() => undefined);
  };
  const giveRestWhenIdle = (): void => {
    idle ??= setTimeout(giveRest, IDLE_MS).unref();
  };
  /** How many it has brought. */
  const refill = async (): Promise<number> => {
    const [today, before] = [dayOf(now()), limitsLeft];
    const { count, limit } = await take(today, atOnce);
    if (before !== limitsLeft) {
      if (count > 0) await returned(today, count);
      return refill();
    }
    atOnce = Math.min(MOST_AT_ONCE, Math.max(1, Math.floor((limit ?? Number.POSITIVE_INFINITY) * PART)));
    // What was left of yesterday is of no use.
    left = today === day ? left + count : count;
    day = today;
    giveRestWhenIdle();
    usedOn = count === 0 ? today : undefined;
    usedUpUntil = count === 0 ? now().getTime() + lookAgainMs : 0;
    if (count === 0 && toldOn !== today) {
      toldOn = today;
      used?.();
    }
    return count;
  };
  const takeOne = (): boolean => {
    if (left === 0 || day !== dayOf(now())) return false;
    left--;
    idle?.refresh();
    return true;
  };
  const isUsedUp = (): boolean => day === dayOf(now()) && now().getTime() < usedUpUntil;
  const usedUp = (): HeldAnswer => ({
    outcome: 'later',
    message: `today's allowance of ${holderWords(holder)} is used; it goes on at 00:00 UTC`,
    retryAfterSeconds: Math.ceil((endOfDay(now()).getTime() - now().getTime()) / 1_000),
    heldBy: 'allowance',
    allowance: holder,
  });

  return {
    async take() {
      while (!takeOne()) {
        if (isUsedUp()) return usedUp();
        try {
          // Those that meet here share what is taken.
          taking ??= refill().finally(() => {
            taking = undefined;
          });
          if ((await taking) === 0) return usedUp();
        } catch {
          if (holdsNone) return undefined;
          return { outcome: 'later', message: `the allowance of ${holderWords(holder)} could not be read` };
        }
      }
      return undefined;
    },
    get isUsed() {
      return usedOn === dayOf(now());
    },
    giveBack() {
      left++;
      giveRestWhenIdle();
    },
    async leave() {
      limitsLeft++;
      atOnce = 1;
      usedUpUntil = 0;
      await giveRest();
    },
  };
}
