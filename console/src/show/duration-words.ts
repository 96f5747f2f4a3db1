const UNITS = [
  { minutes: 10_080, name: 'week' },
  { minutes: 1440, name: 'day' },
  { minutes: 60, name: 'hour' },
  { minutes: 1, name: 'minute' },
] as const;

/** Minutes in the largest unit that they are whole in. */
export function durationWords(minutes: number): string {
  if (minutes > 0 && minutes < 1) return `${Number((minutes * 60).toFixed(1))} s`;
  const unit = UNITS.find((one) => minutes >= one.minutes && minutes % one.minutes === 0) ?? UNITS[3];
  const count = minutes / unit.minutes;
  return `${Number(count.toFixed(2))} ${unit.name}${count === 1 ? '' : 's'}`;
}
