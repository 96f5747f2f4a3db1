import { ActivityCancellationType, continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ImportActivities } from '../activities/contact-import.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { ImportInput } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';

/** A file of contacts, read turn after turn; its row says how far it is. Answers with a sentence for operators. */
export async function contactImport(input: ImportInput): Promise<string> {
  const { importCancelled } = localActivities<ImportActivities>(input, { startToCloseTimeout: '30s' });
  const { importRows } = queuedActivities<ImportActivities>(input, {
    summary: 'the next rows',
    startToCloseTimeout: '5m',
    heartbeatTimeout: '20s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  const changes = new Changes({
    changed: 'Sent by Everpost: the import was paused, resumed or cancelled',
    retryNow: 'It looks at once whether it is to go on',
  });
  return settlingCancellation(
    async () => {
      for (;;) {
        const seen = changes.count;
        const { state, said } = await importRows({ importId: input.importId });
        setCurrentDetails(said);
        if (state === 'ended') return said;
        showState(state === 'held' ? 'paused' : 'running');
        if (state === 'held') await changes.beyond(seen, RECHECK_MS, said);
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof contactImport>(input);
      }
    },
    () => importCancelled({ importId: input.importId }),
  );
}
