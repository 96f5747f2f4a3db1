import { type GateVerdict, isRecipientRefusal } from '../db/queries/sends/gate-verdict.ts';
import type { KnownSend } from '../db/queries/sends/send-facts.ts';
import { reopenSend, stayUnknown } from '../db/queries/sends/send-intents.ts';
import type { Refusal } from '../domain/errors.ts';
import { isOutcomeUnknown, type LeftState, leftState, OUTCOME_UNKNOWN } from '../domain/sends/outcome-unknown.ts';
import { errorText, readError, type SendOutcome } from '../domain/sends/send.ts';
import { IN_FLIGHT_MS, OUTCOME_UNKNOWN_AFTER_MS } from '../domain/sends/submission-times.ts';
import type { BatchDeps, Stages } from './batch-deps.ts';
import { type Item, UNDECIDED } from './batch-item.ts';
import { stateOf } from './left-intents.ts';
import type { MailPreparation } from './mail-preparation.ts';
import type { MailSubmission } from './mail-submission.ts';
import type { MailRequest } from './request.ts';
import type { RepeatedSend, Source } from './source.ts';

/** When a caller whose key is in flight elsewhere may ask again. */
const COME_BACK_SECONDS = 2;

/** What becomes of sends that were opened before, by a call with the same key or by the same visit of a run: docs/contract/sends.md 15 to 19. */
export class KnownSends<Request extends MailRequest, Result> {
  readonly #deps: Pick<BatchDeps, 'em' | 'leftIntents'>;
  readonly #outcomes: Stages['outcomes'];
  readonly #source: Source<Request, Result>;
  readonly #preparation: MailPreparation<Request, Result>;
  readonly #submission: MailSubmission<Request, Result>;

  constructor(
    deps: Pick<BatchDeps, 'em' | 'leftIntents'>,
    outcomes: Stages['outcomes'],
    source: Source<Request, Result>,
    preparation: MailPreparation<Request, Result>,
    submission: MailSubmission<Request, Result>,
  ) {
    this.#deps = deps;
    this.#outcomes = outcomes;
    this.#source = source;
    this.#preparation = preparation;
    this.#submission = submission;
  }

  /** Gives its outcome again, or settles one that has none. */
  async settle(item: Item<Request, Result>, known: KnownSend, repeated: RepeatedSend<Result>): Promise<Result | Refusal> {
    const { identity } = item.request;
    if (identity.by === 'key' && known.request_hash && !identity.requestHash.equals(known.request_hash)) {
      const isOther = repeated.keyReused ?? repeated.keyTaken;
      if (isOther) return isOther();
    }
    const mine = { ...item, sendId: known.id, isOutcomeUnknown: known.status === 'failed' };
    const outcome = outcomeOf(known);
    if (outcome && !this.#mayBeTold(known, outcome)) return this.#submission.settled(mine, outcome, true);
    const { ageMs } = known;
    if (ageMs < OUTCOME_UNKNOWN_AFTER_MS && (!outcome || known.isReopened)) {
      const outcomeUnknownIn = Math.ceil((OUTCOME_UNKNOWN_AFTER_MS - ageMs) / 1000);
      return repeated.inProgress(ageMs < IN_FLIGHT_MS ? Math.min(outcomeUnknownIn, COME_BACK_SECONDS) : outcomeUnknownIn);
    }
    if (outcome) return this.#reopen(mine, known, 'same key', repeated);
    const { journals, deduplicates } = this.#deps.leftIntents;
    const left = leftState(await stateOf(journals, known), known, deduplicates);
    switch (left.state) {
      case 'answered':
      case 'unknown':
        return this.#submission.close(mine, left.outcome);
      case 'clean':
      case 'same key':
        // Nothing more is sent to who was erased; whoever asks again would have it sent.
        if (known.isErased) return this.#submission.close(mine, OUTCOME_UNKNOWN);
        return this.#reopen(mine, known, left.state, repeated);
      default:
        return left satisfies never;
    }
  }

  /** A call whose outcome is unknown is asked for again under its key, as long as the provider keeps that. */
  #mayBeTold(known: KnownSend, outcome: SendOutcome): boolean {
    const isOfCall = this.#source.repeated?.keyReused !== undefined && known.request_hash !== null;
    if (!isOutcomeUnknown(outcome) || !isOfCall || known.isFollowed) return false;
    return leftState({ state: 'unknown' }, known, this.#deps.leftIntents.deduplicates).state === 'same key';
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
    this.#preparation.plan(item);
    if (item.result !== UNDECIDED) {
      if (item.mayBeSubmitted) return this.#submission.close(item, OUTCOME_UNKNOWN);
      // As every mail that cannot be made for its project: it has no row.
      await this.#outcomes.withdraw(item.sendId, openedAt);
      return item.result;
    }
    await this.#preparation.compose([item]);
    if (item.result !== UNDECIDED) return item.result;
    if (item.failure) return this.#submission.close(item, item.mayBeSubmitted ? OUTCOME_UNKNOWN : { status: 'failed', ...item.failure });
    item.begunAt = performance.now();
    const reopened = await reopenSend(this.#deps.em, this.#source.gate, this.#preparation.intent(item), {
      openedAt,
      mayBeSubmitted: item.mayBeSubmitted,
      isOutcomeUnknown: item.isOutcomeUnknown,
    });
    switch (reopened.state) {
      case 'lost':
        return repeated.inProgress(1);
      case 'opened':
        item.openedAt = reopened.openedAt;
        return item.isOutcomeUnknown ? this.#askAgain(item) : this.#submission.carryOut(item);
      case 'refused':
        return this.#refusedAgain(item, reopened.verdict);
      default:
        return reopened satisfies never;
    }
  }

  async #askAgain(item: Item<Request, Result>): Promise<Result> {
    const result = await this.#submission.carryOut(item);
    await stayUnknown(this.#deps.em, item.sendId);
    return result;
  }

  async #refusedAgain(item: Item<Request, Result>, verdict: GateVerdict): Promise<Result> {
    const { gate, isForNow } = this.#source;
    // What is only held keeps its intent: it goes on later, under the same key.
    if (isForNow?.(verdict)) return this.#submission.refused(item, verdict);
    if (item.mayBeSubmitted) return this.#submission.close(item, OUTCOME_UNKNOWN);
    if (gate.logsRefused && isRecipientRefusal(verdict.by))
      return this.#submission.close(item, { status: 'failed', reason: verdict.by, message: '' });
    await this.#outcomes.withdraw(item.sendId, item.openedAt);
    return this.#submission.refused(item, verdict);
  }
}

/** The outcome that a row has, if it has one. */
function outcomeOf({ status, provider_id, error }: KnownSend): SendOutcome | undefined {
  if (status === 'sent') return { status, providerId: provider_id ?? undefined };
  if (status !== 'failed') return undefined;
  return { status, ...readError(error ?? errorText('outcome_unknown', '')) };
}
