import * as z from 'zod';
import { positive } from './schema-parts.ts';

/** No contact gets as many. */
const MAX_CAP_COUNT = 1_000_000;
/** A year. */
export const MAX_CAP_HOURS = 8_760;

const HOUR_MS = 3_600_000;

export const FrequencyCap = z
  .strictObject({
    count: z
      .int({ error: 'a whole number of at least 1' })
      .min(1, { error: 'a whole number of at least 1' })
      .max(MAX_CAP_COUNT, { error: `at most ${MAX_CAP_COUNT}` })
      .meta({ description: 'So many emails' }),
    windowHours: positive.max(MAX_CAP_HOURS, { error: `at most ${MAX_CAP_HOURS}` }).meta({ description: 'In so many hours' }),
  })
  .meta({ id: 'FrequencyCap', description: 'Ceiling on marketing emails of the project to one contact in a sliding window' });
export type FrequencyCap = z.output<typeof FrequencyCap>;

/** How long a mail counts. */
export function capWindowMs({ windowHours }: FrequencyCap): number {
  return windowHours * HOUR_MS;
}
