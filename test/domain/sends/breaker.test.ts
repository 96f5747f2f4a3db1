import { expect, test } from 'vitest';
import { Breaker } from '../../../domain/sends/breaker.ts';

function withClock(): { breaker: Breaker; pass: (ms: number) => void; fail: (times: number) => (string | undefined)[] } {
  let now = 0;
  const breaker = new Breaker(() => now);
  return {
    breaker,
    pass: (ms) => {
      now += ms;
    },
    fail: (times) => Array.from({ length: times }, () => breaker.failed()),
  };
}

test('it opens with the fifth failure of a minute when at least half of the answers failed, and says so once', () => {
  const { breaker, fail } = withClock();
  expect(fail(6)).toEqual([undefined, undefined, undefined, undefined, 'opened', undefined]);
  expect([breaker.isOpen, breaker.isShut]).toEqual([true, true]);
});

test('a share of failures below half never opens it', () => {
  const { breaker } = withClock();
  for (let n = 0; n < 60; n++) expect(n % 5 > 2 ? breaker.failed() : breaker.succeeded()).toBeUndefined();
  expect(breaker.isOpen).toBe(false);
});

test('failures that are more than a minute apart are forgotten', () => {
  const { breaker, pass } = withClock();
  for (let n = 0; n < 12; n++) {
    expect(breaker.failed()).toBeUndefined();
    pass(20_000);
  }
  expect(breaker.isOpen).toBe(false);
});

test('after five seconds one probe is let through and no second one, and its success closes it', () => {
  const { breaker, pass, fail } = withClock();
  fail(5);
  pass(4_999);
  expect(breaker.isShut).toBe(true);
  pass(1);
  expect(breaker.isShut).toBe(false);
  breaker.asked();
  expect([breaker.isShut, breaker.isOpen]).toEqual([true, true]);
  expect(breaker.succeeded()).toBe('closed');
  expect([breaker.isShut, breaker.isOpen]).toEqual([false, false]);
});

test('each probe that fails doubles the pause, up to a minute', () => {
  const { breaker, pass, fail } = withClock();
  fail(5);
  for (const pause of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    pass(pause - 1);
    expect(breaker.isShut).toBe(true);
    pass(1);
    expect(breaker.isShut).toBe(false);
    breaker.asked();
    expect(breaker.failed()).toBeUndefined();
  }
});

test('the late answer of a mail that was asked before it opened neither closes it nor makes its pause longer', () => {
  const { breaker, pass, fail } = withClock();
  fail(5);
  expect(breaker.succeeded()).toBeUndefined();
  expect(breaker.failed()).toBeUndefined();
  expect(breaker.isOpen).toBe(true);
  pass(5_000);
  expect(breaker.isShut).toBe(false);
});

test('a probe that never has an answer is followed by another one', () => {
  const { breaker, pass, fail } = withClock();
  fail(5);
  pass(5_000);
  breaker.asked();
  expect(breaker.isShut).toBe(true);
  pass(30_000);
  expect(breaker.isShut).toBe(false);
});
