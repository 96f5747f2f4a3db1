import {
  type BatchEnd,
  endBatch,
  giveBack,
  type HeldBatch,
  type LeftMail,
  openBatch,
  type RecipientClosing,
} from '../db/queries/campaigns/campaign-batches.ts';
import type { GateVerdict } from '../db/queries/sends/gate-verdict.ts';
import type { OpenedSend, SendIntent } from '../db/queries/sends/send-intents.ts';
import { Refusal } from '../domain/errors.ts';
import type { RegistryEntry } from '../domain/templates/registry-entry.ts';
import type { UntilWritten } from '../platform/recording.ts';
import type { BatchCounts, CampaignProgress } from './campaign-progress.ts';
import type { Outcomes } from './outcomes.ts';
import { type BatchDeps, beginBatch, type Stages } from './send-batch.ts';
import { CAMPAIGN_SOURCE, type RecipientRequest, type RecipientResult } from './sources/campaign.ts';

export interface CampaignBatchDeps extends BatchDeps {
  readonly untilWritten: UntilWritten;
  readonly progress: CampaignProgress;
  /** Resolves when the row of the recipient's mail stands. */
  readonly recordRecipient: (closing: RecipientClosing) => Promise<void>;
}

/** When those that may go later are tried again, and whether it was the provider that wanted them later. */
export type LaterRule = Pick<BatchEnd, 'pauseMs' | 'wasAway'>;

/** A batch of a campaign to be sent. */
export interface CampaignBatchOrder {
  readonly batch: HeldBatch;
  /** undefined: the registry has it no more, and each mail fails. */
  readonly entry: RegistryEntry | undefined;
  /** The published version that the campaign has pinned; null: the registry's own content. */
  readonly version: number | null;
  /** One for each contact of the batch, in its order. */
  readonly requests: readonly RecipientRequest[];
  /** Whether the campaign may not send any more: what no connection has taken by then stays for later. */
  readonly isStopped: () => boolean;
  readonly laterRule: (results: readonly RecipientResult[]) => LaterRule;
}

/**
 * Sends a batch of a campaign as every batch is sent, except that the intent of its mails is the row of the batch, and their own rows are
 * written with their outcomes. Resolves when all of it stands.
 */
export async function sendCampaignBatch(
  deps: CampaignBatchDeps,
  stages: Stages,
  order: CampaignBatchOrder,
): Promise<readonly RecipientResult[]> {
  const { batch, entry, version, isStopped } = order;
  const { em, untilWritten } = deps;
  /** Of the open batch. */
  const intentOf = new Map<string, SendIntent>();
  const later: LeftMail[] = [];
  let batchOpenedAt: Date | undefined;
  const outcomes: Outcomes = {
    record: ({ id, outcome, hasWebhooks }) =>
      deps.recordRecipient({ intent: intentOf.get(id) as SendIntent, openedAt: batchOpenedAt as Date, outcome, hasWebhooks }),
    // Of a batch whose opening failed there is nothing to withdraw: it is given back as a whole.
    async withdraw(sendId) {
      const intent = intentOf.get(sendId);
      if (intent) later.push(intent);
    },
  };
  const opening = { deduplicates: deps.leftIntents.deduplicates, journal: deps.journal.id };
  const open = async (intents: readonly SendIntent[]): Promise<OpenedSend[]> => {
    const opened = await openBatch(em, batch, intents, opening);
    if (opened.state === 'opened') {
      const { openedAt, verdicts } = opened;
      batchOpenedAt = openedAt;
      for (const intent of intents) intentOf.set(intent.id, intent);
      return verdicts.map((verdict) => (verdict === null ? { state: 'opened', openedAt } : { state: 'refused', verdict }));
    }
    if (opened.state === 'stopped') await giveBack(em, batch);
    const verdict: GateVerdict = opened.state === 'stopped' ? { by: 'stopped', reason: opened.reason } : { by: 'lost' };
    return intents.map(() => ({ state: 'refused', verdict }));
  };
  // It is one row, so of a batch that is not opened no mail goes.
  const openAll: Stages['open'] = async (_, intents) => (await open(intents)).map((value) => ({ status: 'fulfilled', value }));
  const submit: BatchDeps['submit'] = (mail, begunAt) => deps.submit(mail, begunAt, { isStopped });
  const begin = async () => {
    const { projectId, brand = '' } = order.requests[0] as RecipientRequest;
    const content = entry && (await deps.published(entry, { projectId, brand }, version));
    const requests = order.requests.map((request) => ({ ...request, content }));
    return beginBatch({ ...deps, outcomes, submit }, { ...stages, open: openAll }, CAMPAIGN_SOURCE, requests);
  };
  const underWay = await begin().catch(async (error: unknown) => {
    // Nothing of it was submitted, whatever became of its opening.
    await untilWritten(() => giveBack(em, batch));
    throw error;
  });
  const results = (await Promise.all(underWay)).map(
    (result): RecipientResult => (result instanceof Refusal ? { state: 'failed' } : result),
  );
  deps.progress.add(batch.campaign_id, countsOf(results));
  if (intentOf.size === 0) return results;
  const { pauseMs, wasAway } = order.laterRule(results);
  await untilWritten(() => endBatch(em, batch, { later, pauseMs, wasAway }));
  return results;
}

function countsOf(results: readonly RecipientResult[]): BatchCounts {
  const many = (state: RecipientResult['state']): number => results.filter((result) => result.state === state).length;
  return { sent: many('sent'), failed: many('failed'), refused: many('refused') + many('stopped'), later: many('later') };
}
