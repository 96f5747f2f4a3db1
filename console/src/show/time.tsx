import { Tooltip } from '@mantine/core';
import { type ReactNode, useRef, useState, useSyncExternalStore } from 'react';
import { relativeWords } from './relative-time.ts';
import classes from './time.module.css';

/** Days are `24 Nov 2026` and times `16:05` everywhere, since the console's words are English and its readers everywhere. */
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const CLOCK_TO_THE_SECOND = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

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

interface Given {
  readonly at: string;
  readonly dimmed?: boolean;
  /** The day and the time of day, for what one has to be ready for. */
  readonly isExact?: boolean;
}

/** How long ago, or in how long; the exact time in the reader's own zone beside it on hover or touch, and for screen readers. */
export function Time({ at, dimmed = false, isExact = false }: Given): ReactNode {
  useSyncExternalStore(everyTick, () => shownNow);
  const date = new Date(at);
  const exact = EXACT.format(date);
  // Of the hundreds on a page, only the one that is pointed at has what shows its tip.
  const time = useRef<HTMLTimeElement>(null);
  const [isPointedAt, setIsPointedAt] = useState(false);
  return (
    <>
      <time
        ref={time}
        dateTime={at}
        className={classes.time}
        data-dimmed={dimmed || undefined}
        onPointerEnter={() => setIsPointedAt(true)}
        onPointerLeave={() => setIsPointedAt(false)}
      >
        <span>{isExact ? momentWords(at) : relative(date, Math.max(shownNow, Date.now()))}</span>
        <span className={classes.exact}>, {exact}</span>
      </time>
      {isPointedAt ? <Tooltip label={exact} target={time} opened /> : null}
    </>
  );
}

/** The time of day to the second and the day, in the reader's own zone. */
export function exactTime(at: string): string {
  return EXACT.format(new Date(at));
}

/** The day alone, in the reader's own zone. */
export function dayOf(at: string): string {
  return DAY_AND_YEAR.format(new Date(at));
}

/** The day like `24 Nov`, in the reader's own zone; with the year unless it is this one. */
export function dayWords(at: Date): string {
  return (at.getFullYear() === new Date().getFullYear() ? DAY : DAY_AND_YEAR).format(at);
}

/** The time of day like `16:05`, or `16:05:09`, in the reader's own zone. */
export function clockWords(at: Date, toTheSecond = false): string {
  return (toTheSecond ? CLOCK_TO_THE_SECOND : CLOCK).format(at);
}

/** Like `24 Nov 10:00`, in the reader's own zone; with the year unless it is this one. */
export function momentWords(iso: string): string {
  const at = new Date(iso);
  return `${dayWords(at)} ${clockWords(at)}`;
}

function relative(date: Date, now: number): string {
  const isFar = Math.abs(date.getTime() - now) >= LONG_AGO_SECONDS * 1000;
  return isFar ? dayWords(date) : relativeWords(date, new Date(now));
}
