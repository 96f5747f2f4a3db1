import * as z from 'zod';
import { countReputation, REPUTATION_BY, type ReputationBy } from '../../../db/queries/sends/reputation.ts';
import { countSends, countWithheld, SEND_COUNTERS } from '../../../db/queries/sends/send-stats.ts';
import { type Buckets, bucketsOf } from '../../../domain/operations/stat-periods.ts';
import * as examples from '../../examples/send-examples.ts';
import { DomainReputation, OtherReputation, ReceiverReputation, reputationRows } from '../../reputation-schemas.ts';
import { defineRoute, type KeyContext, type Route } from '../../route.ts';
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

/** Rows of an answer; the others are summed up. */
const MOST_ROWS = 50;

const read = defineRoute({
  method: 'get',
  path: '/stats',
  scope: 'sends:read',
  summary: 'Count the emails of the last 24 hours, 7 or 30 days',
  description:
    'By the hour or day in which an email was sent, with what has become of it since: an open tomorrow counts for today’s email. The last ' +
    'bucket is the one that now is in. With `by` also what became of them by sending domain or receiver: of those that left, and of ' +
    'none from before migration 0079.',
  query: StatQuery.extend({
    by: z
      .enum(REPUTATION_BY)
      .optional()
      .meta({ description: `Also by the domain that emails are from, or by receiver, ${MOST_ROWS} rows at most` }),
  }),
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
    byDomain: z
      .array(DomainReputation)
      .optional()
      .meta({ description: 'With `by=domain`: of the whole period, the one with the most emails first' }),
    byReceiver: z.array(ReceiverReputation).optional().meta({ description: 'With `by=receiver`: the same by receiver' }),
    others: OtherReputation.optional(),
  }),
  examples: examples.stats,
  async handle(context, { query }) {
    const { em, project, now } = context;
    const { bucket, ...times } = bucketsOf(query.period, query.timezone, now());
    const counts = await countSends(em, project.id, times);
    const totals = totalsOf(counts, SEND_COUNTERS);
    const withheld = totals.failed > 0 ? await countWithheld(em, project.id, times) : 0;
    return { bucket, counts, totals: { ...totals, withheld }, ...(query.by && (await reputationBy(context, query.by, times))) };
  },
});

async function reputationBy({ em, project }: KeyContext, by: ReputationBy, times: Pick<Buckets, 'begins' | 'end'>) {
  const { rows, others } = reputationRows(await countReputation(em, project.id, { ...times, by, most: MOST_ROWS }));
  return by === 'domain'
    ? { byDomain: rows.map(({ group, ...counts }) => ({ domain: group, ...counts })), others }
    : { byReceiver: rows.map(({ group, ...counts }) => ({ receiver: group, ...counts })), others };
}

export const routes: readonly Route[] = [read];
