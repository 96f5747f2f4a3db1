import type { EntityManager } from '../../db/orm.ts';
import { type AllowanceDay, type DayLimits, returnAllowance, takeAllowance } from '../../db/queries/sends/allowance-days.ts';
import type { AllowanceHolder } from '../../domain/sends/allowance.ts';
import { type Allowance, createAllowance, type HeldAnswer } from './allowance.ts';

/** What a provider may be given today, or may go from a domain: a ramp holds campaigns only, and other mails count. */
export interface Allowances {
  /** Takes one, for a mail of a campaign (`isBulk`) or another; an answer when none is left. */
  take(isBulk: boolean): Promise<HeldAnswer | undefined>;
  /** Whether the last mail that was none of a campaign found none left of today; where there is no ramp, any mail. */
  readonly isUsed: boolean;
  /** One that was taken and not used. */
  giveBack(isBulk: boolean): void;
  /** Gives back what this process has left: the limits are others, or nothing goes any more. */
  leave(): Promise<void>;
}

export interface AllowancesDeps {
  readonly em: EntityManager;
  readonly holder: AllowanceHolder;
  readonly of: AllowanceDay['of'];
  /** Those of now. */
  readonly limits: () => DayLimits | Promise<DayLimits>;
  /** Whether there is a ramp, or may be one. */
  readonly hasRamp: boolean;
  readonly hasDaily: boolean;
  readonly lookAgainMs: number;
  /** Told once a day by each process, when campaigns (`isBulk`) or all mails have used it. */
  readonly used?: ((isBulk: boolean) => void) | undefined;
  readonly now: () => Date;
}

/** Both are counted on one day. */
export function createAllowances({ em, holder, of, limits, hasRamp, hasDaily, lookAgainMs, used, now }: AllowancesDeps): Allowances {
  const counted = (isBulk: boolean, holdsNone: boolean): Allowance =>
    createAllowance({
      ...{ holder, holdsNone, lookAgainMs, now },
      used: used && (() => used(isBulk && hasRamp)),
      take: async (day, wanted) => takeAllowance(em, { of, day }, { limits: await limits(), isBulk, wanted }),
      returned: (day, count) => returnAllowance(em, { of, day }, count),
    });
  const bulk = counted(true, false);
  const others = hasRamp ? counted(false, !hasDaily) : bulk;
  const allowanceOf = (isBulk: boolean): Allowance => (isBulk ? bulk : others);
  return {
    take: (isBulk) => allowanceOf(isBulk).take(),
    get isUsed() {
      return others.isUsed;
    },
    giveBack: (isBulk) => allowanceOf(isBulk).giveBack(),
    async leave() {
      await Promise.all([...new Set([bulk, others])].map((allowance) => allowance.leave()));
    },
  };
}
