import { isDatabaseUnavailable } from '../db/errors.ts';
import type { MikroORM } from '../db/orm.ts';
import { type FactsQuery, readSendFacts, type SendFacts } from '../db/queries/send-facts.ts';
import type { SendGate } from '../db/queries/send-gates.ts';
import { type OpenedSend, openMany, type SendIntent } from '../db/queries/send-intents.ts';
import type { Vault } from '../domain/crypto.ts';
import { Refusal } from '../domain/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { MailProvider } from '../platform/mail/provider.ts';
import { inPages } from '../platform/pages.ts';
import type { Composed, ComposeRequest, Composer } from './compose/composer.ts';
import { createHandOver } from './hand-over.ts';
import { createOutcomes } from './outcomes.ts';
import { createLinkSecrets } from './plan.ts';
import type { MailRequest } from './request.ts';
import { type PageDeps, type Stages, sendPage } from './send-page.ts';
import { API_SOURCE, type CallResult, type KeyedResult, TEST_SOURCE } from './sources/call.ts';
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
  /** Lets what is under way end, then closes the provider and the threads. */
  close(): Promise<void>;
}

export interface SendingDeps {
  readonly orm: MikroORM;
  readonly provider: MailProvider;
  readonly composer: Composer;
  readonly vault: Vault;
  readonly log: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Of calls that are joined: a statement for more of them takes longer than the next one waits. */
const MOST = 100;

export function createSending(given: SendingDeps): Sending {
  const { orm, provider, composer, vault, log, now, newId } = given;
  const em = orm.em.fork();
  const deps: PageDeps = {
    em,
    now,
    newId,
    links: createLinkSecrets(vault),
    published: createPublished(em),
    handOver: createHandOver(provider, log),
    outcomes: createOutcomes(em, log),
    deduplicates: provider.idempotent,
  };
  const limits = { most: MOST, atOnce: 1, mayBeOnesAlone: (error: unknown) => !isDatabaseUnavailable(error) };
  const onePage: Stages = {
    facts: (page) => readSendFacts(em, page),
    compose: (page) => composer.compose(page),
    open: (gate, page) => openMany(em, gate, page),
  };
  const facts = inPages<FactsQuery, SendFacts>(onePage.facts, limits);
  // Two threads render, so two pages may be with them.
  const compose = inPages<ComposeRequest, Composed>(onePage.compose, { ...limits, atOnce: 2 });
  const opens = new Map<SendGate, (intent: SendIntent) => Promise<OpenedSend>>();
  const open = (gate: SendGate): ((intent: SendIntent) => Promise<OpenedSend>) => {
    const known = opens.get(gate) ?? inPages<SendIntent, OpenedSend>((page) => onePage.open(gate, page), limits);
    opens.set(gate, known);
    return known;
  };
  /** Calls that arrive one by one share their statements with those that come at the same time. */
  const shared: Stages = {
    facts: (page) => Promise.all(page.map(facts)),
    compose: (page) => Promise.all(page.map(compose)),
    open: (gate, page) => Promise.all(page.map(open(gate))),
  };

  const underWay = new Set<Promise<unknown>>();
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    const settled = work.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return work;
  };
  const first = async <T>(results: Promise<readonly (T | Refusal)[]>): Promise<T> => {
    const [result] = await results;
    if (result instanceof Refusal) throw result;
    return result as T;
  };

  return {
    sendCall: (request) => first(tracked(sendPage(deps, shared, API_SOURCE, [request]))),
    sendCalls: (page) => tracked(sendPage(deps, onePage, API_SOURCE, page)),
    sendTest: (request) => first(tracked(sendPage(deps, shared, TEST_SOURCE, [request]))),
    sendStep: (request) => first(tracked(sendPage(deps, shared, STEP_SOURCE, [request]))),
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
      await provider.close();
      await composer.close();
    },
  };
}
