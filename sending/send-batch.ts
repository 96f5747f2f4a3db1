import { isDatabaseUnavailable } from '../db/errors.ts';
import type { EntityManager } from '../db/orm.ts';
import { type GateVerdict, isRecipientRefusal, obstacleOf } from '../db/queries/sends/gate-verdict.ts';
import type { FactsQuery, KnownSend, SendFacts } from '../db/queries/sends/send-facts.ts';
import type { SendGate } from '../db/queries/sends/send-gates.ts';
import { type OpenedSend, reopenSend, type SendIntent } from '../db/queries/sends/send-intents.ts';
import { Refusal } from '../domain/errors.ts';
import { providerKey } from '../domain/sends/provider-key.ts';
import { errorText, readError, type SendFailure, type SendOutcome } from '../domain/sends/send.ts';
import { IN_FLIGHT_MS, OUTCOME_UNKNOWN_AFTER_MS } from '../domain/sends/submission-times.ts';
import { shownReply } from '../domain/shown-text.ts';
import { requiredPaths } from '../domain/templates/required-data.ts';
import type { LogFields, Logger } from '../platform/logger.ts';
import type { OutgoingMail, ProviderAnswer } from '../platform/mail/provider.ts';
import type { Metrics, SendEnd } from '../platform/metrics/metrics.ts';
import type { Composed, ComposeRequest } from './compose/compose-request.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import { type LeftIntentRules, type LeftState, leftState, OUTCOME_UNKNOWN, stateIn } from './left-intents.ts';
import type { Outcomes } from './outcomes.ts';
import { type LinkSecrets, planSend, type SendPlan } from './plan.ts';
import type { MailRequest } from './request.ts';
import type { LineLevel, RepeatedSend, Source } from './source.ts';
import type { Submit } from './submit.ts';
import type { FindTemplate } from './template-versions.ts';

/** What a batch asks of others; each takes the whole batch, or joins what is asked at the same time. What fails, fails for single mails. */
export interface Stages {
  facts(batch: readonly FactsQuery[]): Promise<readonly PromiseSettledResult<SendFacts>[]>;
  compose(batch: readonly ComposeRequest[]): Promise<readonly Composed[]>;
  open(gate: SendGate, batch: readonly SendIntent[]): Promise<readonly PromiseSettledResult<OpenedSend>[]>;
  /** Gives the memory of finished mails back. */
  recycle(batch: readonly OutgoingMail[]): void;
}

/** A recipient who is no contact of the project yet. */
export interface NewRecipient {
  readonly projectId: string;
  readonly email: string;
  readonly brand: string;
  readonly caller: MailRequest['caller'];
  readonly now: Date;
  readonly newId: () => string;
}

/** Makes a recipient a contact, in a transaction of its own; one who has become one meanwhile stays as it is. */
export type MakeContact = (em: EntityManager, recipient: NewRecipient) => Promise<void>;

export interface BatchDeps {
  readonly em: EntityManager;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly links: LinkSecrets;
  readonly published: FindTemplate;
  readonly makeContact: MakeContact;
  readonly submit: Submit;
  readonly outcomes: Outcomes;
  readonly leftIntents: LeftIntentRules;
  /** Of this process. */
  readonly journal: Pick<SubmissionJournal, 'id'>;
  readonly metrics: Pick<Metrics, 'sendEnded' | 'sendRefused'>;
  /** Its name. */
  readonly provider: string;
  readonly log: Logger;
}

/** One mail on its way through a batch. */
interface Item<Request extends MailRequest, Result> {
  readonly request: Request;
  readonly sendId: string;
  facts: SendFacts;
  plan?: SendPlan;
  failure?: { readonly reason: SendFailure; readonly message: string };
  subject: string;
  missing: readonly string[];
  mail?: OutgoingMail;
  /** Before its intent is written, by this process: what waits for a mail in flight counts from there at the earliest. */
  begunAt: number;
  /** Of its intent; null: not known yet. */
  openedAt: Date | null;
  /** It may be known to the provider under its id. */
  mayBeSubmitted: boolean;
  result?: Outcome<Result>;
}

/** Of a mail whose request was answered as too late while its intent was written. */
const TOO_LATE: ProviderAnswer = { outcome: 'later', message: 'not submitted: the request took too long' };

/** When a caller whose key is in flight elsewhere may ask again. */
const COME_BACK_SECONDS = 2;

