import type { Logger } from '../platform/logger.ts';
import { campaignWorkflowId } from '../workflows/contracts.ts';

/** What became of the recipients of batches. */
export interface BatchCounts {
  readonly sent: number;
  readonly failed: number;
  readonly refused: number;
  readonly later: number;
}

/** The lines that tell how campaigns go on: of each campaign one in some seconds, however small its batches are. */
export interface CampaignProgress {
  /** A batch of it is done. */
  add(campaignId: string, counts: BatchCounts): void;
  /** Writes what is left. */
  close(): void;
}

/** From the first batch on that no line has told of yet. */
const TOLD_AFTER_MS = 5_000;

interface Untold {
  batches: number;
  counts: BatchCounts;
  readonly timer: NodeJS.Timeout;
}

export function createCampaignProgress(log: Logger): CampaignProgress {
  const untold = new Map<string, Untold>();
  const tell = (campaignId: string): void => {
    const left = untold.get(campaignId);
    if (!left) return;
    clearTimeout(left.timer);
    untold.delete(campaignId);
    const { batches, counts } = left;
    // At debug when nothing of it went, as while the provider is away.
    const level = counts.sent + counts.failed > 0 ? 'info' : 'debug';
    log[level]('campaign.progress', { workflowId: campaignWorkflowId(campaignId), pages: batches, ...counts });
  };
  return {
    add(campaignId, counts) {
      const before = untold.get(campaignId);
      if (before) {
        before.batches++;
        before.counts = sumOf(before.counts, counts);
      } else untold.set(campaignId, { batches: 1, counts, timer: setTimeout(() => tell(campaignId), TOLD_AFTER_MS).unref() });
    },
    close() {
      for (const campaignId of [...untold.keys()]) tell(campaignId);
    },
  };
}

function sumOf(a: BatchCounts, b: BatchCounts): BatchCounts {
  return { sent: a.sent + b.sent, failed: a.failed + b.failed, refused: a.refused + b.refused, later: a.later + b.later };
}
