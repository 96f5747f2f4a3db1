import { continueAsNew } from '@temporalio/workflow';
import type { ImportActivities } from '../activities/contact-import.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Changes } from './changes.ts';
import type { ImportInput } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { turnAfterTurn, turnOptions } from './turns.ts';

/** A file of contacts, read turn after turn; its row says how far it is. Answers with a sentence for operators. */
export async function contactImport(input: ImportInput): Promise<string> {
  const { importCancelled } = localActivities<ImportActivities>(input, { startToCloseTimeout: '30s' });
  const { importRows } = queuedActivities<ImportActivities>(input, turnOptions('the next rows', '20s'));
  const changes = new Changes({
    changed: 'Sent by Everpost: the import was paused, resumed or cancelled',
    retryNow: 'It looks at once whether it is to go on',
  });
  return settlingCancellation(
    () =>
      turnAfterTurn({
        changes,
        turn: () => importRows({ importId: input.importId }),
        held: { state: 'paused' },
        continueAsNew: () => continueAsNew<typeof contactImport>(input),
      }),
    () => importCancelled({ importId: input.importId }),
  );
}
