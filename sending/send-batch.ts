import { isDatabaseUnavailable } from '../db/errors.ts';
import type { SendFacts } from '../db/queries/sends/send-facts.ts';
import type { OpenedSend } from '../db/queries/sends/send-intents.ts';
import type { Refusal } from '../domain/errors.ts';
import type { BatchDeps, Stages } from './batch-deps.ts';
import { handled, type Item, type ItemResult, newItem, UNDECIDED, undecided } from './batch-item.ts';
import { KnownSends } from './known-sends.ts';
import { MailPreparation } from './mail-preparation.ts';
import { MailSubmission } from './mail-submission.ts';
import type { MailRequest } from './request.ts';
import type { RepeatedSend, Source } from './source.ts';

/**
 * A batch of mails on its way: facts, compose, open through the gate; then each is submitted and closed by itself. Whatever can fail before
 * the provider is called fails before the intent is opened or is written with it. Resolves when all are under way; the results are in the
 * order of the requests.
 */
export async function beginBatch<Request extends MailRequest, Result>(
  deps: BatchDeps,
  stages: Stages,
  source: Source<Request, Result>,
  requests: readonly Request[],
): Promise<readonly ItemResult<Result>[]> {
  return new BatchRun(deps, stages, source).begin(requests);
}

class BatchRun<Request extends MailRequest, Result> {
  readonly #deps: BatchDeps;
  readonly #stages: Stages;
  readonly #source: Source<Request, Result>;
  readonly #preparation: MailPreparation<Request, Result>;
  readonly #submission: MailSubmission<Request, Result>;
  readonly #known: KnownSends<Request, Result>;

  constructor(deps: BatchDeps, stages: Stages, source: Source<Request, Result>) {
    this.#deps = deps;
    this.#stages = stages;
    this.#source = source;
    this.#preparation = new MailPreparation(deps, stages, source);
    this.#submission = new MailSubmission(deps, stages, source);
    this.#known = new KnownSends(deps, stages.outcomes, source, this.#preparation, this.#submission);
  }

  async begin(requests: readonly Request[]): Promise<readonly ItemResult<Result>[]> {
    const items = requests.map((request) => newItem<Request, Result>(request, request.sendId ?? this.#deps.newId()));
    await this.#preparation.readFacts(items);
    // Before the template, brand and sender are looked at: an answer once given stays, whatever was changed since.
    const { repeated } = this.#source;
    for (const item of undecided(items))
      if (repeated && item.facts.known) item.result = handled(this.#known.settle(item, item.facts.known, repeated));
      // A scheduled mail that waits has the key.
      else if (repeated?.keyReused && item.facts.waiting) item.result = answerOfWaiting(item.request, item.facts.waiting, repeated);
    for (const item of undecided(items)) this.#preparation.plan(item);
    await this.#preparation.makeContacts(undecided(items));
    await this.#preparation.compose(undecided(items));
    await this.#open(undecided(items));
    for (const item of undecided(items)) item.result = handled(this.#submission.carryOut(item));
    const results = items.map(({ result }) => result as ItemResult<Result>);
    // Nobody tries any of them again once all have ended.
    void Promise.allSettled(results).then(() => this.#stages.recycle(items.flatMap(({ mail }) => mail ?? [])));
    return results;
  }

  async #open(items: readonly Item<Request, Result>[]): Promise<void> {
    // What has been answered as too late must not go out any more.
    for (const item of items) if (item.request.deadline?.aborted) item.result = item.request.deadline.reason as Refusal;
    const inTime = undecided(items);
    if (inTime.length === 0) return;
    for (const item of inTime) item.begunAt = performance.now();
    const opened = await this.#stages.open(
      this.#source.gate,
      inTime.map((item) => this.#preparation.intent(item)),
    );
    for (const [index, item] of inTime.entries()) this.#opened(item, opened[index] as PromiseSettledResult<OpenedSend>);
  }

  #opened(item: Item<Request, Result>, opened: PromiseSettledResult<OpenedSend>): void {
    if (opened.status === 'rejected') {
      // Its answer may be all that was lost: what was opened then is taken back, since nothing was submitted.
      if (isDatabaseUnavailable(opened.reason)) void this.#stages.outcomes.withdraw(item.sendId, null);
      item.result = handled(Promise.reject(opened.reason));
      return;
    }
    const { value } = opened;
    if (value.state === 'refused') item.result = this.#submission.refused(item, value.verdict);
    else if (value.state === 'known') item.result = handled(this.#openedBefore(item));
    else {
      item.openedAt = value.openedAt;
      if (item.failure) item.result = this.#submission.failed(item, item.failure);
    }
  }

  /** Somebody else has opened it since the facts were read; if they let the key go again, the place is free. */
  async #openedBefore(opened: Item<Request, Result>): Promise<Result | Refusal> {
    const { repeated } = this.#source;
    const item = { ...opened };
    await this.#preparation.readFacts([item]);
    if (item.result !== UNDECIDED) return item.result;
    const { known } = item.facts;
    // Opened by this very call, whose first answer was lost.
    if (known?.id === item.sendId && known.status === null) {
      item.openedAt = known.openedAt;
      return this.#submission.carryOut(item);
    }
    if (repeated && known) return this.#known.settle(item, known, repeated);
    const [result] = await this.begin([item.request]);
    return result as Result | Refusal;
  }
}

function answerOfWaiting<Result>(
  { identity }: MailRequest,
  waiting: NonNullable<SendFacts['waiting']>,
  { waits, keyReused }: RepeatedSend<Result>,
): Result {
  const isSame = identity.by === 'key' && identity.requestHash.equals(waiting.request_hash);
  return isSame && waits ? waits(waiting) : (keyReused as () => Result)();
}
