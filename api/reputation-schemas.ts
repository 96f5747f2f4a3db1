import * as z from 'zod';
import type { GroupCounts } from '../db/queries/operations/hourly-counts.ts';
import { percentWords } from '../domain/percent-words.ts';
import {
  ALERT_HOURS,
  FEWEST_MAILS,
  REPUTATION_LIMITS,
  REPUTATION_STATES,
  type ReputationCounts,
  reputationOf,
} from '../domain/sends/reputation.ts';

const { complaints, bounces } = REPUTATION_LIMITS;

const Counts = {
  sent: z.int().meta({ description: 'Accepted by the provider' }),
  rejected: z.int().meta({
    description: 'Not among those sent: refused at the submission since the address does not exist. Each is one of `bounced.hard`, too',
  }),
  delivered: z.int().meta({ description: 'Reported as delivered, and nothing worse since' }),
  deferred: z.int().meta({
    description: 'Reported as put off by the receiver at least once, whatever came of them: each is also what it has become since',
  }),
  bounced: z
    .object({
      hard: z.int().meta({ description: 'The address will never get mail' }),
      soft: z.int().meta({ description: 'It may pass, like a full mailbox' }),
    })
    .meta({ id: 'BouncesByKind', description: 'Came back, or were rejected' }),
  complained: z.int().meta({ description: 'Reported as spam' }),
  bounce_rate: z.number().nullable().meta({
    description: 'The share that bounced of those sent and rejected, 0 to 1; null where there are none',
  }),
  complaint_rate: z.number().nullable().meta({
    description: 'The share that complained of those sent, 0 to 1; null where there are none',
  }),
};

const State = z
  .enum(REPUTATION_STATES)
  .nullable()
  .meta({
    description:
      `\`critical\`: complaints of ${percentWords(complaints.critical)} or more, or bounces of ${percentWords(bounces.critical)} or more; \`warning\`: complaints of ` +
      `${percentWords(complaints.warning)} or more. null: fewer than ${FEWEST_MAILS} emails, of which a share says nothing. GET /attention looks at ` +
      `the last ${ALERT_HOURS / 24} days`,
  });

/** Of one sending domain. */
export const DomainReputation = z
  .object({ domain: z.string().meta({ description: 'Of the addresses that the emails are from' }), ...Counts, state: State })
  .meta({ id: 'DomainReputation', description: 'What became of the emails from one domain' });

/** Of one receiver. */
export const ReceiverReputation = z
  .object({
    receiver: z.string().meta({
      description:
        'Who runs the mailboxes, by its best-known domain: `gmail.com` stands for googlemail.com too. Any domain that is not known is a receiver by itself',
    }),
    ...Counts,
    state: State,
  })
  .meta({ id: 'ReceiverReputation', description: 'What became of the emails to one receiver' });

/** Those that have no row of their own. */
export const OtherReputation = z
  .object({ groups: z.int().meta({ description: 'How many they are' }), ...Counts })
  .nullable()
  .meta({
    id: 'OtherReputation',
    description:
      'Those beyond the rows, together, and emails to unknown domains whose recipients were erased since; null when there are none',
  });

/** As an answer has the counts of one group. */
function recordOf(counts: ReputationCounts) {
  const { sent, rejected, delivered, deferred, hard_bounced: hard, soft_bounced: soft, complained } = counts;
  const { bounceRate, complaintRate } = reputationOf(counts);
  return {
    sent,
    rejected,
    delivered,
    deferred,
    bounced: { hard, soft },
    complained,
    bounce_rate: bounceRate,
    complaint_rate: complaintRate,
  };
}

/** The rows of an answer, and the others. */
export function reputationRows(found: readonly GroupCounts<keyof ReputationCounts>[]) {
  const others = found.find(({ group }) => group === null);
  return {
    rows: found.flatMap(({ group, ...counts }) =>
      group === null ? [] : [{ group, ...recordOf(counts), state: reputationOf(counts).state }],
    ),
    others: others ? { groups: others.groups, ...recordOf(others) } : null,
  };
}
