import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAUSES_BEFORE_TRIES_MS, SUBMISSION_TRIES, TRIES_BEGIN_WITHIN_MS } from '../domain/sends/submission-times.ts';
import { shownReply } from '../domain/shown-text.ts';
import type { Logger } from '../platform/logger.ts';
import type { OutgoingMail } from '../platform/mail/mail.ts';
import type { MailProvider, ProviderAnswer } from '../platform/mail/provider.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { Outage } from '../platform/outage.ts';
import type { SubmissionJournal } from './journal/submission-journal.ts';

/** A provider that put off all mails for so long is away. One that puts off some of them is busy. */
const AWAY_AFTER_MS = 10_000;
/** So many recipients deferred and none taken: it is not they who are greylisted or have a full mailbox. */
const AWAY_FROM_RECIPIENTS = 3;

/** Whoever waits for a mail in flight counts from when its intent was opened, so its tries do as well. */
const TOO_LATE: ProviderAnswer = { outcome: 'later', message: 'not submitted: writing the intent took too long' };

/**
 * Submits a mail to the provider, again when it surely was not accepted and may be a moment later: docs/contract/sends.md 12. Never throws for provider
 * trouble. `begunAt`: of performance.now(), before its intent was written.
 */
export type Submit = (mail: OutgoingMail, begunAt: number, options?: SubmitOptions) => Promise<ProviderAnswer>;

export interface SubmitOptions {
  /** What it stops before its content is written may go later. */
  readonly isStopped?: () => boolean;
  /** A provider that deduplicates does so by it; the id of the send when omitted. */
  readonly key?: string;
}

export interface SubmitDeps {
  readonly provider: MailProvider;
  readonly journal: Pick<SubmissionJournal, 'submitting' | 'answered'>;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'submissionTried'>;
  readonly now: () => Date;
}

export function createSubmit({ provider, journal, log, metrics, now }: SubmitDeps): Submit {
  const note = createOutageLog(provider, log, now);
  return async (mail, begunAt, { isStopped, key = mail.sendId } = {}) => {
    const deadline = begunAt + TRIES_BEGIN_WITHIN_MS;
    if (performance.now() >= deadline) return TOO_LATE;
    const submitting = (): boolean => journal.submitting(mail.sendId);
    for (let attempt = 1; ; attempt++) {
      const beganAt = performance.now();
      const answer = await provider.send(mail, key, isStopped, submitting);
      journal.answered(mail.sendId, answer);
      // No try of the provider: its campaign was reset, terminated or cancelled.
      if (answer.outcome === 'later' && answer.wasStopped) return answer;
      metrics.submissionTried(provider.name, answer.outcome, (performance.now() - beganAt) / 1000);
      if (isStopped?.()) return answer;
      note(mail, answer);
      if (answer.outcome !== 'later' || attempt === SUBMISSION_TRIES) return answer;
      const pause = Math.max((answer.retryAfterSeconds ?? 0) * 1000, PAUSES_BEFORE_TRIES_MS[attempt - 1] ?? 0);
      if (performance.now() + pause >= deadline) return answer;
      await sleep(pause);
    }
  };
}

/**
 * Logs one line when the provider goes away and one when it takes mails again, whatever the number of mails. It is away as well when it
 * defers every recipient. The lines are about no mail, so they are written outside of the activity that submits one.
 */
function createOutageLog(
  { name: provider, host }: MailProvider,
  log: Logger,
  now: () => Date,
): (mail: OutgoingMail, answer: ProviderAnswer) => void {
  const outside = AsyncLocalStorage.snapshot();
  /** Of all mails put off since one was accepted. */
  const outage = new Outage();
  /** Of the first that was put off for another reason than its recipient. */
  let refusedSince: number | undefined;
  const deferred = new Set<string>();
  return ({ to, copies = [] }, answer) => {
    const at = now().getTime();
    if (answer.outcome === 'accepted') {
      if (outage.end(at)) outside(() => log.info('mail.provider_back', { provider, host }));
      refusedSince = undefined;
      deferred.clear();
    }
    const isAway = (answer.outcome === 'later' && !answer.isUnread) || (answer.outcome === 'unknown' && answer.tellsLater);
    if (!isAway) return;
    outage.refused(at);
    if (answer.outcome === 'later' && answer.isDeferredRecipient) {
      if (deferred.size < AWAY_FROM_RECIPIENTS) deferred.add(to);
    } else refusedSince ??= at;
    const refuses = refusedSince !== undefined && at - refusedSince >= AWAY_AFTER_MS;
    const defersAll = deferred.size >= AWAY_FROM_RECIPIENTS && outage.hasLasted(AWAY_AFTER_MS, at);
    if (!refuses && !defersAll) return;
    if (!outage.begin()) return;
    outside(() => log.warn('mail.provider_unavailable', { provider, host, reason: shownReply(answer.message, to, ...copies) }));
  };
}
