import { once } from 'node:events';
import { badDataMessage, isDatabaseUnavailable } from '../db/errors.ts';
import type { MikroORM } from '../db/orm.ts';
import type { RecipientClosing } from '../db/queries/campaigns/campaign-batches.ts';
import { type FactsQuery, readSendFacts, type SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import { type OpenedSend, openMany, type SendIntent } from '../db/queries/sends/send-intents.ts';
import { Refusal } from '../domain/errors.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { STOP_FORCE_MS } from '../domain/sends/submission-times.ts';
import { type BatchLimits, inBatches, inKeyedBatches } from '../platform/batches.ts';
import type { Logger } from '../platform/logger.ts';
import type { MailProvider } from '../platform/mail/provider.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createUntilWritten, recordingTogether } from '../platform/recording.ts';
import { type CampaignBatchDeps, type CampaignBatchOrder, sendCampaignBatch } from './campaign-batch.ts';
import { createCampaignProgress } from './campaign-progress.ts';
import type { Composer } from './compose/composer.ts';
import type { Journals } from './journal/read-journals.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import { createLeftBatches, type LeftBatches } from './left-batches.ts';
import { createOutcomes } from './outcomes.ts';
import { createLinkSecrets } from './plan.ts';
import type { MailRequest } from './request.ts';
import { type BatchDeps, beginBatch, type MakeContact, type Stages } from './send-batch.ts';
import { paced, type SendPace } from './send-pace.ts';
import type { Source } from './source.ts';
import { API_SOURCE, type CallResult, type KeyedResult, STEP_AGAIN_SOURCE, TEST_SOURCE } from './sources/call.ts';
import type { RecipientResult } from './sources/campaign.ts';
import { STEP_SOURCE, type StepRequest, type StepResult } from './sources/step.ts';
import { createSubmit } from './submit.ts';
import { createPublished } from './template-versions.ts';
import { type ReportBounce, writeRecipientOutcomes } from './write-outcomes.ts';

/** The one way a mail leaves. */
export interface Sending {
  /** POST /send. Throws a Refusal when the mail cannot be made for this project: recipient, brand, template or sender. */
  sendCall(request: MailRequest): Promise<KeyedResult>;
  /** The same for some hundreds of requests of one project: each statement is asked once for all of them. A refusal is one mail's result. */
  sendCalls(batch: readonly MailRequest[]): Promise<readonly (KeyedResult | Refusal)[]>;
  /** A mail to look at a template. Throws a Refusal. */
  sendTest(request: MailRequest): Promise<CallResult>;
  /** The mail of a step of a sequence. */
  sendStep(request: StepRequest): Promise<StepResult>;
  /** The mail of a step whose run has gone on without it. Throws a Refusal. */
  sendStepAgain(request: MailRequest): Promise<CallResult>;
  /** A batch of a campaign; resolves when each of its mails has its outcome, or is left for later. */
  sendCampaignBatch(order: CampaignBatchOrder): Promise<readonly RecipientResult[]>;
  readonly leftBatches: LeftBatches;
  /** Lets what is under way end, then closes the provider and the threads. */
  close(): Promise<void>;
}

export interface SendingDeps {
  readonly orm: MikroORM;
  readonly provider: MailProvider;
  readonly composer: Composer;
  readonly vault: Vault;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'sendEnded' | 'sendRefused' | 'submissionTried' | 'sendsLeftUnknown'>;
  /** Of this process. */
  readonly journal: SubmissionJournal;
  /** Those of processes that have died. */
  readonly journals: Journals;
  readonly makeContact: MakeContact;
  readonly reportBounce: ReportBounce;
  /** Shared with the campaigns of this process. */
  readonly pace: SendPace;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Of calls that are joined: a statement for more of them takes longer than the next one waits. */
const MOST = 100;

export function createSending(given: SendingDeps): Sending {
  const { orm, provider, composer, vault, log, metrics, journal, journals, makeContact, reportBounce, pace, now, newId } = given;
  const em = orm.em.fork();
  const untilWritten = createUntilWritten(log, 'sends');
  const submit = createSubmit({ provider, journal, log, metrics, now });
  const deps: BatchDeps = {
    em,
    now,
    newId,
    links: createLinkSecrets(vault),
    published: createPublished(em),
    makeContact,
    submit: paced(submit, pace),
    outcomes: createOutcomes(em, untilWritten, journal, reportBounce),
    leftIntents: { journals, deduplicates: provider.idempotent },
    journal,
    metrics,
    provider: provider.name,
    log,
  };
  const record = recordingTogether<RecipientClosing>((batch) => writeRecipientOutcomes(em, batch, reportBounce), untilWritten, 1);
  const recordRecipient = async (closing: RecipientClosing): Promise<void> => {
    await record(closing);
    journal.recorded(closing.intent.id);
  };
  const progress = createCampaignProgress(log);
  const campaignDeps: CampaignBatchDeps = { ...deps, submit, untilWritten, recordRecipient, progress };
  const splitting = {
    mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error),
    isOnesOwn: (error: unknown) => badDataMessage(error) !== undefined,
    aloneAtOnce: 2,
  };
  /** Batches that are under way at the same time share their statements, or have each their own. */
  const stages = (together: Pick<BatchLimits, 'most' | 'atOnce'>): Stages => {
    const facts = inBatches((batch: readonly FactsQuery[]) => readSendFacts(em, batch), { ...together, ...splitting });
    const opens = new Map<SendGate, (intent: SendIntent) => Promise<OpenedSend>>();
    // A row of one project that is locked holds up no other project's.
    const openings = (gate: SendGate): ((intent: SendIntent) => Promise<OpenedSend>) => {
      const known =
        opens.get(gate) ??
        inKeyedBatches(
          (batch: readonly SendIntent[]) => openMany(em, gate, batch),
          ({ projectId }) => projectId,
          { ...together, ...splitting },
        );
      opens.set(gate, known);
      return known;
    };
    return {
      facts: (batch) => Promise.allSettled(batch.map(async (query) => (await facts([query]))[0] as SendFacts)),
      // Each batch by itself, so that no slow template holds up another.
      compose: (batch) => composer.compose(batch),
      open: (gate, batch) => Promise.allSettled(batch.map(openings(gate))),
      recycle: (batch) => composer.recycle(batch),
    };
  };
  const shared = stages({ most: MOST, atOnce: 1 });
  const alone = stages({ most: Number.POSITIVE_INFINITY, atOnce: Number.POSITIVE_INFINITY });
  /** Calls for one template of a project that arrive while others are made ready go together. */
  const joined = <Request extends MailRequest, Result>(source: Source<Request, Result>) => {
    const begin = inKeyedBatches(
      async (batch: readonly Request[]) => (await beginBatch(deps, shared, source, batch)).map((result) => ({ result })),
      ({ projectId, template }) => `${projectId} ${template}`,
      { most: MOST, atOnce: 1, mayBeOnesAlone: () => false },
    );
    return async (request: Request): Promise<Result> => {
      const result = await (await begin(request)).result;
      if (result instanceof Refusal) throw result;
      return result;
    };
  };
  const [call, test, step, stepAgain] = [joined(API_SOURCE), joined(TEST_SOURCE), joined(STEP_SOURCE), joined(STEP_AGAIN_SOURCE)];

  const underWay = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return work;
  };
  return {
    sendCall: (request) => tracked(call(request)),
    async sendCalls(batch) {
      const results = await tracked(beginBatch(deps, alone, API_SOURCE, batch));
      void tracked(Promise.allSettled(results));
      return Promise.all(results);
    },
    sendTest: (request) => tracked(test(request)),
    sendStep: (request) => tracked(step(request)),
    sendStepAgain: (request) => tracked(stepAgain(request)),
    leftBatches: createLeftBatches({ ...deps.leftIntents, reportBounce }, metrics),
    sendCampaignBatch: (order) => tracked(sendCampaignBatch(campaignDeps, alone, order)),
    async close() {
      const patience = AbortSignal.timeout(STOP_FORCE_MS);
      while (underWay.size > 0 && !patience.aborted) await Promise.race([Promise.all(underWay), once(patience, 'abort')]);
      progress.close();
      await provider.close();
      journal.close();
      await composer.close();
    },
  };
}
