import * as z from 'zod';
import { TIME_ZONE } from '../domain/contacts/fields.ts';
import { STAT_PERIODS } from '../domain/operations/stat-periods.ts';
import { formed, Timestamp } from './schemas.ts';

/** Which hours or days are counted. */
export const StatQuery = z.object({
  period: z.enum(STAT_PERIODS).default('7d').meta({ description: '24h: by the hour; 7d and 30d: by the day' }),
  timezone: formed(TIME_ZONE)
    .default('UTC')
    .meta({ description: 'Whose days are counted. A zone half an hour off has the hour in which its day begins in the day before' }),
});

export const Bucket = z.enum(['hour', 'day']).meta({ description: 'How long each of `counts` is' });
export const BucketBegin = Timestamp.meta({ description: 'Where the hour or day begins' });

/** The sum of each of these. */
export function totalsOf<Name extends string>(
  counts: readonly Readonly<Record<Name, number>>[],
  names: readonly Name[],
): Record<Name, number> {
  const total = (name: Name): number => counts.reduce((sum, count) => sum + count[name], 0);
  return Object.fromEntries(names.map((name) => [name, total(name)])) as Record<Name, number>;
}
