import { setTimeout as sleep } from 'node:timers/promises';
import { HAND_OVER_TRIES, PAUSES_BEFORE_TRIES_MS, TRIES_BEGIN_WITHIN_MS } from '../domain/hand-over-times.ts';
import type { Logger } from '../platform/logger.ts';
import type { MailProvider, OutgoingMail, ProviderAnswer } from '../platform/mail/provider.ts';

/** Whoever waits for a mail in hand counts from when its intent was opened, so its tries do as well. */
const TOO_LATE: ProviderAnswer = { outcome: 'later', message: 'not handed over: writing the intent took too long' };

/**
 * Hands a mail to the provider, again when it surely was not accepted and may be a moment later: decisions.md 4.4. Never throws for provider
 * trouble. What `isStopped` stops before its content is written may go later.
 */
export type HandOver = (mail: OutgoingMail, openedAt: Date, isStopped?: () => boolean) => Promise<ProviderAnswer>;

export function createHandOver(provider: MailProvider, log: Logger, now: () => Date): HandOver {
  /** One line when the provider goes away and one when it is back, not one for each mail. */
  let isAway = false;
  const note = ({ outcome }: ProviderAnswer): void => {
    if (outcome === 'later' && !isAway) log.warn('mail.provider_unavailable', { provider: provider.name });
    if (outcome === 'accepted' && isAway) log.info('mail.provider_back', { provider: provider.name });
    if (outcome === 'later' || outcome === 'accepted') isAway = outcome === 'later';
  };
  return async (mail, openedAt, isStopped) => {
    const left = TRIES_BEGIN_WITHIN_MS - (now().getTime() - openedAt.getTime());
    if (left <= 0) return TOO_LATE;
    const deadline = performance.now() + left;
    for (let attempt = 1; ; attempt++) {
      const answer = await provider.send(mail, mail.sendId, isStopped);
      if (isStopped?.()) return answer;
      note(answer);
      if (answer.outcome !== 'later' || attempt === HAND_OVER_TRIES) return answer;
      const pause = Math.max((answer.retryAfterSeconds ?? 0) * 1000, PAUSES_BEFORE_TRIES_MS[attempt - 1] ?? 0);
      if (performance.now() + pause >= deadline) return answer;
      await sleep(pause);
    }
  };
}
