import { continueAsNew, patched, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaign.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { Senders } from './campaign/senders.ts';
import { Changes } from './changes.ts';
import type { CampaignCommand, CampaignInput } from './contracts.ts';
import { settlingCancellation } from './settling-cancellation.ts';
import { showState } from './show-state.ts';
import { RECHECK_MS } from './signals.ts';

/** Of what only asks the database. */
const STEP_ACTIVITY = { startToCloseTimeout: '30s' } as const;

/** One campaign: wait for its time, find out who gets it, have senders send batch after batch, until every recipient is settled. Answers with a sentence for operators. */
export async function campaign(input: CampaignInput): Promise<string> {
  const changes = new Changes({
    changed: 'Sent by Everpost: the campaign was paused, resumed or cancelled, or what holds it has changed',
    retryNow: 'The pause of an outage ends: the provider is asked again at once',
  });
  const senders = new Senders(input);
  return settlingCancellation(
    () => untilSettled(input, changes, senders),
    async () => {
      const { campaignId } = input;
      await localActivities<CampaignActivities>(input, STEP_ACTIVITY).cancelledByOperator({ campaignId });
      if (patched('lanes-end-before-it')) {
        setCurrentDetails('Cancelled: what is being submitted at this moment still goes.');
        await senders.ended;
      }
      await untilSettled(input, changes, senders);
    },
  );
}

async function untilSettled(input: CampaignInput, changes: Changes, senders: Senders): Promise<string> {
  const { report: reported, ...what } = input;
  const { campaignId } = input;
  const { nextCampaignStep } = localActivities<CampaignActivities>(input, STEP_ACTIVITY);
  const { resolveCampaign } = queuedActivities<CampaignActivities>(input, { startToCloseTimeout: '15m', heartbeatTimeout: '8s' });
  for (let report = reported; ; ) {
    const seen = changes.count;
    const retryNow = changes.takeRetry();
    const command = await nextCampaignStep({ campaignId, retryNow, ...(report ? { report } : {}) });
    report = undefined;
    setCurrentDetails(command.details);
    switch (command.do) {
      case 'end':
        // Sent again while it was ending: asked once more.
        if (changes.count > seen && patched('asks-again-at-its-end')) break;
        if (command.status === 'failed' && input.types === 'in words') showState('failed');
        return command.details;
      case 'resolve':
        showState('running');
        await resolveCampaign({ campaignId });
        break;
      case 'send':
        showState('sending');
        report = await senders.send(command);
        break;
      case 'wait':
        showState(command.state);
        await changes.beyond(seen, pauseOf(command), command.summary);
        break;
      default:
        return command satisfies never;
    }
    // All that is to be known stands in the database; only what the senders have just reported does not.
    if (workflowInfo().continueAsNewSuggested && changes.count === seen && (!report || patched('reports-are-carried')))
      await continueAsNew<typeof campaign>({ ...what, ...(report ? { report } : {}) });
  }
}

/** Milliseconds. */
function pauseOf({ pauseMs, until }: Extract<CampaignCommand, { do: 'wait' }>): number {
  if (pauseMs != null) return pauseMs;
  return until != null ? Math.max(1, until - Date.now()) : RECHECK_MS;
}
