import type { EntityManager } from '../../db/orm.ts';
import { returnAllowance, takeAllowance } from '../../db/queries/sends/provider-days.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';

type LaterAnswer = Extract<ProviderAnswer, { outcome: 'later' }>;

/** How many mails a provider may still be given today, UTC, by all processes together. */
export interface Allowance {
  /** Takes one; an answer when none is left. */
  take(): Promise<LaterAnswer | undefined>;
  /** One that was taken and not used. */
  giveBack(): void;
  /** Gives back what this process has left. */
  close(): Promise<void>;
}

export interface AllowanceDeps {
  readonly em: EntityManager;
  readonly provider: string;
  /** At most a day. */
  readonly daily: number;
  readonly now: () => Date;
}

/** This part of a day's allowance is taken at once, so that the statement is none of each mail; and what a killed process has taken is lost for the day. */
const PART = 0.01;
const MOST_AT_ONCE = 500;
/** Once it is used, others may give some back. */
const LOOK_AGAIN_MS = 10_000;

/** Taken from the database a part at a time. Where that cannot be asked, mails go later. */
export function createAllowance({ em, provider, daily, now }: AllowanceDeps): Allowance {
  const atOnce = Math.min(MOST_AT_ONCE, Math.max(1, Math.floor(daily * PART)));
  let day = dayOf(now());
  let left = 0;
  let usedUpUntil = 0;
  let taking: Promise<void> | undefined;

  const refill = async (): Promise<void> => {
    const today = dayOf(now());
    const taken = await takeAllowance(em, { provider, day: today, daily, wanted: atOnce });
    // What was left of yesterday is of no use.
    left = today === day ? left + taken : taken;
    day = today;
    if (taken === 0) usedUpUntil = now().getTime() + LOOK_AGAIN_MS;
  };
  const takeOne = (): boolean => {
    if (left === 0 || day !== dayOf(now())) return false;
    left--;
    return true;
  };
  const usedUp = (): LaterAnswer => ({
    outcome: 'later',
    message: `today's allowance of the provider ${provider} is used; it takes mails again at 00:00 UTC`,
    retryAfterSeconds: Math.ceil((nextDay(now()) - now().getTime()) / 1_000),
    heldBy: 'allowance',
  });

  return {
    async take() {
      while (!takeOne()) {
        if (day === dayOf(now()) && now().getTime() < usedUpUntil) return usedUp();
        try {
          // Those that meet here share what is taken.
          taking ??= refill().finally(() => {
            taking = undefined;
          });
          await taking;
        } catch {
          return { outcome: 'later', message: `the allowance of the provider ${provider} could not be read`, heldBy: 'allowance' };
        }
      }
      return undefined;
    },
    giveBack() {
      left++;
    },
    async close() {
      // What cannot be given back is lost for the day.
      if (left > 0 && day === dayOf(now())) await returnAllowance(em, { provider, day, count: left }).catch(() => undefined);
      left = 0;
    },
  };
}

/** `2026-01-31`, UTC. */
function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function nextDay(at: Date): number {
  return Date.parse(`${dayOf(at)}T00:00:00Z`) + 86_400_000;
}
