import { Text, Tooltip } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;
/** From here on a date says more than a number of days. */
const LONG_AGO_SECONDS = 14 * 86_400;
const TICK_MS = 20_000;

let shownNow = Date.now();

function everyTick(listener: () => void): () => void {
  const timer = setInterval(() => {
    shownNow = Date.now();
    listener();
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** How long ago, or in how long; the exact time in the reader's own zone beside it on hover and for screen readers. */
export function Time({ at, dimmed = false }: { readonly at: string; readonly dimmed?: boolean }): ReactNode {
  useSyncExternalStore(everyTick, () => shownNow);
  const date = new Date(at);
  const exact = EXACT.format(date);
  return (
    <Tooltip label={exact}>
      <Text component="time" dateTime={at} inherit c={dimmed ? 'dimmed' : undefined} style={{ whiteSpace: 'nowrap' }}>
        {relative(date, Math.max(shownNow, Date.now()))}
      </Text>
    </Tooltip>
  );
}

/** The time of day to the second and the day, in the reader's own zone. */
export function exactTime(at: string): string {
  return EXACT.format(new Date(at));
}

/** The day alone, in the reader's own zone. */
export function dayOf(at: string): string {
  return DAY.format(new Date(at));
}

function relative(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000;
  if (Math.abs(seconds) >= LONG_AGO_SECONDS) return DAY.format(date);
  const unit = UNITS.find((one) => Math.abs(seconds) >= one.seconds);
  if (unit) return RELATIVE.format(Math.trunc(seconds / unit.seconds), unit.unit);
  return seconds > 5 ? 'in a moment' : 'just now';
}