/**
 * A batch of mails on its way: facts, compose, open through the gate; then each is submitted and closed by itself. Whatever can fail before
 * the provider is called fails before the intent is opened or is written with it. Resolves when all are under way; the results are in the
 * order of the requests. A Refusal is a mail that cannot be made for its project and has no row.
 */
export async function beginBatch<Request extends MailRequest, Result>(
  deps: BatchDeps,
  stages: Stages,
  source: Source<Request, Result>,
  requests: readonly Request[],
): Promise<readonly Outcome<Result>[]> {
  return new BatchRun(deps, stages, source).begin(requests);
}

type Outcome<Result> = Promise<Result | Refusal> | Result | Refusal;

class BatchRun<Request extends MailRequest, Result> {
  readonly #deps: BatchDeps;
  readonly #stages: Stages;
  readonly #source: Source<Request, Result>;

  constructor(deps: BatchDeps, stages: Stages, source: Source<Request, Result>) {
    this.#deps = deps;
    this.#stages = stages;
    this.#source = source;
  }

  async begin(requests: readonly Request[]): Promise<readonly Outcome<Result>[]> {
    const items = requests.map<Item<Request, Result>>((request) => ({
      request,
      sendId: request.sendId ?? this.#deps.newId(),
      facts: NO_FACTS,
      subject: '',
      missing: [],
      begunAt: performance.now(),
      openedAt: null,
      mayBeSubmitted: request.maybeSubmittedAt !== undefined,
    }));
    await this.#readFacts(items);
    // Before the template, brand and sender are looked at: an answer once given stays, whatever was changed since.
    const { repeated } = this.#source;
    for (const item of undecided(items))
      if (repeated && item.facts.known) item.result = handled(this.#settleKnown(item, item.facts.known, repeated));
    for (const item of undecided(items)) this.#plan(item);
    await this.#makeContacts(undecided(items));
    await this.#compose(undecided(items));
    await this.#open(undecided(items));
    for (const item of undecided(items)) item.result = handled(this.#carryOut(item));
    const outcomes = items.map(({ result }) => result as Outcome<Result>);
    // Nobody tries any of them again once all have ended.
    void Promise.allSettled(outcomes).then(() => this.#stages.recycle(items.flatMap(({ mail }) => mail ?? [])));
    return outcomes;
  }

  async #readFacts(items: readonly Item<Request, Result>[]): Promise<void> {
    if (items.length === 0) return;
    const found = await this.#stages.facts(items.map(({ request }) => factsQuery(request)));
    for (const [index, item] of items.entries()) {
      const facts = found[index] as PromiseSettledResult<SendFacts>;
      if (facts.status === 'fulfilled') item.facts = facts.value;
      else item.result = handled(Promise.reject(facts.reason));
    }
  }

  #plan(item: Item<Request, Result>): void {
    const { request, facts } = item;
    try {
      item.plan = planSend(request, facts, this.#deps.links, this.#source.type === 'test');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#source.logsUnsendable) item.result = error;
      else item.failure = { reason: error.code as SendFailure, message: error.message };
    }
  }

  /** An unknown marketing recipient becomes a contact: docs/contract/sends.md 6. */
  async #makeContacts(items: readonly Item<Request, Result>[]): Promise<void> {
    if (!this.#source.makesContacts) return;
    const unknown = items.filter(({ plan }) => plan?.type === 'marketing' && !plan.contact);
    if (unknown.length === 0) return;
    const { em, now, newId, makeContact } = this.#deps;
    await Promise.all(
      unknown.map(async (item) => {
        const { projectId, caller } = item.request;
        const { brand, to } = item.plan as SendPlan;
        const made = makeContact(em, { projectId, email: to, brand: brand.slug, caller, now: now(), newId });
        // What goes wrong with one contact is its mail's alone.
        await made.catch((error: unknown) => {
          item.result = handled(Promise.reject(error));
        });
      }),
    );
    await this.#readFacts(undecided(unknown));
    for (const item of undecided(unknown)) this.#plan(item);
  }

  async #compose(items: readonly Item<Request, Result>[]): Promise<void> {
    const now = this.#deps.now().getTime();
    const requests = new Map<Item<Request, Result>, ComposeRequest>();
    await Promise.all(
      items.map(async (item) => {
        if (!item.plan) return;
        try {
          requests.set(item, await this.#composeRequest(item, now));
        } catch (error) {
          item.result = handled(Promise.reject(error));
        }
      }),
    );
    const writable = items.filter((item) => requests.has(item));
    if (writable.length === 0) return;
    const composed = await this.#stages.compose(writable.map((item) => requests.get(item) as ComposeRequest));
    for (const [index, item] of writable.entries()) {
      const made = composed[index] as Composed;
      if (made.ok) {
        item.subject = made.subject;
        item.missing = made.missing;
        item.mail = made.mail;
      } else item.failure = { reason: 'render_failed', message: made.message };
    }
  }

  async #composeRequest({ request, plan, sendId }: Item<Request, Result>, now: number): Promise<ComposeRequest> {
    const { entry, brand, contact, publishedVersion, type, to, from, subject, unsubscribe, isTracked } = plan as SendPlan;
    const { data, event, content, projectId } = request;
    const template = content ?? (await this.#deps.published(entry, { projectId, brand: brand.slug }, publishedVersion));
    const contactJson = request.shownContact ?? contact?.json ?? null;
    const replyTo = brand.reply_to ?? undefined;
    const required = requiredPaths(entry.dataSchema);
    return { sendId, template, type, subject, from, to, replyTo, brand, contactJson, data, event, unsubscribe, isTracked, required, now };
  }

  async #open(items: readonly Item<Request, Result>[]): Promise<void> {
    // What has been answered as too late must not go out any more.
    for (const item of items) if (item.request.deadline?.aborted) item.result = item.request.deadline.reason as Refusal;
    const inTime = undecided(items);
    if (inTime.length === 0) return;
    for (const item of inTime) item.begunAt = performance.now();
    const opened = await this.#stages.open(
      this.#source.gate,
      inTime.map((item) => this.#intent(item)),
    );
    for (const [index, item] of inTime.entries()) this.#opened(item, opened[index] as PromiseSettledResult<OpenedSend>);
  }

  #opened(item: Item<Request, Result>, opened: PromiseSettledResult<OpenedSend>): void {
    if (opened.status === 'rejected') {
      // Its answer may be all that was lost: what was opened then is taken back, since nothing was submitted.
      if (isDatabaseUnavailable(opened.reason)) void this.#deps.outcomes.withdraw(item.sendId, null);
      item.result = handled(Promise.reject(opened.reason));
      return;
    }
    const { value } = opened;
    if (value.state === 'refused') item.result = this.#refused(item, value.verdict);
    else if (value.state === 'known') item.result = handled(this.#openedBefore(item));
    else {
      item.openedAt = value.openedAt;
      if (item.failure) {
        this.#count(item.failure.reason);
        item.result = this.#settled(item, { status: 'failed', ...item.failure });
      }
    }
  }

  #refused(item: Item<Request, Result>, verdict: GateVerdict): Result {
    const by = obstacleOf(verdict);
    this.#deps.metrics.sendRefused(this.#source.type, by);
    this.#write(this.#source.lines.refused, 'mail.refused', item, { by });
    return this.#source.refused(item.request, item.sendId, verdict);
  }

