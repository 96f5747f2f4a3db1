import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSES_BEFORE_TRIES_MS, SUBMISSION_TRIES, TRIES_BEGIN_WITHIN_MS } from '../domain/sends/submission-times.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import type { ProviderAnswer } from '../platform/mail/provider.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Allowances } from './allowances/allowances.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';
import { nextToAsk, type Provider } from './providers/provider.ts';
import type { SendPace } from './send-pace.ts';
import type { Submitted } from './submitted.ts';

/** Whoever waits for a mail in flight counts from when its intent was opened, so its tries do as well. */
const TOO_LATE: ProviderAnswer = { outcome: 'later', message: 'not submitted: writing the intent took too long' };

/** In the form of no provider that is left. */
const NOT_MADE: ProviderAnswer = { outcome: 'later', message: 'the email could not be made for another provider' };

/**
 * Submits a mail to a provider, again when it surely was not accepted and may be a moment later, by the next provider where there is one: docs/contract/sends.md 12.
 * Never throws for provider trouble. `begunAt`: of performance.now(), before its intent was written.
 */
export type Submit = (mail: OutgoingMail, begunAt: number, options?: SubmitOptions) => Promise<Submitted>;

export interface SubmitOptions {
  /** What it stops before its content is written may go later. */
  readonly isStopped?: () => boolean;
  /** A provider that deduplicates does so by it; the id of the send when omitted. */
  readonly key?: string;
  /** Of a campaign: it makes room for mails that others wait for. */
  readonly isBulk?: boolean;
  /** Told what a provider says of the mail, at each try. */
  readonly answered?: (answer: ProviderAnswer) => void;
  /** Absent: by the only provider. */
  readonly way?: Way | undefined;
  /** Of its sender's domain, as of when it goes; undefined: as much as there is. */
  readonly allowances?: (() => Promise<Allowances | undefined>) | undefined;
}

/** Which providers are asked to take a mail, and how each of them gets it. */
export interface Way {
  /** In this order; at least one. */
  readonly providers: readonly Provider[];
  /** The mail in the form in which this provider takes it; undefined: it cannot be made for it. Throws what keeps it from being made. */
  mailFor(provider: Provider): Promise<OutgoingMail | undefined>;
}

export interface SubmitDeps {
  /** By which a mail goes that has no way of its own. */
  readonly provider: Provider;
  readonly journal: Pick<SubmissionJournal, 'submitting' | 'answered'>;
  readonly metrics: Pick<Metrics, 'submissionTried'>;
}

export function createSubmit({ provider: only, journal, metrics }: SubmitDeps): Submit {
  const usual = [only];
  return async (mail, begunAt, { isStopped, key = mail.sendId, isBulk = false, answered, way } = {}) => {
    const deadline = begunAt + TRIES_BEGIN_WITHIN_MS;
    if (performance.now() >= deadline) return TOO_LATE;
    const providers = way?.providers ?? usual;
    let left = providers;
    let last: Submitted | undefined;
    for (let attempt = 1; ; ) {
      const provider = nextToAsk(left);
      left = left.filter((other) => other !== provider);
      const held = await provider.turn(deadline, isBulk);
      const form = held ? undefined : await (way ? way.mailFor(provider) : mail);
      if (!form) {
        if (!held) provider.notAsked(isBulk);
        // Another provider takes what is above a day's allowance, but not what is too fast.
        if (left.length > 0 && held?.heldBy !== 'rate') continue;
        if (!last) return held ?? NOT_MADE;
      } else {
        const beganAt = performance.now();
        provider.asked();
        const answer = await provider.mail.send(form, key, isStopped, () => journal.submitting(mail.sendId, provider.name));
        last = { ...answer, by: provider.name };
        journal.answered(mail.sendId, last);
        // No try of the provider: its campaign was reset, terminated or cancelled.
        if (answer.outcome === 'later' && answer.wasStopped) {
          provider.notAsked(isBulk);
          return last;
        }
        metrics.submissionTried(provider.name, answer.outcome, (performance.now() - beganAt) / 1000);
        if (isStopped?.()) return last;
        provider.answered(form, answer, isBulk);
        answered?.(answer);
        if (attempt++ === SUBMISSION_TRIES) return last;
      }
      if (last.outcome !== 'later') return last;
      // What is about this mail would be said again by any other.
      const isAboutMail = last.isDeferredRecipient || last.isUnread;
      const goesOn = !isAboutMail && left.some(({ isShut }) => !isShut);
      const pause = goesOn ? 0 : Math.max((last.retryAfterSeconds ?? 0) * 1000, PAUSES_BEFORE_TRIES_MS[attempt - 2] ?? 0);
      if (performance.now() + pause >= deadline) return last;
      if (goesOn) continue;
      left = isAboutMail ? [provider] : providers;
      await sleep(pause);
    }
  };
}

/** Submits single mails at this pace. What cannot have its turn in its time may go later. */
export function paced(submit: Submit, pace: SendPace): Submit {
  return async (mail, begunAt, options) => {
    const leftMs = Math.max(0, begunAt + TRIES_BEGIN_WITHIN_MS - performance.now());
    const waitMs = pace.takeOne(leftMs);
    if (waitMs > leftMs)
      return { outcome: 'later', message: 'SEND_RATE_PER_SECOND is reached', retryAfterSeconds: Math.ceil(waitMs / 1_000) };
    if (waitMs > 0) await sleep(waitMs);
    return submit(mail, begunAt, options);
  };
}

/** Submits what today's allowance of the sender's domain lets go; a mail of a campaign that is above it may go later. */
export function ramped(submit: Submit): Submit {
  return async (mail, begunAt, options) => {
    const isBulk = options?.isBulk ?? false;
    let allowances: Allowances | undefined;
    try {
      allowances = await options?.allowances?.();
    } catch {
      return { outcome: 'later', message: "the ramp of the sender's domain could not be read" };
    }
    if (!allowances) return submit(mail, begunAt, options);
    const held = await allowances.take(isBulk);
    if (held) return held;
    const answer = await submit(mail, begunAt, options);
    if (answer.outcome === 'later' || answer.outcome === 'rejected') allowances.giveBack(isBulk);
    return answer;
  };
}
