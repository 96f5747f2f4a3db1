import { expect, test } from 'vitest';
import { receiverGroups } from '../../domain/sends/receiver-rules.ts';
import { createLogger } from '../../platform/logger.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import { Receiver, type ReceiverLimits } from '../../sending/receivers/receiver.ts';
import { createReceivers } from '../../sending/receivers/receivers.ts';
import { finishedMailTo } from '../platform/mail/mails.ts';

interface Clocked {
  readonly receiver: Receiver;
  now(): number;
  pass(ms: number): void;
  /** Mails that it takes at this rate, for so long. */
  take(perSecond: number, seconds: number): void;
}

function clocked(limits: ReceiverLimits = {}): Clocked {
  let now = 1_000_000;
  const receiver = new Receiver('gmail.com', limits, () => now);
  const pass = (ms: number): void => {
    now += ms;
  };
  return {
    receiver,
    now: () => now,
    pass,
    take(perSecond, seconds) {
      for (let n = 0; n < perSecond * seconds; n++) {
        receiver.taken();
        pass(1_000 / perSecond);
      }
    },
  };
}

test('domains count as rules say, with all below them, and else as they are known', () => {
  const groupOf = receiverGroups([{ receiver: 'gmail.com', domains: ['school.example'] }, { receiver: 'own.example' }]);
  expect(['gmail.com', 'googlemail.com', 'school.example', 'mail.school.example', 'preschool.example', 'own.example'].map(groupOf)).toEqual(
    [...['gmail.com', 'gmail.com', 'gmail.com', 'gmail.com', 'preschool.example', 'own.example']],
  );
});

test('a mail of a campaign waits a second at most for its turn, and a mail of a call as long as it may', () => {
  const { receiver, now } = clocked({ ratePerSecond: 2 });
  const turns = Array.from({ length: 8 }, () => receiver.turn(true, now() + 10_000));
  expect(turns.filter((wait) => wait !== undefined).every((wait) => wait <= 1_000)).toBe(true);
  expect(turns.at(-1)).toBeUndefined();
  // Those of campaigns make room for it.
  expect(receiver.turn(false, now() + 10_000)).toBeLessThanOrEqual(500);
  expect(Array.from({ length: 4 }, () => receiver.turn(false, now() + 1_000)).at(-1)).toBeUndefined();
});

test('mails that have to go later are spread by the rate', () => {
  const { receiver } = clocked({ ratePerSecond: 5 });
  const seconds = Array.from({ length: 50 }, () => receiver.holdSeconds());
  expect([seconds[0], seconds[24], seconds[49]]).toEqual([1, 5, 10]);
});

test('a deferral halves the rate at which mails were taken of late, once for all that come together, and again five seconds later', () => {
  const { receiver, take, pass } = clocked();
  take(40, 10);
  expect(receiver.perSecond).toBeUndefined();
  expect([receiver.deferred(), receiver.deferred(), receiver.deferred()]).toEqual([true, false, false]);
  expect(receiver.perSecond).toBeGreaterThan(15);
  expect(receiver.perSecond).toBeLessThan(25);
  const first = receiver.perSecond as number;
  pass(5_000);
  expect(receiver.deferred()).toBe(true);
  expect(receiver.perSecond).toBe(first / 2);
});

test('it never gets less than a mail in two seconds, however often it defers', () => {
  const { receiver, take, pass } = clocked();
  take(10, 5);
  for (let n = 0; n < 20; n++) {
    receiver.deferred();
    pass(5_000);
  }
  expect(receiver.perSecond).toBe(0.5);
});

test('without a deferral its rate doubles each half a minute, until it is as fast as any other', () => {
  const { receiver, take, pass } = clocked();
  take(40, 10);
  receiver.deferred();
  const slowed = receiver.perSecond as number;
  pass(30_000);
  expect([receiver.isSlowed, receiver.perSecond]).toEqual([true, slowed * 2]);
  pass(60_000);
  expect([receiver.isSlowed, receiver.perSecond]).toEqual([false, undefined]);
});

test('what is set stays where it has recovered', () => {
  const { receiver, take, pass } = clocked({ ratePerSecond: 30 });
  take(20, 10);
  receiver.deferred();
  pass(300_000);
  expect([receiver.isSlowed, receiver.perSecond]).toEqual([false, 30]);
});

test('no more mails are submitted to it at once than it has connections, and those of calls go first', async () => {
  const { receiver, now } = clocked({ connections: 2 });
  expect(await Promise.all([receiver.connect(true, now() + 1_000), receiver.connect(true, now() + 1_000)])).toEqual([true, true]);
  const order: string[] = [];
  const bulk = receiver.connect(true, now() + 1_000).then((may) => may && order.push('campaign'));
  const single = receiver.connect(false, now() + 1_000).then((may) => may && order.push('call'));
  receiver.leave();
  await single;
  expect(order).toEqual(['call']);
  receiver.leave();
  await bulk;
  expect(await receiver.connect(true, now())).toBe(false);
});

const LATER: ProviderAnswer = { outcome: 'later', message: '451 4.7.1 too many from you', isDeferredRecipient: true };
const TAKEN: ProviderAnswer = { outcome: 'accepted', providerId: 'x' };

test('a receiver that defers while others take mails is slowed down alone, and a provider that puts off everybody slows nobody down', async () => {
  const warned: unknown[] = [];
  const log = { ...createLogger('silent', {}), warn: (event: string, fields: object) => void warned.push([event, fields]) };
  const sendWith = (answerTo: (to: string) => ProviderAnswer) => {
    const submit = createReceivers([]).paced(async ({ to }, _, options) => {
      options?.answered?.(answerTo(to));
      return answerTo(to);
    }, log as never);
    return async (to: string) => (await submit(finishedMailTo(to), performance.now(), { isBulk: true })).outcome;
  };
  const everybodyLater = sendWith(() => LATER);
  for (let n = 0; n < 3; n++) for (const to of ['a@gmail.com', 'b@outlook.com']) expect(await everybodyLater(to)).toBe('later');
  expect(warned).toEqual([]);
  const gmailLater = sendWith((to) => (to.endsWith('gmail.com') ? LATER : TAKEN));
  expect(await gmailLater('b@outlook.com')).toBe('accepted');
  expect(await gmailLater('a@googlemail.com')).toBe('accepted');
  expect(await gmailLater('a@gmail.com')).toBe('later');
  expect(warned).toEqual([['mail.receiver_slowed_down', { receiver: 'gmail.com', perSecond: 0.5 }]]);
  const others = await Promise.all(Array.from({ length: 30 }, () => gmailLater('b@outlook.com')));
  expect(others).toEqual(Array(30).fill('accepted'));
});
