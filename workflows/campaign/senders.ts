import { ActivityCancellationType, CancellationScope } from '@temporalio/workflow';
import type { CampaignActivities } from '../../activities/campaign.ts';
import { queuedActivities } from '../activities.ts';
import { type CampaignCommand, type CampaignInput, type CampaignReport, TASK_QUEUES } from '../contracts.ts';

/** Those who send the batches of one campaign, some at once. */
export class Senders {
  readonly #input: CampaignInput;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(input: CampaignInput) {
    this.#input = input;
  }

  /** Resolves when those that were begun last have ended, however they did. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Has so many send until each has had its turn. What they did. */
  async send({ lanes: senders, summary }: Extract<CampaignCommand, { do: 'send' }>): Promise<CampaignReport> {
    const { campaignId } = this.#input;
    const run = (_: unknown, sender: number) =>
      senderOf(this.#input, `${summary}; sender ${sender + 1} of ${senders}`).sendCampaignPages({ campaignId });
    const begun = Date.now();
    const underWay = Promise.all(Array.from({ length: senders }, run));
    this.#ended = underWay.catch(() => undefined);
    // A cancellation is acted on at once: that the campaign is cancelled is what makes its senders end.
    const results = await Promise.race([underWay, CancellationScope.current().cancelRequested]);
    const sum = (counter: 'sent' | 'failed'): number => results.reduce((total, result) => total + (result[counter] ?? 0), 0);
    const allowance = results.find((result) => result.allowance !== undefined)?.allowance;
    const resumeInMs = results.find((result) => result.resumeInMs !== undefined)?.resumeInMs;
    return {
      sent: sum('sent'),
      failed: sum('failed'),
      seconds: (Date.now() - begun) / 1000,
      away: results.find(({ away }) => away)?.away ?? null,
      ...(allowance === undefined ? {} : { allowance }),
      ...(resumeInMs === undefined ? {} : { resumeInMs }),
    };
  }
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
