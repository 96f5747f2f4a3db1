import { expect, test } from 'vitest';
import { type ReputationCounts, reputationOf } from '../../../domain/sends/reputation.ts';

const NOTHING: ReputationCounts = { sent: 0, rejected: 0, delivered: 0, deferred: 0, hard_bounced: 0, soft_bounced: 0, complained: 0 };

test.each([
  [{}, { bounceRate: null, complaintRate: null, state: null }],
  [
    { sent: 3, complained: 1 },
    { bounceRate: 0, complaintRate: 1 / 3, state: null },
  ],
  [{ sent: 99, hard_bounced: 50 }, { state: null }],
  [{ sent: 100 }, { bounceRate: 0, complaintRate: 0, state: 'good' }],
  [{ sent: 10_000, complained: 9 }, { state: 'good' }],
  [
    { sent: 10_000, complained: 10 },
    { complaintRate: 0.001, state: 'warning' },
  ],
  [{ sent: 10_000, complained: 29 }, { state: 'warning' }],
  [
    { sent: 10_000, complained: 30 },
    { complaintRate: 0.003, state: 'critical' },
  ],
  [
    { sent: 100, hard_bounced: 2, soft_bounced: 2 },
    { bounceRate: 0.04, state: 'good' },
  ],
  [
    { sent: 100, hard_bounced: 2, soft_bounced: 3 },
    { bounceRate: 0.05, state: 'critical' },
  ],
  // What was refused at once is one of those that were tried.
  [
    { sent: 97, rejected: 3, hard_bounced: 3 },
    { bounceRate: 0.03, state: 'good' },
  ],
  [
    { rejected: 100, hard_bounced: 100 },
    { bounceRate: 1, complaintRate: null, state: 'critical' },
  ],
] as const)('%o is %o', (counts, wanted) => {
  expect(reputationOf({ ...NOTHING, ...counts })).toMatchObject(wanted);
});
