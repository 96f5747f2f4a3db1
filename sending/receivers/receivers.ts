import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { emailDomain } from '../../domain/contacts/email-address.ts';
import { type ReceiverRule, receiverGroups } from '../../domain/sends/receiver-rules.ts';
import { TRIES_BEGIN_WITHIN_MS } from '../../domain/sends/submission-times.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import type { Submit } from '../submit.ts';
import { Receiver } from './receiver.ts';

/** Who gets the mails of this process, and how fast: docs/receivers.md. */
export interface Receivers {
  /** Submits each mail when its receiver may get it. One of a campaign that cannot have its turn soon may go later, and holds no others up. */
  paced(submit: Submit, log: Logger): Submit;
}

/** Receivers that nothing is set of: so many are known at once, each by what it took of late. */
const MOST_KNOWN = 2_000;
/** A deferral is the receiver's where another one has taken a mail so lately: else it is the provider that puts everything off. */
const OTHERS_TAKE_MS = 5_000;

/** Shared by all that sends in a process. `now`: milliseconds of a clock that never goes back. */
export function createReceivers(rules: readonly ReceiverRule[], now: () => number = () => performance.now()): Receivers {
  const groupOf = receiverGroups(rules);
  const limited = new Map(rules.map((rule) => [rule.receiver, new Receiver(rule.receiver, rule, now)]));
  const others = new LRUCache<string, Receiver>({ max: MOST_KNOWN });
  /** Of the last two receivers that took a mail. */
  let last = { name: '', at: Number.NEGATIVE_INFINITY };
  let before = last;
  const receiverOf = (email: string): Receiver => {
    const name = groupOf(emailDomain(email));
    const known = limited.get(name) ?? others.get(name);
    if (known) return known;
    const receiver = new Receiver(name, {}, now);
    others.set(name, receiver);
    return receiver;
  };
  const taken = (receiver: Receiver): void => {
    receiver.taken();
    if (last.name !== receiver.name) before = last;
    last = { name: receiver.name, at: now() };
  };
  const doOthersTake = ({ name }: Receiver): boolean => now() - (last.name === name ? before : last).at < OTHERS_TAKE_MS;
  const answered = (receiver: Receiver, answer: ProviderAnswer, log: Logger): void => {
    if (answer.outcome === 'accepted') taken(receiver);
    else if (isDeferral(answer) && doOthersTake(receiver) && receiver.deferred())
      log.warn('mail.receiver_slowed_down', { receiver: receiver.name, perSecond: receiver.perSecond });
  };

  return {
    paced: (submit, log) => async (mail, begunAt, options) => {
      const receiver = receiverOf(mail.to);
      const isBulk = options?.isBulk ?? false;
      const deadline = now() + (begunAt + TRIES_BEGIN_WITHIN_MS - performance.now());
      const waitMs = receiver.turn(isBulk, deadline);
      if (waitMs === undefined) return held(receiver);
      if (waitMs > 0) await sleep(waitMs);
      if (!receiver.connectAtOnce() && !(await receiver.connect(isBulk, deadline))) return held(receiver);
      try {
        return await submit(mail, begunAt, { ...options, answered: (answer) => answered(receiver, answer, log) });
      } finally {
        receiver.leave();
      }
    },
  };
}

function held(receiver: Receiver): ProviderAnswer {
  const { perSecond } = receiver;
  const pace = perSecond === undefined ? 'its connections are in use' : `it gets ${Number(perSecond.toPrecision(2))} a second at most`;
  return { outcome: 'later', message: `${receiver.name}: ${pace}`, retryAfterSeconds: receiver.holdSeconds(), heldBy: 'receiver' };
}

/** RFC 3463: X.7.x is about policy, as limits of a rate are; 421 closes the connection. */
function isDeferral(answer: ProviderAnswer): boolean {
  return answer.outcome === 'later' && /^421\b|\b4\.7\.\d{1,3}\b/.test(answer.message);
}
