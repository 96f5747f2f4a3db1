import { continueAsNew } from '@temporalio/workflow';
import type { BulkActivities } from '../activities/bulk-enrollment.ts';
import { grouped } from '../domain/shown-text.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { BulkInput, BulkReport } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { turnAfterTurn, turnOptions } from './turns.ts';

/** All members of a segment, enrolled portion after portion. Answers with a sentence for operators. */
export async function bulkEnrollment(input: BulkInput): Promise<string> {
  const { bulkCancelled } = localActivities<BulkActivities>(input, { startToCloseTimeout: '30s' });
  const { enrollSegment } = queuedActivities<BulkActivities>(input, turnOptions('the next portions', '60s'));
  const changes = new Changes({
    changed: 'Sent by Everpost: the sequence was turned on or archived, or this was cancelled',
    retryNow: 'It looks at once whether the sequence is active',
  });
  return settlingCancellation(
    () =>
      turnAfterTurn({
        changes,
        turn: async () => said(await enrollSegment(input)),
        held: { state: 'held', why: 'held: the sequence is not active' },
        continueAsNew: () => continueAsNew<typeof bulkEnrollment>(input),
      }),
    () => bulkCancelled(input),
  );
}

function said({ state, enrolled, skipped, total }: BulkReport) {
  return { state, said: `${grouped(enrolled)} of ${grouped(total)} enrolled, ${grouped(skipped)} skipped` };
}
