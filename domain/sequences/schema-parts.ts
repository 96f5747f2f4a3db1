import * as z from 'zod';
import { ConditionSchema } from '../conditions/schema.ts';
import { isTimeZone } from '../time-zone.ts';
import { EventTypeText } from './event-type.ts';

/** What the configs of several kinds of node are made of. */

/** A year. */
export const MAX_WAIT_MINUTES = 525_600;

export const positive = z.number({ error: 'a number' }).gt(0, { error: 'more than 0' });
export const minutes = z
  .number({ error: 'a number of minutes' })
  .min(0, { error: 'at least 0' })
  .max(MAX_WAIT_MINUTES, { error: `at most ${MAX_WAIT_MINUTES}` })
  .meta({ description: 'In minutes; fractions are allowed' });

export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, { error: 'not an IANA time zone' })
  .meta({ format: 'iana-time-zone', description: 'IANA name, like Europe/Berlin' });

export const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'a time like 09:30' });

/** Whose clock a time is by: resolveZone says which it comes to. */
export const zoneFields = {
  timezone: z
    .union([z.literal('contact'), TimeZone], { error: 'an IANA time zone or "contact"' })
    .nullish()
    .meta({ description: "IANA name, or `contact` for the contact's own" }),
  fallback: TimeZone.nullish().meta({ description: 'Where the contact has none; UTC when omitted' }),
};

/** The key of an outcome, as the edge for it names it. */
export const OutcomeKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: '1 to 64 characters A-Z, a-z, 0-9, _ and -' })
  .meta({ description: 'The `branchKey` of the edge for it' });

const EventType = EventTypeText.meta({ description: 'The type of the event, exactly', examples: ['signed_up'] });

/** An event of this type whose payload, with the contact as it then is, satisfies `match`. */
export const EventPattern = z.strictObject({ type: EventType, match: ConditionSchema.optional() }).meta({
  id: 'EventPattern',
  description: 'An event of this type; with `match` one whose payload, with the contact as it then is, satisfies the condition',
});
export type EventPattern = z.output<typeof EventPattern>;

/** Whether a rule that plain values have to satisfy can be checked before Liquid has made the value. */
export function isLiquidOr(rule: (text: string) => boolean): (text: string) => boolean {
  return (text) => /\{\{|\{%/.test(text) || rule(text);
}
