import * as z from 'zod';
import { countSends } from '../../../db/queries/sends/send-stats.ts';
import * as examples from '../../examples/send-examples.ts';
import { defineRoute, type Route } from '../../route.ts';
import { Timestamp } from '../../schemas.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far each period reaches back, the bucket that is being filled included. */
const PERIODS = {
  '24h': { bucket: 'hour', bucketMs: HOUR_MS, buckets: 24 },
  '7d': { bucket: 'day', bucketMs: DAY_MS, buckets: 7 },
  '30d': { bucket: 'day', bucketMs: DAY_MS, buckets: 30 },
} as const;

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
  summary: 'Count the mails of the last 24 hours, 7 or 30 days',
  description:
    'By the hour or day (UTC) in which a mail was sent, with what has become of it since: an open tomorrow counts for today’s mail. The last ' +
    'bucket is the one that now is in.',
  query: z.object({
    period: z.enum(['24h', '7d', '30d']).default('7d').meta({ description: '24h: by the hour; 7d and 30d: by the day' }),
  }),
  status: 200,
  reply: z.object({
    bucket: z.enum(['hour', 'day']).meta({ description: 'How long each of `counts` is' }),
    counts: z
      .array(
        Counts.extend({ from: Timestamp.meta({ description: 'Where the hour or day begins' }) }).meta({
          id: 'SendCounts',
          description: 'What became of the mails of one hour or day',
        }),
      )
      .meta({ description: 'Oldest first, without gaps' }),
    totals: Counts.meta({ id: 'SendTotals', description: 'Of the whole period' }),
  }),
  examples: examples.stats,
  async handle({ em, project, now }, { query }) {
    const { bucket, bucketMs, buckets } = PERIODS[query.period];
    const last = Math.floor(now().getTime() / bucketMs) * bucketMs;
    const counts = await countSends(em, project.id, {
      from: new Date(last - (buckets - 1) * bucketMs),
      to: new Date(last + bucketMs),
      bucket,
    });
    const total = (name: keyof z.output<typeof Counts>): number => counts.reduce((sum, count) => sum + count[name], 0);
    const names = ['sent', 'failed', 'delivered', 'bounced', 'complained', 'opened', 'clicked'] as const;
    const totals = Object.fromEntries(names.map((name) => [name, total(name)])) as z.output<typeof Counts>;
    return { bucket, counts, totals };
  },
});

export const routes: readonly Route[] = [read];
