import * as z from 'zod';
import { countSends, countWithheld, SEND_COUNTERS } from '../../../db/queries/sends/send-stats.ts';
import { bucketsOf } from '../../../domain/operations/stat-periods.ts';
import * as examples from '../../examples/send-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Bucket, BucketBegin, StatQuery, totalsOf } from '../../stat-schemas.ts';

const Counts = z.object({
  sent: z.int().meta({ description: 'Accepted by the provider' }),
  failed: z.int().meta({ description: 'Not accepted, or never submitted' }),
  delivered: z.int().meta({ description: 'Of those sent: reported as delivered, and nothing worse since' }),
  bounced: z.int().meta({ description: 'Of those sent: came back' }),
  complained: z.int().meta({ description: 'Of those sent: reported as spam' }),
  opened: z.int().meta({ description: 'Of those sent: opened at least once' }),
  clicked: z.int().meta({ description: 'Of those sent: a link was followed at least once' }),
});

const read = defineRoute({
  method: 'get',
  path: '/stats',
  scope: 'sends:read',
  summary: 'Count the emails of the last 24 hours, 7 or 30 days',
  description:
    'By the hour or day in which an email was sent, with what has become of it since: an open tomorrow counts for today’s email. The last ' +
    'bucket is the one that now is in.',
  query: StatQuery,
  status: 200,
  reply: z.object({
    bucket: Bucket,
    counts: z
      .array(
        Counts.extend({ from: BucketBegin }).meta({
          id: 'SendCounts',
          description: 'What became of the emails of one hour or day',
        }),
      )
      .meta({ description: 'Oldest first, without gaps' }),
    totals: Counts.extend({
      withheld: z.int().meta({
        description: 'Of those failed: never submitted, since the address was suppressed, unsubscribed or bounced. Counted up to 100,000',
      }),
    }).meta({ id: 'SendTotals', description: 'Of the whole period' }),
  }),
  examples: examples.stats,
  async handle({ em, project, now }, { query }) {
    const { bucket, ...times } = bucketsOf(query.period, query.timezone, now());
    const counts = await countSends(em, project.id, times);
    const totals = totalsOf(counts, SEND_COUNTERS);
    const withheld = totals.failed > 0 ? await countWithheld(em, project.id, times) : 0;
    return { bucket, counts, totals: { ...totals, withheld } };
  },
});

export const routes: readonly Route[] = [read];
