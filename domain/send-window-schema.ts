import * as z from 'zod';
import { boundedArray } from './bounded-array.ts';
import type { SendWindow, WindowChoice } from './send-window.ts';
import { TimeOfDay, TimeZone } from './sequences/schema-parts.ts';

/** As far as the clocks of a day go. */
const END_OF_DAY = '24:00';
const DAY_RULE = 'a weekday, 1 (Monday) to 7 (Sunday)';

const ClosingTime = z.union([z.literal(END_OF_DAY), TimeOfDay], { error: 'a time like 18:00, or 24:00' });

/** A window as a body gives it. */
export const SendWindowInput = z
  .strictObject({
    from: TimeOfDay.meta({ description: '`HH:MM`: from this time of the day on', examples: ['09:00'] }),
    to: ClosingTime.meta({
      description: '`HH:MM`: not from this time on. `24:00` is the end of the day; one before `from` is on the next day',
      examples: ['18:00'],
    }),
    days: boundedArray(z.int({ error: DAY_RULE }).min(1, { error: DAY_RULE }).max(7, { error: DAY_RULE }), 7, { error: 'at most 7 days' })
      .min(1, { error: 'at least one day; every day when omitted' })
      .refine((days) => new Set(days).size === days.length, { error: 'each day once' })
      .nullish()
      .meta({ description: 'The weekdays on which it opens, 1 is Monday; every day when omitted' }),
    timezone: z
      .union([z.literal('contact'), TimeZone], { error: 'an IANA time zone or "contact"' })
      .meta({ description: "IANA name, or `contact` for each recipient's own zone" }),
    fallback: TimeZone.nullish().meta({ description: 'The zone of contacts that have none; UTC when omitted' }),
    transactional: z.boolean().nullish().meta({ description: 'Whether transactional emails wait for it, too; false when omitted' }),
  })
  .refine(({ from, to }) => from !== to, { error: 'the same as from: give the whole day as 00:00 to 24:00', path: ['to'] })
  .meta({
    id: 'SendWindowInput',
    description: 'Hours in which emails go, by the clock of a zone or of each recipient',
    examples: [{ from: '09:00', to: '18:00', days: [1, 2, 3, 4, 5], timezone: 'contact', fallback: 'Europe/Vienna' }],
  });

/** A window as it was given, or as it is kept. */
export interface GivenWindow extends Pick<SendWindow, 'from' | 'to' | 'timezone'> {
  readonly days?: readonly number[] | null | undefined;
  readonly fallback?: string | null | undefined;
  readonly transactional?: boolean | null | undefined;
}

/** What is not given is as it is when omitted. */
export function keptWindow({ from, to, days, timezone, fallback, transactional }: GivenWindow): SendWindow {
  return {
    ...{ from, to },
    ...(days ? { days: days.toSorted((one, other) => one - other) } : {}),
    ...{ timezone, fallback: fallback ?? 'UTC', transactional: transactional ?? false },
  };
}

/** A window of a sequence or a campaign of its own, or none at all. */
export const WindowChoiceInput = z
  .union([z.literal('none'), SendWindowInput], { error: 'a window, "none" or null' })
  .meta({ id: 'SendWindowChoice', description: "A window of its own in place of the project's, or `none`: it waits for no window" });

export function keptChoice(given: 'none' | GivenWindow): NonNullable<WindowChoice> {
  return given === 'none' ? given : keptWindow(given);
}

/** A window as answers have it. */
export const SendWindowShown = z
  .object({
    from: z.string().meta({ description: '`HH:MM`' }),
    to: z.string().meta({ description: '`HH:MM` or `24:00`; one before `from` is on the next day' }),
    days: z.array(z.int()).optional().meta({ description: 'The weekdays on which it opens, 1 is Monday; absent: every day' }),
    timezone: z.string().meta({ description: "IANA name, or `contact` for each recipient's own zone" }),
    fallback: z.string().meta({ description: 'The zone of contacts that have none' }),
    transactional: z.boolean().meta({ description: 'Whether transactional emails wait for it, too' }),
  })
  .meta({ id: 'SendWindow', description: 'Hours in which emails go' });

/** As SendWindowShown has it. */
export function shownWindow<Window extends SendWindow | null>(window: Window): z.input<typeof SendWindowShown> | Extract<Window, null> {
  if (window === null) return window as Extract<Window, null>;
  const { days, ...others } = window;
  return { ...others, ...(days && { days: [...days] }) };
}

export function shownChoice(choice: NonNullable<WindowChoice>): z.input<typeof WindowChoiceShown> {
  return choice === 'none' ? choice : shownWindow(choice);
}

export const WindowChoiceShown = z
  .union([z.literal('none'), SendWindowShown])
  .meta({ id: 'SendWindowChosen', description: 'A window of its own, or `none`: it waits for no window' });