  #intent({ request, plan, facts, sendId, failure, subject, missing }: Item<Request, Result>): SendIntent {
    const { projectId, template, sourceId, identity, cap, variant, brand, type, entry, recipient, maybeSubmittedAt } = request;
    const kind = plan?.type ?? type ?? entry?.type ?? 'marketing';
    return {
      id: sendId,
      projectId,
      // Of a contact that is gone the gate knows better than whoever asked for the mail.
      contactId: facts.contact?.id ?? ('contactId' in recipient ? recipient.contactId : null),
      brandId: plan?.brand.slug ?? facts.setting?.brand?.slug ?? brand ?? '',
      toEmail: plan?.to ?? facts.contact?.email ?? ('email' in recipient ? recipient.email : ''),
      template,
      type: kind,
      subject,
      sourceType: this.#source.type,
      sourceId,
      identity,
      journal: this.#deps.journal.id,
      failure,
      notes: identity.by === 'key' ? request.notes?.(missing) : undefined,
      variant,
      cap: kind === 'marketing' ? cap : undefined,
      maybeSubmittedAt,
    };
  }

  /** Submits under an intent that this call holds. */
  async #carryOut(item: Item<Request, Result>): Promise<Result> {
    const isLate = item.request.deadline?.aborted ?? false;
    const { projectId, identity } = item.request;
    const options = identity.by === 'key' ? { key: providerKey(projectId, identity.key) } : {};
    const answer: ProviderAnswer = isLate ? TOO_LATE : await this.#deps.submit(item.mail as OutgoingMail, item.begunAt, options);
    switch (answer.outcome) {
      case 'accepted':
        return this.#close(item, { status: 'sent', providerId: answer.providerId });
      case 'rejected':
        return this.#close(item, { status: 'failed', reason: 'provider_rejected', message: answer.message, badAddress: answer.badAddress });
      case 'unknown':
        return this.#close(item, { status: 'failed', reason: 'outcome_unknown', message: answer.message });
      case 'later': {
        const { repeated } = this.#source;
        // It says nothing of what was submitted under the key before: the intent stays, and its outcome stays unknown.
        if (item.mayBeSubmitted && repeated) return repeated.inProgress(Math.ceil(OUTCOME_UNKNOWN_AFTER_MS / 1000));
        const { message, retryAfterSeconds } = answer;
        const shown = shownReply(message, item.plan?.to ?? '');
        const later = this.#source.later(item.request, { message, shown, retryAfterSeconds });
        if ('outcome' in later) {
          const { reason } = later.outcome;
          this.#count(reason);
          this.#write(this.#source.lines.settled, 'mail.failed', item, { reason, cause: shown });
          await this.#deps.outcomes.record({ id: item.sendId, outcome: later.outcome, hasWebhooks: false });
          return later.result;
        }
        if (!answer.wasStopped) {
          this.#count('put_off');
          // Of all mails at once when the provider is away, which has its own line.
          this.#write('debug', 'mail.put_off', item);
        }
        await this.#deps.outcomes.withdraw(item.sendId, item.openedAt);
        return later.withdrawn;
      }
      default:
        return answer satisfies never;
    }
  }

  async #close(item: Item<Request, Result>, outcome: SendOutcome): Promise<Result> {
    this.#count(outcome.status === 'sent' ? 'sent' : outcome.reason);
    await this.#deps.outcomes.record({ id: item.sendId, outcome, hasWebhooks: item.facts.setting?.hasWebhooks ?? false });
    return this.#settled(item, outcome);
  }

  #count(end: SendEnd): void {
    this.#deps.metrics.sendEnded({ source: this.#source.type, provider: this.#deps.provider }, end);
  }

  #settled(item: Item<Request, Result>, outcome: SendOutcome, replayed = false): Result {
    const { sendId, missing } = item;
    const level = this.#source.lines.settled;
    if (this.#deps.log.writes(level)) {
      const again = replayed ? { replayed } : {};
      // What a provider says of a mail it refuses may hold the address.
      if (outcome.status === 'sent') this.#write(level, 'mail.sent', item, { providerId: outcome.providerId, ...again });
      else this.#write(level, 'mail.failed', item, { reason: outcome.reason, ...again });
    }
    return this.#source.settled({ sendId, outcome, missing, replayed });
  }

  /** One line a mail: by it support finds the send and the provider's id of a request or a workflow. */
  #write(level: LineLevel, event: string, { request, sendId }: Item<Request, Result>, fields: LogFields = {}): void {
    const { log } = this.#deps;
    if (log.writes(level)) log[level](event, { ...this.#source.traceOf(request), sendId, ...fields });
  }

  /** Somebody else has opened it since the facts were read; if they let the key go again, the place is free. */
  async #openedBefore(opened: Item<Request, Result>): Promise<Result | Refusal> {
    const { repeated } = this.#source;
    const item = { ...opened };
    await this.#readFacts([item]);
    if (item.result) return item.result;
    const { known } = item.facts;
    // Opened by this very call, whose first answer was lost.
    if (known?.id === item.sendId && known.status === null) {
      item.openedAt = known.openedAt;
      return this.#carryOut(item);
    }
    if (repeated && known) return this.#settleKnown(item, known, repeated);
    const [result] = await this.begin([item.request]);
    return result as Result | Refusal;
  }

  /** What becomes of a send that was opened before: its outcome given again, or one that has none settled (docs/contract/sends.md 15 to 18). */
  async #settleKnown(item: Item<Request, Result>, known: KnownSend, repeated: RepeatedSend<Result>): Promise<Result | Refusal> {
    const { identity } = item.request;
    if (identity.by === 'key' && repeated.keyReused && known.request_hash && !identity.requestHash.equals(known.request_hash))
      return repeated.keyReused();
    const mine = { ...item, sendId: known.id };
    const outcome = outcomeOf(known);
    if (outcome) return this.#settled(mine, outcome, true);
    const { ageMs } = known;
    if (ageMs < OUTCOME_UNKNOWN_AFTER_MS) {
      const outcomeUnknownIn = Math.ceil((OUTCOME_UNKNOWN_AFTER_MS - ageMs) / 1000);
      return repeated.inProgress(ageMs < IN_FLIGHT_MS ? Math.min(outcomeUnknownIn, COME_BACK_SECONDS) : outcomeUnknownIn);
    }
    const { journals, deduplicates } = this.#deps.leftIntents;
    const left = leftState(stateIn(await journals.read(known.journal), known.id), known, deduplicates);
    switch (left.state) {
      case 'answered':
        return this.#close(mine, left.outcome);
      case 'unknown':
        return this.#close(mine, OUTCOME_UNKNOWN);
      case 'clean':
      case 'same key':
        return this.#reopen(mine, known, left.state, repeated);
      default:
        return left satisfies never;
    }
  }

  /**
   * The mail of a process that died, under the same id, through the gates again. Where it may have been submitted the provider makes one of
   * both; such a one that may not go any more may have arrived.
   */
  async #reopen(
    item: Item<Request, Result>,
    { openedAt }: KnownSend,
    left: Extract<LeftState['state'], 'clean' | 'same key'>,
    repeated: RepeatedSend<Result>,
  ): Promise<Result | Refusal> {
    item.mayBeSubmitted = left === 'same key';
    item.openedAt = openedAt;
    this.#plan(item);
    if (item.result) {
      if (item.mayBeSubmitted) return this.#close(item, OUTCOME_UNKNOWN);
      // As every mail that cannot be made for its project: it has no row.
      await this.#deps.outcomes.withdraw(item.sendId, openedAt);
      return item.result;
    }
    await this.#compose([item]);
    if (item.result) return item.result;
    if (item.failure) return this.#close(item, item.mayBeSubmitted ? OUTCOME_UNKNOWN : { status: 'failed', ...item.failure });
    item.begunAt = performance.now();
    const reopened = await reopenSend(this.#deps.em, this.#source.gate, this.#intent(item), {
      openedAt,
      mayBeSubmitted: item.mayBeSubmitted,
    });
    switch (reopened.state) {
      case 'lost':
        return repeated.inProgress(1);
      case 'opened':
        item.openedAt = reopened.openedAt;
        return this.#carryOut(item);
      case 'refused':
        return this.#refusedAgain(item, reopened.verdict);
      default:
        return reopened satisfies never;
    }
  }

  async #refusedAgain(item: Item<Request, Result>, verdict: GateVerdict): Promise<Result> {
    const { gate, isForNow } = this.#source;
    // What is only held keeps its intent: it goes on later, under the same key.
    if (isForNow?.(verdict)) return this.#refused(item, verdict);
    if (item.mayBeSubmitted) return this.#close(item, OUTCOME_UNKNOWN);
    if (gate.logsRefused && isRecipientRefusal(verdict.by)) return this.#close(item, { status: 'failed', reason: verdict.by, message: '' });
    await this.#deps.outcomes.withdraw(item.sendId, item.openedAt);
    return this.#refused(item, verdict);
  }
}

const NO_FACTS: SendFacts = { contact: null, setting: undefined, known: undefined };

/** A result that fails before anybody waits for it must not end the process. */
function handled<T>(result: Promise<T>): Promise<T> {
  result.catch(() => undefined);
  return result;
}

function undecided<T extends { result?: unknown }>(items: readonly T[]): T[] {
  return items.filter(({ result }) => result === undefined);
}

function factsQuery({ projectId, template, recipient, brand, identity }: MailRequest): FactsQuery {
  return { projectId, template, recipient, brand, identity };
}

/** The outcome that a row has, if it has one. */
function outcomeOf({ status, provider_id, error }: KnownSend): SendOutcome | undefined {
  if (status === 'sent') return { status, providerId: provider_id ?? undefined };
  if (status !== 'failed') return undefined;
  return { status, ...readError(error ?? errorText('outcome_unknown', '')) };
}
