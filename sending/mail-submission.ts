import { type GateVerdict, obstacleOf } from '../db/queries/sends/gate-verdict.ts';
import { OUTCOME_UNKNOWN } from '../domain/sends/outcome-unknown.ts';
import { providerKey } from '../domain/sends/provider-key.ts';
import { SANDBOX_PROVIDER } from '../domain/sends/sandbox.ts';
import { acceptedOutcome, type FailedOutcome, rejectedOutcome, type SendOutcome } from '../domain/sends/send.ts';
import { copiesOf } from '../domain/sends/send-details.ts';
import { OUTCOME_UNKNOWN_AFTER_MS } from '../domain/sends/submission-times.ts';
import { shownReply } from '../domain/shown-text.ts';
import type { LogFields } from '../platform/logger.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import type { ProviderAnswer } from '../platform/mail/provider.ts';
import type { SendEnd } from '../platform/metrics/metrics.ts';
import type { BatchDeps, Stages } from './batch-deps.ts';
import type { Item } from './batch-item.ts';
import type { MailRequest } from './request.ts';
import { reservedCopies, sandboxOutcome, staysHere } from './sandbox.ts';
import type { LineLevel, Source } from './source.ts';
import type { Submitted } from './submitted.ts';

/** Of a mail whose request was answered as too late while its intent was written. */
const TOO_LATE: Submitted = { outcome: 'later', message: 'not submitted: the request took too long' };

/** Submits the mails whose intents this process holds, and records, counts and logs how each of them ended. */
export class MailSubmission<Request extends MailRequest, Result> {
  readonly #deps: Pick<BatchDeps, 'providers' | 'metrics' | 'log'>;
  readonly #stages: Pick<Stages, 'submit' | 'outcomes'>;
  readonly #source: Source<Request, Result>;

  constructor(
    deps: Pick<BatchDeps, 'providers' | 'metrics' | 'log'>,
    stages: Pick<Stages, 'submit' | 'outcomes'>,
    source: Source<Request, Result>,
  ) {
    this.#deps = deps;
    this.#stages = stages;
    this.#source = source;
  }

  /** Submits under an intent that this call holds. */
  async carryOut(item: Item<Request, Result>): Promise<Result> {
    const isLate = item.request.deadline?.aborted ?? false;
    if (!isLate && staysHere(item)) return this.#stay(item);
    const { projectId, identity } = item.request;
    const { way, allowances } = item;
    const options = { way, allowances, ...(identity.by === 'key' ? { key: providerKey(projectId, identity.key) } : {}) };
    const answer: Submitted = isLate ? TOO_LATE : await this.#stages.submit(item.mail as OutgoingMail, item.begunAt, options);
    item.submittedBy = answer.by;
    const provider = answer.by;
    switch (answer.outcome) {
      case 'accepted':
        return this.close(item, acceptedOutcome({ ...answer, ...reservedCopies(item), provider }));
      case 'rejected':
        return this.close(item, rejectedOutcome({ ...answer, provider }));
      case 'unknown':
        if (answer.tellsLater && this.#source.untold) return this.#leave(item, this.#source.untold, answer);
        return this.close(item, { status: 'failed', reason: 'outcome_unknown', message: answer.message, provider });
      case 'later':
        return this.#later(item, answer);
      default:
        return answer satisfies never;
    }
  }

  /** No provider is asked. One that may have left before, when it was not to stay here, may have arrived. */
  #stay(item: Item<Request, Result>): Promise<Result> {
    return this.close(item, item.mayBeSubmitted ? OUTCOME_UNKNOWN : sandboxOutcome(item));
  }

  /** Its provider cannot tell yet what became of it: it goes again under its key. */
  #leave(
    item: Item<Request, Result>,
    untold: NonNullable<Source<Request, Result>['untold']>,
    { message }: { readonly message: string },
  ): Result {
    this.#putOff(item);
    this.#stages.outcomes.leave(item.sendId);
    return untold(item.request, shownTo(item, message));
  }

  /** The provider may take it later. */
  async #later(item: Item<Request, Result>, answer: Extract<ProviderAnswer, { outcome: 'later' }>): Promise<Result> {
    const { repeated, untold } = this.#source;
    // It says nothing of what was submitted under the key before: the intent stays, and its outcome stays unknown.
    if (item.isOutcomeUnknown) return this.settled(item, OUTCOME_UNKNOWN, true);
    if (item.mayBeSubmitted && repeated)
      return untold ? this.#leave(item, untold, answer) : repeated.inProgress(Math.ceil(OUTCOME_UNKNOWN_AFTER_MS / 1000));
    const { message, retryAfterSeconds, heldBy, allowance } = answer;
    const shown = shownTo(item, message);
    const later = this.#source.later(item.request, { message, shown, retryAfterSeconds, heldBy, allowance });
    if ('outcome' in later) {
      const { reason } = later.outcome;
      this.#count(item, reason);
      this.#write(this.#source.lines.settled, 'mail.failed', item, { reason, cause: shown });
      await this.#record(item, later.outcome, false);
      return later.result;
    }
    if (!answer.wasStopped) this.#putOff(item);
    await this.#stages.outcomes.withdraw(item.sendId, item.openedAt);
    return later.withdrawn;
  }

  #putOff(item: Item<Request, Result>): void {
    this.#count(item, 'put_off');
    // Of all mails at once when the provider is away, which has its own line.
    this.#write('debug', 'mail.put_off', item);
  }

  /** Records the outcome of a mail, and tells of it. */
  async close(item: Item<Request, Result>, outcome: SendOutcome): Promise<Result> {
    this.#count(item, outcome.status === 'sent' ? 'sent' : outcome.reason);
    await this.#record(item, outcome, item.facts.setting?.hasWebhooks ?? false);
    return this.settled(item, outcome);
  }

  #record({ sendId: id, request: { projectId } }: Item<Request, Result>, outcome: SendOutcome, hasWebhooks: boolean): Promise<void> {
    return this.#stages.outcomes.record({ id, projectId, outcome, hasWebhooks });
  }

  #count(item: Item<Request, Result>, end: SendEnd): void {
    const provider = staysHere(item) ? SANDBOX_PROVIDER : (item.submittedBy ?? this.#deps.providers.first.name);
    this.#deps.metrics.sendEnded({ source: this.#source.type, provider }, end);
  }

  /** Of a mail whose row was written with its failure: nothing was submitted. */
  failed(item: Item<Request, Result>, failure: Omit<FailedOutcome, 'status'>): Result {
    this.#count(item, failure.reason);
    return this.settled(item, { status: 'failed', ...failure });
  }

  /** Of a mail whose outcome stands. */
  settled(item: Item<Request, Result>, outcome: SendOutcome, replayed = false): Result {
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

  /** Of a mail that the gate has not let go. */
  refused(item: Item<Request, Result>, verdict: GateVerdict): Result {
    const by = obstacleOf(verdict);
    this.#deps.metrics.sendRefused(this.#source.type, by);
    this.#write(this.#source.lines.refused, 'mail.refused', item, { by });
    return this.#source.refused(item.request, item.sendId, verdict);
  }
}

/** What a provider said of a mail, without the addresses that it is for. */
function shownTo({ plan, details }: Pick<Item<MailRequest, unknown>, 'plan' | 'details'>, message: string): string {
  return shownReply(message, plan?.to ?? '', ...copiesOf(details ?? {}));
}
