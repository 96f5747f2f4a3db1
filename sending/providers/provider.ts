import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Breaker, type BreakerChange } from '../../domain/sends/breaker.ts';
import { shownReply } from '../../domain/shown-text.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OutgoingMail } from '../../platform/mail/mail.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { Outage } from '../../platform/outage.ts';
import type { HeldAnswer } from '../allowances/allowance.ts';
import type { Allowances } from '../allowances/allowances.ts';
import type { SendPace } from '../send-pace.ts';

/** A provider that put off all mails for so long is away. One that puts off some of them is busy. */
const AWAY_AFTER_MS = 10_000;
/** So many recipients deferred and none taken: it is not they who are greylisted or have a full mailbox. */
const AWAY_FROM_RECIPIENTS = 3;

export interface ProviderDeps {
  readonly name: string;
  readonly mail: MailProvider;
  readonly pace: SendPace;
  /** undefined: it takes as many a day as there are. */
  readonly allowances: Allowances | undefined;
  /** Told when its breaker opens or closes; undefined: it is the only one, and asked whatever it answers. */
  readonly changed: ((change: NonNullable<BreakerChange>, reason: string) => void) | undefined;
  readonly log: Logger;
  readonly now: () => Date;
}

/** A mail provider as this process knows it: whether it takes mails just now, at which pace, and how many more today. */
export class Provider {
  readonly name: string;
  readonly mail: MailProvider;
  readonly #pace: SendPace;
  readonly #allowances: Allowances | undefined;
  readonly #breaker = new Breaker(() => performance.now());
  readonly #changed: ProviderDeps['changed'];
  readonly #note: (mail: OutgoingMail, answer: ProviderAnswer) => void;

  constructor({ name, mail, pace, allowances, changed, log, now }: ProviderDeps) {
    this.name = name;
    this.mail = mail;
    this.#pace = pace;
    this.#allowances = allowances;
    this.#changed = changed;
    this.#note = createOutageLog(name, mail.host, log, now);
  }

  /** Whether others should be asked first: most of what it was given of late failed. */
  get isShut(): boolean {
    return this.#breaker.isShut;
  }

  /** Whether it takes no mails, though one of them may be tried now and then. */
  get isOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** Whether its daily allowance is used, as far as this process has met it. */
  get hasUsedItsDay(): boolean {
    return this.#allowances?.isUsed ?? false;
  }

  /** Waits for the turn of one mail, of a campaign (`isBulk`) or another. An answer when it has none before `deadline`, of performance.now(), or today. */
  async turn(deadline: number, isBulk: boolean): Promise<HeldAnswer | undefined> {
    const leftMs = Math.max(0, deadline - performance.now());
    const waitMs = this.#pace.takeOne(leftMs);
    if (waitMs > leftMs) {
      const retryAfterSeconds = Math.ceil(waitMs / 1_000);
      return { outcome: 'later', message: `the rate of the provider ${this.name} is reached`, retryAfterSeconds, heldBy: 'rate' };
    }
    if (waitMs > 0) await sleep(waitMs);
    return this.#allowances?.take(isBulk);
  }

  /** To be called just before it is given the mail. */
  asked(): void {
    if (this.#changed) this.#breaker.asked();
  }

  answered(mail: OutgoingMail, answer: ProviderAnswer, isBulk: boolean): void {
    this.#note(mail, answer);
    // What was not given to it, or not taken, may be again.
    if (answer.outcome === 'later' || answer.outcome === 'rejected') this.#allowances?.giveBack(isBulk);
    if (!this.#changed) return;
    const change = isFailure(answer) ? this.#breaker.failed() : isAboutItself(answer) ? this.#breaker.succeeded() : undefined;
    if (change) this.#changed(change, 'message' in answer ? shownTo(mail, answer.message) : '');
  }

  /** Its mail was not given to it after all. */
  notAsked(isBulk: boolean): void {
    this.#allowances?.giveBack(isBulk);
  }

  async close(): Promise<void> {
    await this.mail.close();
    await this.#allowances?.leave();
  }
}

/** Who of them is asked next: the first that does not fail most of the time, or the first. At least one. */
export function nextToAsk(providers: readonly Provider[]): Provider {
  return (providers.find(({ isShut }) => !isShut) ?? providers[0]) as Provider;
}

/** It is away, busy or badly configured, or nobody knows what it did. */
function isFailure(answer: ProviderAnswer): boolean {
  return answer.outcome === 'unknown' || (answer.outcome === 'later' && !answer.isUnread && !answer.isDeferredRecipient);
}

/** Whether the answer says that it works: one that is about an attachment says nothing of it. */
function isAboutItself(answer: ProviderAnswer): boolean {
  return (
    answer.outcome === 'accepted' || answer.outcome === 'rejected' || (answer.outcome === 'later' && answer.isDeferredRecipient === true)
  );
}

function shownTo({ to, copies = [] }: OutgoingMail, message: string): string {
  return shownReply(message, to, ...copies);
}

/**
 * Logs one line when the provider goes away and one when it takes mails again, whatever the number of mails. It is away as well when it
 * defers every recipient. The lines are about no mail, so they are written outside of the activity that submits one.
 */
function createOutageLog(
  provider: string,
  host: string,
  log: Logger,
  now: () => Date,
): (mail: OutgoingMail, answer: ProviderAnswer) => void {
  const outside = AsyncLocalStorage.snapshot();
  /** Of all mails put off since one was accepted. */
  const outage = new Outage();
  /** Of the first that was put off for another reason than its recipient. */
  let refusedSince: number | undefined;
  const deferred = new Set<string>();
  return (mail, answer) => {
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
      if (deferred.size < AWAY_FROM_RECIPIENTS) deferred.add(mail.to);
    } else refusedSince ??= at;
    const refuses = refusedSince !== undefined && at - refusedSince >= AWAY_AFTER_MS;
    const defersAll = deferred.size >= AWAY_FROM_RECIPIENTS && outage.hasLasted(AWAY_AFTER_MS, at);
    if (!refuses && !defersAll) return;
    if (!outage.begin()) return;
    outside(() => log.warn('mail.provider_unavailable', { provider, host, reason: shownTo(mail, answer.message) }));
  };
}
