import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaign.ts';
import { localActivities, queuedActivities } from './activities.ts';
import { type CampaignCommand, type CampaignInput, type CampaignReport, TASK_QUEUES } from './contracts.ts';
import { showState } from './show-state.ts';
import { changed, RECHECK_MS, retryNow } from './signals.ts';

/** One campaign: wait for its time, find out who gets it, have senders send batch after batch, until every recipient is settled. Answers with a sentence for operators. */
export async function campaign(input: CampaignInput): Promise<string> {
  const { report: reported, ...what } = input;
  const { campaignId } = what;
  const { nextCampaignStep, cancelledByOperator } = localActivities<CampaignActivities>(input, { startToCloseTimeout: '30s' });
  const { resolveCampaign } = queuedActivities<CampaignActivities>(input, { startToCloseTimeout: '15m', heartbeatTimeout: '8s' });
  let changes = 0;
  let isHurried = false;
  let sendersEnded: Promise<unknown> = Promise.resolve();
  setHandler(
    changed,
    () => {
      changes++;
    },
    { description: 'Sent by Everpost: the campaign was paused, resumed or cancelled, or what holds it has changed' },
  );
  setHandler(
    retryNow,
    () => {
      changes++;
      isHurried = true;
    },
    { description: 'The pause of an outage ends: the provider is asked again at once' },
  );

  const send = async ({ lanes: senders, summary }: Extract<CampaignCommand, { do: 'send' }>): Promise<CampaignReport> => {
    const run = (_: unknown, sender: number) =>
      senderOf(input, `${summary}; sender ${sender + 1} of ${senders}`).sendCampaignPages({ campaignId });
    const begun = Date.now();
    const underWay = Promise.all(Array.from({ length: senders }, run));
    sendersEnded = underWay.catch(() => undefined);
    // A cancellation is acted on at once: that the campaign is cancelled is what makes its senders end.
    const results = await Promise.race([underWay, CancellationScope.current().cancelRequested]);
    const sum = (counter: 'sent' | 'failed'): number => results.reduce((total, result) => total + (result[counter] ?? 0), 0);
    const resumeInMs = results.find((result) => result.resumeInMs !== undefined)?.resumeInMs;
    return {
      sent: sum('sent'),
      failed: sum('failed'),
      seconds: (Date.now() - begun) / 1000,
      away: results.find(({ away }) => away)?.away ?? null,
      ...(resumeInMs === undefined ? {} : { resumeInMs }),
    };
  };

  const steps = async (): Promise<string> => {
    for (let report = reported; ; ) {
      const seen = changes;
      const retryNow = isHurried;
      isHurried = false;
      const command = await nextCampaignStep({ campaignId, retryNow, ...(report ? { report } : {}) });
      report = undefined;
      setCurrentDetails(command.details);
      switch (command.do) {
        case 'end':
          // Sent again while it was ending: asked once more.
          if (changes > seen && patched('asks-again-at-its-end')) break;
          if (command.status === 'failed' && input.types === 'in words') showState('failed');
          return command.details;
        case 'resolve':
          showState('running');
          await resolveCampaign({ campaignId });
          break;
        case 'send':
          showState('sending');
          report = await send(command);
          break;
        case 'wait': {
          showState(command.state);
          await condition(() => changes > seen, pauseOf(command), { summary: command.summary });
          break;
        }
        default:
          return command satisfies never;
      }
      // All that is to be known stands in the database; only what the senders have just reported does not.
      if (workflowInfo().continueAsNewSuggested && changes === seen && (!report || patched('reports-are-carried')))
        await continueAsNew<typeof campaign>({ ...what, ...(report ? { report } : {}) });
    }
  };

  try {
    return await steps();
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(async () => {
        await cancelledByOperator({ campaignId });
        if (patched('lanes-end-before-it')) {
          setCurrentDetails('Cancelled: what is being submitted at this moment still goes.');
          await sendersEnded;
        }
        await steps();
      });
    }
    throw error;
  }
}

/** Milliseconds. */
function pauseOf({ pauseMs, until }: Extract<CampaignCommand, { do: 'wait' }>): number {
  if (pauseMs != null) return pauseMs;
  return until != null ? Math.max(1, until - Date.now()) : RECHECK_MS;
}

function senderOf(run: CampaignInput, summary: string) {
  return queuedActivities<CampaignActivities>(run, {
    taskQueue: TASK_QUEUES.campaigns,
    summary,
    startToCloseTimeout: '5m',
    heartbeatTimeout: '8s',
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  });
}
