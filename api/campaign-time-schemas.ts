import * as z from 'zod';
import { LATE_RULES } from '../domain/campaigns/local-schedule.ts';
import { isTimeZone } from '../domain/time-zone.ts';
import { Timestamp } from './schemas.ts';

const TIME_RULE = 'should be a time like 09:00';
const DATE_RULE = 'should be a day like 2026-12-01';

/** POST /campaigns: a time of each recipient's own clock. */
export const LocalScheduleInput = z
  .strictObject({
    at: z
      .string()
      .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: TIME_RULE })
      .meta({ description: '`HH:MM` by the clock of each recipient' }),
    date: z.iso.date({ error: DATE_RULE }).meta({ description: 'The day, `YYYY-MM-DD`' }),
    timezone: z.literal('contact', { error: 'contact is the only one; for a time of one zone give scheduleAt' }).meta({
      description: "`contact`: each recipient's own zone",
    }),
    fallback: z
      .string()
      .refine(isTimeZone, { error: 'not an IANA time zone' })
      .nullish()
      .meta({ format: 'iana-time-zone', description: 'The zone of contacts that have none; `UTC` when omitted' }),
    late: z.enum(LATE_RULES).nullish().meta({
      description:
        'Whose hour had passed when it was launched, or last changed, gets it at once (`send`, when omitted), or not at all (`skip`)',
    }),
  })
  .meta({
    id: 'LocalScheduleInput',
    description: "A time of the day that each recipient's own clock shows",
    examples: [{ at: '09:00', date: '2026-12-01', timezone: 'contact', fallback: 'Europe/Berlin' }],
  })
  .transform(({ at, date, fallback, late }) => ({ at, date, fallback: fallback ?? 'UTC', late: late ?? ('send' as const) }));

export const LocalScheduleShown = z
  .object({
    at: z.string().meta({ description: '`HH:MM` by the clock of each recipient' }),
    date: z.string().meta({ description: 'The day' }),
    timezone: z.literal('contact').meta({ description: "Each recipient's own zone" }),
    fallback: z.string().meta({ description: 'The zone of contacts that have none' }),
    late: z.enum(LATE_RULES).meta({ description: 'What becomes of those whose hour had passed when it was launched, or last changed' }),
  })
  .meta({ id: 'LocalSchedule', description: "A time of the day that each recipient's own clock shows" });

export const ZoneProgress = z
  .object({
    timezone: z.string().nullable().meta({ description: 'IANA name; null: of contacts without one' }),
    at: Timestamp.meta({ description: 'When their clocks show the time, or when their send window opens, whichever is later' }),
    recipients: z.int().min(0).meta({ description: 'How many of them were found when it began' }),
    remaining: z.int().min(0).meta({ description: 'How many of these are not settled yet' }),
    resumes_at: Timestamp.nullable().meta({ description: 'When the rest of them goes on; null: they go now, or none is left' }),
  })
  .meta({ id: 'CampaignZone', description: 'The recipients of one time zone' });
