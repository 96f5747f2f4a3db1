import { once } from 'node:events';
import type { EntityManager, MikroORM } from '../db/orm.ts';
import type { RecipientClosing } from '../db/queries/campaigns/campaign-mails.ts';
import type { Vault } from '../domain/projects/crypto.ts';
import { STOP_FORCE_MS } from '../domain/sends/submission-times.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { createUntilWritten, recordingTogether, type UntilWritten } from '../platform/recording.ts';
import type { Ramps } from './allowances/ramps.ts';
import type { BatchDeps, DkimKeysFor, LinksUrlFor, MakeContact, ReturnHostFor } from './batch-deps.ts';
import { unlessRefused } from './batch-item.ts';
import { callBatches, type SettledCalls } from './call-batches.ts';
import { type CampaignBatchDeps, type CampaignBatchOrder, sendCampaignBatch } from './campaign-batch.ts';
import { createCampaignProgress } from './campaign-progress.ts';
import type { Composer } from './compose/composer.ts';
import type { InFlight } from './in-flight.ts';
import { joinedCalls, MOST_JOINED } from './joined-calls.ts';
import type { Journals } from './journal/read-journals.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import { createLeftBatches, type LeftBatches } from './left-batches.ts';
import { createOutcomes } from './outcomes.ts';
import { createLinkSecrets } from './plan.ts';
import type { Providers } from './providers/providers.ts';
import type { Receivers } from './receivers/receivers.ts';
import type { MailRequest } from './request.ts';
import { type ApplyReport, createSandboxReports } from './sandbox-reports.ts';
import { beginBatch } from './send-batch.ts';
import type { SendPace } from './send-pace.ts';
import { API_SOURCE, type CallResult, type KeyedResult, STEP_AGAIN_SOURCE, TEST_SOURCE } from './sources/call.ts';
import type { RecipientResult } from './sources/campaign.ts';
import { CONFIRMATION_SOURCE, type ConfirmationRequest, type ConfirmationResult } from './sources/confirmation.ts';
import { SCHEDULED_SOURCE, type ScheduledRequest, type ScheduledResult } from './sources/scheduled.ts';
import { STEP_SOURCE, type StepRequest, type StepResult } from './sources/step.ts';
import { createStages, type StagesDeps } from './stages.ts';
import { createSubmit, paced, ramped } from './submit.ts';
import { createPublished } from './template-versions.ts';
import type { OpenFile } from './with-files.ts';
import { type ReportBounce, writeRecipientOutcomes } from './write-outcomes.ts';

/** The one way a mail leaves. */
export interface Sending {
  /** POST /send. Throws a Refusal when the mail cannot be made for this project: recipient, brand, template or sender. */
  sendCall(request: MailRequest): Promise<KeyedResult>;
  /** POST /send/batch: the same for many requests of one project and deadline, each of which comes to a result of its own. */
  sendCalls(batch: readonly MailRequest[]): Promise<SettledCalls>;
  /** Mails of one project that were to go later, and are due; each comes to a result of its own. */
  sendScheduled(batch: readonly ScheduledRequest[]): Promise<readonly PromiseSettledResult<ScheduledResult>[]>;
  /** The mail that asks somebody who signed up. Throws a Refusal. */
  sendConfirmation(request: ConfirmationRequest): Promise<ConfirmationResult>;
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
  readonly providers: Providers;
  readonly receivers: Receivers;
  readonly composer: Composer;
  readonly vault: Vault;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'sendEnded' | 'sendRefused' | 'submissionTried' | 'sendsLeftUnknown'>;
  /** Of this process. */
  readonly journal: SubmissionJournal;
  /** Those of processes that have died. */
  readonly journals: Journals;
  readonly makeContact: MakeContact;
  readonly openFile: OpenFile;
  /** Absent: nothing is signed. */
  readonly dkimKeysFor?: DkimKeysFor;
  /** Absent: all links lead below the public URL. */
  readonly linksUrlFor?: LinksUrlFor | undefined;
  readonly returnHostFor?: ReturnHostFor | undefined;
  /** Absent: no domain has a ramp. */
  readonly ramps?: Ramps | undefined;
  readonly reportBounce: ReportBounce;
  /** What is reported of a mail that has not left. */
  readonly applyReport: ApplyReport;
  /** Shared with the campaigns of this process. */
  readonly pace: SendPace;
  /** Shared with the campaigns of this process, for mails of POST /send/batch. */
  readonly inFlight: InFlight;
  readonly now: () => Date;
  readonly newId: () => string;
}

