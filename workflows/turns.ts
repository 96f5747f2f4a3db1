import { ActivityCancellationType, type ActivityOptions, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Changes } from './changes.ts';
import type { RunState } from './contracts.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';

/** Of an activity that does portion after portion for as long as its turn takes; its row says how far it is. */
export function turnOptions(summary: string, heartbeatTimeout: NonNullable<ActivityOptions['heartbeatTimeout']>): ActivityOptions {
  return {
    summary,
    startToCloseTimeout: '5m',
    heartbeatTimeout,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  };
}

/** What the work has come to after a turn. `held`: it waits for a change. */
interface Turn {
  readonly state: 'more' | 'held' | 'ended';
  /** For operators. */
  readonly said: string;
}

interface Turns {
  readonly changes: Changes;
  readonly turn: () => Promise<Turn>;
  /** How operators see it while it is held, and behind what was said, why. */
  readonly held?: { readonly state: RunState; readonly why?: string };
  /** Goes on in a new run, whose history is empty. */
  readonly continueAsNew: () => Promise<never>;
}

/** Does turn after turn until the work has ended, and shows how far it is. Answers with what was said last. */
export async function turnAfterTurn({ changes, turn, held, continueAsNew }: Turns): Promise<string> {
  for (;;) {
    const seen = changes.count;
    const { state, said } = await turn();
    setCurrentDetails(said);
    if (state === 'ended') return said;
    if (state === 'held' && held) {
      showState(held.state);
      await changes.beyond(seen, RECHECK_MS, [said, held.why].filter(Boolean).join('; '));
    } else showState('running');
    // Its row says how far it is.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew();
  }
}
