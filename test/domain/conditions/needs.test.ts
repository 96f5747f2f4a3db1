import { expect, test } from 'vitest';
import type { Condition } from '../../../domain/conditions/condition.ts';
import { factsNeeded } from '../../../domain/conditions/needs.ts';

test('every look-up of every condition is listed once, with its defaults filled in', () => {
  const condition: Condition = {
    all: [
      { field: 'contact.status', op: 'exists' },
      { any: [{ segment: 'VIP' }, { not: { segment: 'vip' } }, { event: { type: 'paid' } }] },
      { event: { type: 'paid', withinHours: null, atLeast: 1 } },
      { event: { type: 'paid', withinHours: 24 } },
      { not: { email: { event: 'opened', template: 'welcome', withinHours: 2 } } },
      { field: 'contact.topics.news', op: 'eq', value: true },
      { not: { field: 'contact.topics.news', op: 'exists' } },
    ],
  };
  expect(factsNeeded([condition, { email: { event: 'opened' } }, { segment: 'new' }])).toEqual({
    segments: ['vip', 'new'],
    events: [
      { type: 'paid', withinHours: null, atLeast: 1 },
      { type: 'paid', withinHours: 24, atLeast: 1 },
    ],
    emails: [
      { template: 'welcome', event: 'opened', withinHours: 2 },
      { template: null, event: 'opened', withinHours: null },
    ],
    topics: ['news'],
  });
});

test('a condition on fields alone asks nothing of the database', () => {
  expect(factsNeeded({ field: 'attributes.plan', op: 'eq', value: 'pro' })).toEqual({ segments: [], events: [], emails: [], topics: [] });
});
