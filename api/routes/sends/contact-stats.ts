import * as z from 'zod';
import { GROWTH_COUNTERS, readGrowth } from '../../../db/queries/contacts/contact-growth.ts';
import { bucketsOf } from '../../../domain/operations/stat-periods.ts';
import * as examples from '../../examples/contact-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Bucket, BucketBegin, StatQuery, totalsOf } from '../../stat-schemas.ts';

const Growth = z.object({
  made: z.int().meta({ description: 'New ones, by when they were made, with whatever status' }),
  unsubscribed: z.int().meta({ description: 'Became unsubscribed, and were not bounced before' }),
  bounced: z.int().meta({ description: 'Became bounced, and were not unsubscribed before' }),
  resubscribed: z.int().meta({ description: 'Came back from unsubscribed or bounced' }),
  erased: z.int().meta({ description: 'Erased, whatever their status was' }),
});

const read = defineRoute({
  method: 'get',
  path: '/stats/contacts',
  scope: 'contacts:read',
  summary: 'Count the contacts that came and went in the last 24 hours, 7 or 30 days',
  description:
    'By the hour or day in which it happened. Who was made, unsubscribed and was erased counts for each of these. The last bucket is the one ' +
    'that now is in, and `contacts` are those of the same instant. Of contacts that were erased before this was counted nothing is known.',
  query: StatQuery,
  status: 200,
  reply: z.object({
    bucket: Bucket,
    counts: z
      .array(
        Growth.extend({ from: BucketBegin }).meta({
          id: 'ContactGrowth',
          description: 'The contacts that came and went in one hour or day',
        }),
      )
      .meta({ description: 'Oldest first, without gaps' }),
    totals: Growth.meta({ id: 'ContactGrowthTotals', description: 'Of the whole period' }),
    contacts: z
      .object({
        all: z.int().meta({ description: 'As many as the project has' }),
        subscribed: z.int().meta({ description: 'Of these, with the status subscribed' }),
      })
      .meta({ description: 'How many there are now' }),
  }),
  examples: examples.contactStats,
  async handle({ em, project, now }, { query }) {
    const { bucket, ...times } = bucketsOf(query.period, query.timezone, now());
    const { counts, totals } = await readGrowth(em, project.id, times);
    return { bucket, counts, totals: totalsOf(counts, GROWTH_COUNTERS), contacts: { ...totals } };
  },
});

export const routes: readonly Route[] = [read];
