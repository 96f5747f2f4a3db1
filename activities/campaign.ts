import { Context } from '@temporalio/activity';
import type { MikroORM } from '../db/orm.ts';
import type { CampaignSenders } from '../sending/campaign-senders.ts';
import { type AdvanceDeps, advanceCampaign } from '../usecases/campaigns/advance-campaign.ts';
import { cancelCampaignRow } from '../usecases/campaigns/cancel-campaign.ts';
import { resolveAtRun } from '../usecases/campaigns/resolve-campaign.ts';
import type { CampaignCommand, CampaignInput, CampaignReport } from '../workflows/contracts.ts';
import { withHeartbeats } from './heartbeats.ts';

export interface CampaignActivityDeps extends AdvanceDeps {
  readonly orm: MikroORM;
  readonly senders: CampaignSenders;
  readonly now: () => Date;
}

/** A sender has its turn for so long, then the workflow looks at the campaign again. */
const TURN_MS = 30_000;

/** What the campaign workflow may ask for. */
export function createCampaignActivities(deps: CampaignActivityDeps) {
  const { orm, senders, now } = deps;
  return {
    nextCampaignStep(input: CampaignInput & { readonly retryNow: boolean; readonly report?: CampaignReport }): Promise<CampaignCommand> {
      return advanceCampaign(orm.em.fork(), deps, input);
    },

    resolveCampaign: ({ campaignId }: CampaignInput): Promise<void> =>
      withHeartbeats(async () => {
        await resolveAtRun(orm.em.fork(), campaignId, now());
      }),

    /** Sends batch after batch for half a minute, or one batch where others need the place that it would only wait in. */
    async sendCampaignPages({ campaignId }: CampaignInput): Promise<CampaignReport> {
      const context = Context.current();
      const { sent, failed, away, allowance, resumeInMs } = await senders.run(campaignId, {
        milliseconds: TURN_MS,
        signal: context.cancellationSignal,
        progress: (soFar) => context.heartbeat(soFar),
      });
      return { sent, failed, away, ...(allowance && { allowance }), ...(resumeInMs === undefined ? {} : { resumeInMs }) };
    },

    /** Cancelled in Temporal: docs/contract/temporal.md 8. */
    async cancelledByOperator({ campaignId }: CampaignInput): Promise<void> {
      await orm.em.fork().transactional((tx) => cancelCampaignRow(tx, campaignId, 'cancelled'));
    },
  };
}

export type CampaignActivities = ReturnType<typeof createCampaignActivities>;