export function createSending(given: SendingDeps): Sending {
  const {
    orm,
    providers,
    receivers,
    composer,
    vault,
    log,
    metrics,
    journal,
    journals,
    makeContact,
    openFile,
    reportBounce,
    pace,
    inFlight,
    now,
    newId,
  } = given;
  const em = orm.em.fork();
  const untilWritten = createUntilWritten(log, 'sends');
  const submit = ramped(receivers.paced(createSubmit({ provider: providers.first, journal, metrics }), log));
  const reports = createSandboxReports(given.applyReport, log);
  const outcomes = createOutcomes(em, untilWritten, journal, reportBounce, reports);
  const leftIntents = { journals, deduplicates: providers.deduplicates };
  const links = createLinkSecrets(vault);
  const published = createPublished(em);
  const deps: BatchDeps = {
    em,
    now,
    newId,
    links,
    published,
    makeContact,
    openFile,
    dkimKeysFor: given.dkimKeysFor,
    linksUrlFor: given.linksUrlFor,
    returnHostFor: given.returnHostFor,
    ramps: given.ramps,
    leftIntents,
    journal,
    metrics,
    providers,
    log,
  };
  const progress = createCampaignProgress(log);
  const recordRecipient = recipientRecorder(em, untilWritten, journal, reportBounce);
  const campaignDeps: CampaignBatchDeps = { ...deps, submit, untilWritten, recordRecipient, progress };
  const ownRows: StagesDeps = { em, composer, submit: paced(submit, pace), outcomes };
  const shared = createStages(ownRows, { most: MOST_JOINED, atOnce: 1 });
  const alone = createStages(ownRows, undefined);
  const call = joinedCalls(deps, shared, API_SOURCE);
  // At the pace at which they are let in.
  const calls = callBatches({ ...deps, inFlight, pace }, { ...alone, submit });
  const test = joinedCalls(deps, shared, TEST_SOURCE);
  const confirmation = joinedCalls(deps, shared, CONFIRMATION_SOURCE);
  const step = joinedCalls(deps, shared, STEP_SOURCE);
  const stepAgain = joinedCalls(deps, shared, STEP_AGAIN_SOURCE);
  const underWay = new UnderWay();
  return {
    sendCall: (request) => underWay.add(call(request)),
    sendCalls: (batch) => underWay.add(calls(batch)),
    async sendScheduled(batch) {
      const results = underWay.add(beginBatch(deps, alone, SCHEDULED_SOURCE, batch)).then((begun) => begun.map(unlessRefused));
      const each = batch.map(async (_, index) => (await results)[index] as Promise<ScheduledResult>);
      return underWay.add(Promise.allSettled(each));
    },
    sendConfirmation: (request) => underWay.add(confirmation(request)),
    sendTest: (request) => underWay.add(test(request)),
    sendStep: (request) => underWay.add(step(request)),
    sendStepAgain: (request) => underWay.add(stepAgain(request)),
    leftBatches: createLeftBatches({ ...leftIntents, reportBounce }, metrics),
    sendCampaignBatch: (order) => underWay.add(sendCampaignBatch(campaignDeps, alone, order)),
    async close() {
      await underWay.end(STOP_FORCE_MS);
      await reports.close();
      progress.close();
      await providers.close();
      await given.ramps?.close();
      journal.close();
      await composer.close();
    },
  };
}

/** Of recipients' outcomes: nobody waits for one of them, and a row costs half as much among two hundred as among fifty. */
const GATHERING = { ms: 100, enough: 200 };

/** Writes the rows of recipients' mails with their outcomes, many together. */
function recipientRecorder(
  em: EntityManager,
  untilWritten: UntilWritten,
  journal: Pick<SubmissionJournal, 'recorded'>,
  reportBounce: ReportBounce,
): CampaignBatchDeps['recordRecipient'] {
  const record = recordingTogether<RecipientClosing>(
    {
      write: (batch) => writeRecipientOutcomes(em, batch, reportBounce),
      ownerOf: ({ intent }) => intent.projectId,
      atOnce: 1,
      gathering: GATHERING,
    },
    untilWritten,
  );
  return async (closing) => {
    await record(closing);
    journal.recorded(closing.intent.id);
  };
}

/** What has begun and not ended. */
class UnderWay {
  readonly #works = new Set<Promise<unknown>>();

  add<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined).finally(() => this.#works.delete(settled));
    this.#works.add(settled);
    return work;
  }

  /** Resolves when all have ended, those that they have begun meanwhile too, or the time is over. */
  async end(withinMs: number): Promise<void> {
    const patience = AbortSignal.timeout(withinMs);
    while (this.#works.size > 0 && !patience.aborted) await Promise.race([Promise.all(this.#works), once(patience, 'abort')]);
  }
}
