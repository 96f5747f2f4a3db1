/** So many lines at most, beside the one at the bottom. */
const LINES = 4;
const NICE = [1, 2, 2.5, 5, 10];

/** Numbers for the lines of a plot, which reach from the lowest value to the highest and have zero among them: low to high, evenly. */
export function ticksOf(values: readonly number[], isWhole: boolean): readonly number[] {
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const raw = (high - low || 1) / LINES;
  const size = 10 ** Math.floor(Math.log10(raw));
  // What comes of a division may be a hair above a nice number.
  const nice = size * (NICE.find((each) => raw <= size * each * (1 + 1e-9)) ?? 10);
  const step = isWhole ? Math.max(1, Math.ceil(nice)) : nice;
  const [from, to] = [Math.floor(low / step + 1e-9), Math.max(Math.ceil(high / step - 1e-9), 1)];
  // By multiplication: sums of tenths drift.
  return Array.from({ length: to - from + 1 }, (_, index) => Number(((from + index) * step).toPrecision(12)));
}
