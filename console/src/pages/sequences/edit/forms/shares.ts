/** One branch of a split while it is edited. */
export interface Share {
  readonly key: string;
  /** '' while it is typed. */
  readonly percent: number | '';
}

/** What a split may have at most. */
export const MOST_BRANCHES = 10;
/** Of thirds there are but 99.99. */
const TOLERANCE = 0.05;

type Arm = { readonly key: string; readonly weight?: number };

/** Weights are relative to each other; people think in percent. */
export function sharesOf(arms: readonly Arm[]): Share[] {
  const total = arms.reduce((sum, { weight = 1 }) => sum + weight, 0);
  return arms.map(({ key, weight = 1 }) => ({ key, percent: total > 0 ? rounded((weight / total) * 100) : '' }));
}

export function armsOf(shares: readonly Share[]): Arm[] {
  return shares.map(({ key, percent }) => ({ key, weight: percent || 0 }));
}

/** Whole percentages that come to 100. */
export function equally(keys: readonly string[]): Share[] {
  const each = Math.floor(100 / keys.length);
  return keys.map((key, index) => ({ key, percent: each + (index < 100 - each * keys.length ? 1 : 0) }));
}

/** Whether they are as `equally` makes them. */
export function areEqual(shares: readonly Share[]): boolean {
  const percents = shares.map(({ percent }) => percent || 0);
  return Math.max(...percents) - Math.min(...percents) <= 1;
}

/** What is wrong with the percentages together, in words. */
export function sharesProblem(shares: readonly Share[]): string | undefined {
  if (shares.some(({ percent }) => !percent)) return 'Give each branch more than 0 %';
  const total = rounded(shares.reduce((sum, { percent }) => sum + (percent || 0), 0));
  return Math.abs(total - 100) <= TOLERANCE ? undefined : `The percentages add up to ${total}. Make it 100`;
}

/** The first letter that no branch is called by. */
export function freeKey(shares: readonly Share[]): string {
  const taken = new Set(shares.map(({ key }) => key));
  return [...'abcdefghijklmnopqrstuvwxyz'].find((letter) => !taken.has(letter)) ?? `branch_${shares.length + 1}`;
}

function rounded(percent: number): number {
  return Number(percent.toFixed(2));
}
