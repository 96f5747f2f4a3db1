import { once } from 'node:events';
import { isDatabaseUnavailable } from '../db/errors.ts';
import type { MikroORM } from '../db/orm.ts';
import { closeRecipients, type RecipientClosing } from '../db/queries/campaign-pages.ts';
import { readSendFacts } from '../db/queries/send-facts.ts';
import type { SendGate } from '../db/queries/send-gates.ts';
import { type OpenedSend, openMany, type SendIntent } from '../db/queries/send-intents.ts';
import type { Vault } from '../domain/crypto.ts';
import { Refusal } from '../domain/errors.ts';
import { STOP_FORCE_MS } from '../domain/hand-over-times.ts';
import type { Logger } from '../platform/logger.ts';
import type { MailProvider } from '../platform/mail/provider.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { inLanes, inPages } from '../platform/pages.ts';
import { createUntilWritten, recordingTogether } from '../platform/recording.ts';
import { type CampaignPageDeps, type CampaignPageOrder, sendCampaignPage } from './campaign-page.ts';
import { createCampaignProgress } from './campaign-progress.ts';
import type { Composer } from './compose/composer.ts';
import { createHandOver } from './hand-over.ts';
import { createOutcomes } from './outcomes.ts';
import { createLinkSecrets } from './plan.ts';
import type { MailRequest } from './request.ts';
import { beginPage, type PageDeps, type Stages } from './send-page.ts';
import type { Source } from './source.ts';
import { API_SOURCE, type CallResult, type KeyedResult, TEST_SOURCE } from './sources/call.ts';
import type { RecipientResult } from './sources/campaign.ts';
import { STEP_SOURCE, type StepRequest, type StepResult } from './sources/step.ts';
import { createPublished } from './template-versions.ts';

/** The one way a mail leaves. */
export interface Sending {
  /** POST /send. Throws a Refusal when the mail cannot be made for this project: recipient, brand, template or sender. */
  sendCall(request: MailRequest): Promise<KeyedResult>;
  /** The same for some hundreds of requests of one project: each statement is asked once for all of them. A refusal is one mail's result. */
  sendCalls(page: readonly MailRequest[]): Promise<readonly (KeyedResult | Refusal)[]>;
  /** A mail to look at a template. Throws a Refusal. */
  sendTest(request: MailRequest): Promise<CallResult>;
  /** The mail of a step of a sequence. */
  sendStep(request: StepRequest): Promise<StepResult>;
  /** A page of a campaign; resolves when each of its mails has its outcome, or is left for later. */
  sendCampaignPage(order: CampaignPageOrder): Promise<readonly RecipientResult[]>;
  /** Lets what is under way end, then closes the provider and the threads. */
  close(): Promise<void>;
}

export interface SendingDeps {
  readonly orm: MikroORM;
  readonly provider: MailProvider;
  readonly composer: Composer;
  readonly vault: Vault;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'sendEnded' | 'sendRefused' | 'handOverTried'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Of calls that are joined: a statement for more of them takes longer than the next one waits. */
const MOST = 100;

export function createSending(given: SendingDeps): Sending {
  const { orm, provider, composer, vault, log, metrics, now, newId } = given;
  const em = orm.em.fork();
  const untilWritten = createUntilWritten(log, 'sends');
  const deps: PageDeps = {
    em,
    now,
    newId,
    links: createLinkSecrets(vault),
    published: createPublished(em),
    handOver: createHandOver({ provider, log, metrics, now }),
    outcomes: createOutcomes(em, untilWritten),
    deduplicates: provider.idempotent,
    metrics,
    provider: provider.name,
    log,
  };
  const recordRecipient = recordingTogether<RecipientClosing>((page) => closeRecipients(em, page), untilWritten, 1);
  const progress = createCampaignProgress(log);
  const campaignDeps: CampaignPageDeps = { ...deps, untilWritten, recordRecipient, progress };
  const limits = { most: MOST, atOnce: 1, mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error) };
  const alone: Stages = {
    facts: (page) => readSendFacts(em, page),
    compose: (page) => composer.compose(page),
    open: (gate, page) => openMany(em, gate, page),
    recycle: (page) => composer.recycle(page),
  };
  /** Pages that are under way at the same time share their statements; each is composed by itself, so that no slow template holds up another. */
  const shared: Stages = {
    facts: inPages(alone.facts, limits),
    compose: alone.compose,
    open: (gate, page) => openings(gate)(page),
    recycle: alone.recycle,
  };
  const opens = new Map<SendGate, (page: readonly SendIntent[]) => Promise<OpenedSend[]>>();
  const openings = (gate: SendGate): ((page: readonly SendIntent[]) => Promise<OpenedSend[]>) => {
    const known = opens.get(gate) ?? inPages<SendIntent, OpenedSend>((page) => alone.open(gate, page), limits);
    opens.set(gate, known);
    return known;
  };
  /** Calls for one template of a project that arrive while others are made ready go together. */
  const joined = <Request extends MailRequest, Result>(source: Source<Request, Result>) => {
    const begin = inLanes(
      async (page: readonly Request[]) => (await beginPage(deps, shared, source, page)).map((result) => ({ result })),
      ({ projectId, template }) => `${projectId} ${template}`,
      { ...limits, mayBeOnesAlone: () => false },
    );
    return async (request: Request): Promise<Result> => {
      const result = await (await begin(request)).result;
      if (result instanceof Refusal) throw result;
      return result;
    };
  };
  const [call, test, step] = [joined(API_SOURCE), joined(TEST_SOURCE), joined(STEP_SOURCE)];

  const underWay = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return work;
  };
  return {
    sendCall: (request) => tracked(call(request)),
    async sendCalls(page) {
      const results = await tracked(beginPage(deps, alone, API_SOURCE, page));
      void tracked(Promise.allSettled(results));
      return Promise.all(results);
    },
    sendTest: (request) => tracked(test(request)),
    sendStep: (request) => tracked(step(request)),
    sendCampaignPage: (order) => tracked(sendCampaignPage(campaignDeps, alone, order)),
    async close() {
      const patience = AbortSignal.timeout(STOP_FORCE_MS);
      while (underWay.size > 0 && !patience.aborted) await Promise.race([Promise.all(underWay), once(patience, 'abort')]);
      progress.close();
      await provider.close();
      await composer.close();
    },
  };
}
