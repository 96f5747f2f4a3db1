import * as z from 'zod';
import { ConditionSchema } from '../../conditions/schema.ts';
import { nextLocalTime, resolveZone } from '../local-time.ts';
import { EventPattern, minutes, TimeOfDay, zoneFields } from '../schema-parts.ts';
import { defineKind, part, pass, type Surroundings } from './kind.ts';

/** Nobody waits longer, and a timer beyond what PostgreSQL and Temporal can hold would never be set. */
const LAST_DATE = '2200';

export const TimeOfWait = z
  .strictObject({
    at: TimeOfDay.optional().meta({ description: 'The local time; 00:00 when omitted', examples: ['09:30'] }),
    weekdays: z
      .array(z.int().min(1).max(7), { error: 'numbers from 1 (Monday) to 7' })
      .min(1, { error: 'at least one weekday' })
      .max(7)
      .refine((days) => new Set(days).size === days.length, { error: 'each weekday once' })
      .meta({ uniqueItems: true, description: 'From 1 (Monday) to 7; any day when omitted' })
      .optional(),
    date: z.iso
      .date({ error: 'a date like 2027-02-28' })
      .refine((date) => date < LAST_DATE, { error: 'a date before 2200' })
      .meta({ pattern: '^(?:[01]\\d|2[01])\\d\\d-', description: 'Before 2200' })
      .optional(),
    ...zoneFields,
  })
  .meta({ id: 'TimeOfWait', description: 'The next local time that is like this' });

const Timeout = minutes.meta({ description: 'Minutes after which the run goes on with `timeout`' });

const WaitUntilConfig = z
  .union(
    [
      z.strictObject({ event: EventPattern, timeoutMinutes: Timeout }),
      z.strictObject({ condition: ConditionSchema, timeoutMinutes: Timeout }),
      z.strictObject({ time: TimeOfWait }),
    ],
    { error: 'one of { event, timeoutMinutes }, { condition, timeoutMinutes } and { time }' },
  )
  .meta({
    id: 'WaitUntilConfig',
    description: 'An event (edges `event` and `timeout`), a condition (edges `met` and `timeout`), or a time (one edge without a key)',
  });
type WaitUntilConfig = z.output<typeof WaitUntilConfig>;

/** Waits for an event or a condition, at most so long, or for a local time. */
export const waitUntil = defineKind({
  name: 'wait_until',
  summary: 'Waits for an event or a condition, at most so long, or for a local time',
  config: WaitUntilConfig,
  edges: { into: true, out: 'either' },
  branchKeys(config) {
    if (part(config, 'event') !== undefined) return ['event', 'timeout'];
    return part(config, 'condition') === undefined ? [] : ['met', 'timeout'];
  },
  outcomes(config) {
    if ('time' in config) return ['waited'];
    return ['event' in config ? 'event' : 'met', 'timeout'];
  },
  conditions(config) {
    if ('condition' in config) return [config.condition];
    return 'event' in config && config.event.match ? [config.event.match] : [];
  },
  arrive(config, around) {
    if ('condition' in config && around.holds(config.condition)) return pass('met', 'the condition holds already');
    const until = untilOf(config, around);
    // An instant that has come already is no wait.
    return until && until.getTime() > around.now.getTime()
      ? { does: 'stand', until }
      : pass('time' in config ? 'waited' : 'timeout', 'passed at once');
  },
  leastMinutes(config, branchKey) {
    // A date that is over is passed at once; any other time comes a day later, or after 23 hours once a year.
    if ('time' in config) return config.time.date === undefined ? 23 * 60 : 0;
    if (branchKey === 'timeout') return config.timeoutMinutes;
    if ('condition' in config) return 0;
    return branchKey === 'event' ? Number.POSITIVE_INFINITY : config.timeoutMinutes;
  },
  task(config) {
    if ('time' in config) return { does: 'wait', waitingFor: 'time', endedBy: null, timeoutOutcome: 'waited' };
    return 'event' in config
      ? { does: 'wait', waitingFor: `event:${config.event.type}`, endedBy: { event: config.event }, timeoutOutcome: 'timeout' }
      : { does: 'wait', waitingFor: 'condition', endedBy: { condition: config.condition }, timeoutOutcome: 'timeout' };
  },
});

function untilOf(config: WaitUntilConfig, around: Surroundings): Date | undefined {
  return 'time' in config ? nextTime(config.time, around) : new Date(around.now.getTime() + config.timeoutMinutes * 60_000);
}

/** When it is so late next; undefined: that has passed. */
export function nextTime(
  time: z.output<typeof TimeOfWait>,
  { now, contactTimezone }: Pick<Surroundings, 'now' | 'contactTimezone'>,
): Date | undefined {
  return nextLocalTime(time, resolveZone(time, contactTimezone), now);
}
