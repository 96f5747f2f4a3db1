import { ActivityCancellationType, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { BulkActivities } from '../activities/bulk-enrollment.ts';
import { grouped } from '../domain/shown-text.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { BulkInput, BulkReport } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';

/** All members of a segment, enrolled portion after portion. Answers with a sentence for operators. */
export async function bulkEnrollment(input: BulkInput): Promise<string> {
  const { bulkCancelled } = localActivities<BulkActivities>(input, { startToCloseTimeout: '30s' });
  const { enrollSegment } = queuedActivities<BulkActivities>(input, {
    summary: 'the next portions',
    startToCloseTimeout: '5m',
    heartbeatTimeout: '60s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  const changes = new Changes({
    changed: 'Sent by Everpost: the sequence was turned on or archived, or this was cancelled',
    retryNow: 'It looks at once whether the sequence is active',
  });
  return settlingCancellation(
    async () => {
      for (;;) {
        const seen = changes.count;
        const report = await enrollSegment(input);
        const soFar = wordsOf(report);
        setCurrentDetails(soFar);
        if (report.state === 'ended') return soFar;
        showState(report.state === 'held' ? 'held' : 'running');
        if (report.state === 'held') await changes.beyond(seen, RECHECK_MS, `${soFar}; held: the sequence is not active`);
        // Its row says how far it is.
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof bulkEnrollment>(input);
      }
    },
    () => bulkCancelled(input),
  );
}

function wordsOf({ enrolled, skipped, total }: BulkReport): string {
  return `${grouped(enrolled)} of ${grouped(total)} enrolled, ${grouped(skipped)} skipped`;
}
