import { expect, test } from 'vitest';
import {
  AFTER_ATTEMPT,
  AFTER_OTHERS,
  type AttemptEnd,
  DELIVERY_STATES,
  type DeliveryState,
} from '../../../domain/webhooks/delivery-states.ts';

/** Every transition by the end of an attempt. */
const byAttempts = (Object.keys(AFTER_ATTEMPT) as AttemptEnd[]).flatMap((end) =>
  DELIVERY_STATES.map((from) => ({ end, from, ...AFTER_ATTEMPT[end][from] })),
);

const isSettled = (state: DeliveryState): boolean => state === 'delivered' || state === 'failed';

test('what came through makes its delivery delivered in every state, and no attempt makes it anything else again', () => {
  const cameThrough = byAttempts.filter(({ end, from }) => end === 'taken' || end === 'taken late' || from === 'delivered');
  expect(cameThrough.map(({ to }) => to)).toEqual(Array(10).fill('delivered'));
});

test('an attempt is counted by its end, and one that was counted before is not counted again', () => {
  for (const { end, attempts } of byAttempts) expect([end, attempts]).toEqual([end, end === 'taken late' ? 'corrected' : 'one more']);
});

test('a delivery that was delivered keeps the answer that delivered it; every other shows that of the latest attempt to end', () => {
  for (const { from, response } of byAttempts)
    expect([from, response]).toEqual([from, from === 'delivered' ? undefined : 'of the attempt']);
});

test('a refusal settles nothing but a pending delivery that is given up, and makes nothing pending', () => {
  const refusals = byAttempts.filter(({ end }) => end === 'refused' || end === 'given up');
  for (const { end, from, to } of refusals) {
    const expected = isSettled(from) ? from : end === 'given up' ? 'failed' : 'workflow';
    expect([end, from, to]).toEqual([end, from, expected]);
  }
});

test('what is pending after an attempt has its next one planned, and what leaves its burst for that gets a workflow', () => {
  for (const { from, to, next, follows } of byAttempts) {
    expect([to, next]).toEqual([to, isSettled(to) ? 'latest attempt' : 'planned']);
    expect([from, to, follows]).toEqual([from, to, from === 'burst' && to === 'workflow' ? 'starts workflow' : undefined]);
  }
});

test('a settled delivery becomes pending by hand alone: one with a workflow, all that failed by the burst', () => {
  const reopening = Object.entries(AFTER_OTHERS).flatMap(([event, ofState]) =>
    Object.entries(ofState).flatMap(([from, { to }]) => (isSettled(from as DeliveryState) && !isSettled(to) ? [[event, from, to]] : [])),
  );
  expect(reopening).toEqual([
    ['begun again', 'delivered', 'workflow'],
    ['begun again', 'failed', 'workflow'],
    ['begun again with all', 'failed', 'burst'],
  ]);
});
