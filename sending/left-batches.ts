import type { EntityManager } from '../db/orm.ts';
import { campaignsWithLeftBatches, endBatch, type LeftBatch, type LeftMail, lockLeftBatches } from '../db/queries/campaigns/batch-ends.ts';
import type { RecipientClosing } from '../db/queries/campaigns/campaign-mails.ts';
import { leftState } from '../domain/sends/outcome-unknown.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../domain/sends/submission-times.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { type SettlingRules, stateIn } from './left-intents.ts';
import { writeRecipientOutcomes } from './write-outcomes.ts';

/** Open batches of campaigns whose process died. */
export interface LeftBatches {
  /**
   * Settles those of a campaign that were opened at least so long ago: what was answered is recorded, what was surely not submitted, or may be
   * submitted again under its key, becomes a pending batch, and the rest is `outcome_unknown`. `mayWait`: where another machine may know more,
   * it is left to that for a while. Returns of how many mails the outcome stays unknown, undefined when there was no batch.
   */
  settle(
    tx: EntityManager,
    campaignId: string,
    options: { readonly ageMs: number; readonly mayWait: boolean },
  ): Promise<number | undefined>;
  /** The same for all campaigns, by the journals that can be read here. */
  settleAll(em: EntityManager): Promise<number>;
}

export function createLeftBatches(rules: SettlingRules, metrics: Pick<Metrics, 'sendsLeftUnknown'>): LeftBatches {
  const settle: LeftBatches['settle'] = async (tx, campaignId, { ageMs, mayWait }) => {
    let unknown: number | undefined;
    for (const batch of await lockLeftBatches(tx, campaignId, ageMs)) {
      const journal = await rules.journals.read(batch.journal);
      if (mayWait && !journal && batch.journal !== null && batch.ageMs < SETTLED_AFTER_MS) continue;
      unknown = (unknown ?? 0) + (await settleBatch(tx, batch, (sendId) => stateIn(journal, sendId), rules));
    }
    metrics.sendsLeftUnknown(unknown ?? 0);
    return unknown;
  };
  return {
    settle,
    async settleAll(em) {
      let unknown = 0;
      for (const id of await campaignsWithLeftBatches(em, OUTCOME_UNKNOWN_AFTER_MS))
        unknown += (await em.transactional((tx) => settle(tx, id, { ageMs: OUTCOME_UNKNOWN_AFTER_MS, mayWait: true }))) ?? 0;
      return unknown;
    },
  };
}

async function settleBatch(
  tx: EntityManager,
  batch: LeftBatch,
  submission: (sendId: string) => ReturnType<typeof stateIn>,
  { deduplicates, reportBounce }: SettlingRules,
): Promise<number> {
  const closings: RecipientClosing[] = [];
  let unknown = 0;
  const again: LeftMail[] = [];
  const { openedAt, ageMs } = batch;
  for (const intent of batch.mails) {
    const { maybeSubmittedAt } = intent;
    const keyAgeMs = maybeSubmittedAt ? ageMs + openedAt.getTime() - maybeSubmittedAt.getTime() : ageMs;
    const left = leftState(submission(intent.id), { mayBeSubmitted: maybeSubmittedAt !== undefined, keyAgeMs }, deduplicates);
    if (left.state === 'clean') again.push(intent);
    else if (left.state === 'same key') again.push({ ...intent, maybeSubmittedAt: maybeSubmittedAt ?? openedAt });
    else {
      closings.push({ intent, openedAt, outcome: left.outcome, hasWebhooks: true });
      if (left.state === 'unknown') unknown++;
    }
  }
  if (closings.length > 0) await writeRecipientOutcomes(tx, closings, reportBounce);
  await endBatch(tx, batch, { later: again, pauseMs: 0, wasAway: false });
  return unknown;
}
