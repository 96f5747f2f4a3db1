import { type BatchEnd, endBatch, type LeftMail } from '../db/queries/campaigns/batch-ends.ts';
import { giveBack, type HeldBatch, waitForOpening } from '../db/queries/campaigns/campaign-batches.ts';
import { openBatch, type RecipientClosing } from '../db/queries/campaigns/campaign-mails.ts';
import type { GateVerdict } from '../db/queries/sends/gate-verdict.ts';
import type { OpenedSend, SendIntent } from '../db/queries/sends/send-intents.ts';
import { Refusal } from '../domain/errors.ts';
import type { Opening } from '../domain/send-window.ts';
import type { ProviderAnswer } from '../platform/mail/provider.ts';
import type { UntilWritten } from '../platform/recording.ts';
import type { BatchDeps, IntentStages, PreparationStages } from './batch-deps.ts';
import type { BatchCounts, CampaignProgress } from './campaign-progress.ts';
import { beginBatch } from './send-batch.ts';
import { CAMPAIGN_SOURCE, type RecipientRequest, type RecipientResult } from './sources/campaign.ts';
import type { Submit } from './submit.ts';

export interface CampaignBatchDeps extends BatchDeps {
  /** Under no rate of the process: a campaign claims its batches by that. */
  readonly submit: Submit;
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
  /** Of the send window of its people: it goes within this opening alone, else at `next`. Absent: it goes at any time. */
  readonly opening?: (Opening & { readonly next: Date }) | undefined;
  /** One for each contact of the batch, in its order. */
  readonly requests: readonly RecipientRequest[];
  /** Whether the campaign may not send any more: what no connection has taken by then stays for later. */
  readonly isStopped: () => boolean;
  readonly laterRule: (results: readonly RecipientResult[]) => LaterRule;
  /** Asked when its mails are made: waits until they may be submitted. False: they may not any more. */
  readonly admitted: () => Promise<boolean>;
  /** Told when the provider has nothing of it in flight any more, with how many mails it was asked to take; their outcomes may not be recorded yet. */
  readonly answered: (asked: number) => void;
}

/**
 * Sends a batch of a campaign as every batch is sent, except that the intent of its mails is the row of the batch, and their own rows are
 * written with their outcomes. Resolves when all of it stands.
 */
export async function sendCampaignBatch(
  deps: CampaignBatchDeps,
  preparation: PreparationStages,
  order: CampaignBatchOrder,
): Promise<readonly RecipientResult[]> {
  const { batch } = order;
  const { em, untilWritten, progress } = deps;
  const intents = new BatchIntents(deps, order);
  const underWay = await beginBatch(deps, { ...preparation, ...intents.stages }, CAMPAIGN_SOURCE, order.requests).catch(
    async (error: unknown) => {
      // Nothing of it was submitted, whatever became of its opening.
      await untilWritten(() => giveBack(em, batch));
      throw error;
    },
  );
  void intents.answered().then(order.answered);
  const results = (await Promise.all(underWay)).map(
    (result): RecipientResult => (result instanceof Refusal ? { state: 'failed' } : result),
  );
  progress.add(batch.campaign_id, countsOf(results));
  if (!intents.wereOpened) return results;
  const { pauseMs, wasAway } = order.laterRule(results);
  await untilWritten(() => endBatch(em, batch, { later: intents.later, pauseMs, wasAway }));
  return results;
}

/** The intents of a batch, which stand in its row: of a batch that is not opened no mail goes. */
class BatchIntents {
  readonly #deps: CampaignBatchDeps;
  readonly #order: CampaignBatchOrder;
  readonly #opened = new Map<string, SendIntent>();
  #openedAt: Date | undefined;
  /** When it was let in, of performance.now(): what waited for that was not in flight. */
  #admittedAt = 0;
  readonly #answers: Promise<ProviderAnswer>[] = [];
  /** Mails that the provider may take later. */
  readonly later: LeftMail[] = [];

  constructor(deps: CampaignBatchDeps, order: CampaignBatchOrder) {
    this.#deps = deps;
    this.#order = order;
  }

  get wereOpened(): boolean {
    return this.#opened.size > 0;
  }

  get stages(): IntentStages {
    const { isStopped } = this.#order;
    return {
      open: async (_, intents) => (await this.#open(intents)).map((value) => ({ status: 'fulfilled', value })),
      submit: (mail, begunAt, options) => {
        const answer = this.#deps.submit(mail, Math.max(begunAt, this.#admittedAt), { ...options, isStopped, isBulk: true });
        this.#answers.push(answer);
        return answer;
      },
      outcomes: {
        record: ({ id, outcome, hasWebhooks }) => {
          const [intent, openedAt] = [this.#opened.get(id) as SendIntent, this.#openedAt as Date];
          return this.#deps.recordRecipient({ intent, openedAt, outcome, hasWebhooks });
        },
        // Of a batch whose opening failed there is nothing to withdraw: it is given back as a whole.
        withdraw: async (sendId) => {
          const intent = this.#opened.get(sendId);
          if (intent) this.later.push(intent);
        },
        leave: (sendId) => {
          const intent = this.#opened.get(sendId) as SendIntent;
          this.later.push({ ...intent, maybeSubmittedAt: intent.maybeSubmittedAt ?? this.#openedAt });
        },
      },
    };
  }

  /** Resolves when all that was submitted has its answer, with how many the provider was asked to take. */
  async answered(): Promise<number> {
    const answers = await Promise.allSettled(this.#answers);
    return answers.filter((answer) => answer.status === 'fulfilled' && answer.value.outcome !== 'later').length;
  }

  async #open(intents: readonly SendIntent[]): Promise<OpenedSend[]> {
    const { em, leftIntents, journal, ramps } = this.#deps;
    const { batch, requests, admitted, opening } = this.#order;
    if (!(await admitted())) {
      await giveBack(em, batch);
      return intents.map(() => ({ state: 'refused', verdict: { by: 'lost' } }));
    }
    this.#admittedAt = performance.now();
    const opened = await openBatch(em, batch, intents, { deduplicates: leftIntents.deduplicates, journal: journal.id, opening });
    if (opened.state === 'opened') {
      const { openedAt, verdicts } = opened;
      this.#openedAt = openedAt;
      for (const intent of intents) this.#opened.set(intent.id, intent);
      ramps?.forget((requests[0] as RecipientRequest).projectId);
      return verdicts.map((verdict) => (verdict === null ? { state: 'opened', openedAt } : { state: 'refused', verdict }));
    }
    if (opened.state === 'stopped')
      await (opened.reason === 'send_window' && opening ? waitForOpening(em, batch, opening.next) : giveBack(em, batch));
    const verdict: GateVerdict = opened.state === 'stopped' ? { by: 'stopped', reason: opened.reason } : { by: 'lost' };
    return intents.map(() => ({ state: 'refused', verdict }));
  }
}

function countsOf(results: readonly RecipientResult[]): BatchCounts {
  const many = (state: RecipientResult['state']): number => results.filter((result) => result.state === state).length;
  return { sent: many('sent'), failed: many('failed'), refused: many('refused') + many('stopped'), later: many('later') };
}
