import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONTACT_FIELDS, type Condition, type FieldTest, type Scalar } from '../../../domain/conditions/condition.ts';
import { evaluateCondition } from '../../../domain/conditions/evaluate.ts';
import { emailKey, emailLookup, eventKey, eventLookup, segmentKey } from '../../../domain/conditions/needs.ts';
import { FIELD_OPS, type FieldOp } from '../../../domain/conditions/ops.ts';
import { runningMs } from '../../support/running-ms.ts';
import { factsOf } from './facts.ts';

const facts = factsOf({
  attributes: {
    age: 30,
    plan: 'pro',
    trial: false,
    empty: '',
    gone: null,
    scores: [1, 5],
    none: [],
    address: { city: 'Köln', 'zip code': 50667 },
    renews: '2026-03-01',
    seen: '2026-03-01T12:00:00+02:00',
    impossible: '2026-02-30',
    ten: '10',
    at: '09:30',
  },
  event: { order: { total: 99.5, items: [{ sku: 'A1' }] }, coupon: null },
});

const tests = (rows: readonly [string, FieldOp, (Scalar | Scalar[])?][]): FieldTest[] =>
  rows.map(([field, op, value]) => ({ field, op, value }));

test.each(
  tests([
    ['contact.status', 'eq', 'subscribed'],
    ['contact.status', 'ne', 'bounced'],
    ['contact.status', 'in', ['pending', 'subscribed']],
    ['contact.status', 'not_in', ['unsubscribed', 'bounced']],
    ['contact.email', 'contains', '@example.'],
    ['contact.email', 'not_contains', 'EXAMPLE'],
    ['contact.email', 'starts_with', 'ann@'],
    ['contact.email', 'eq', 'Ann@Ｅxample.com'],
    ['contact.email', 'in', ['bob@example.com', 'ann@exampl𝐞.com']],
    ['contact.brand', 'eq', 'acme'],
    ['contact.source', 'exists'],
    ['contact.last_name', 'not_exists'],
    ['contact.tags', 'contains', 'vip'],
    ['contact.tags', 'not_contains', 'vi'],
    ['contact.tags', 'in', ['beta', 'other']],
    ['contact.tags', 'not_in', ['other']],
    ['contact.tags', 'eq', 'beta'],
    ['contact.tags', 'ne', 'other'],
    ['contact.tags', 'exists'],
    ['contact.created_at', 'eq', '2026-01-02T04:04:05.678+01:00'],
    ['contact.created_at', 'gt', '2026-01-02'],
    ['contact.created_at', 'lt', '2026-01-02T03:04:06Z'],
    ['contact.created_at', 'lte', '2026-01-03T00:00'],
    ['attributes.age', 'eq', 30],
    ['attributes.age', 'gte', 30],
    ['attributes.age', 'lt', 30.5],
    ['attributes.age', 'in', [10, 30]],
    ['attributes.trial', 'eq', false],
    ['attributes.trial', 'exists'],
    ['attributes.empty', 'exists'],
    ['attributes.empty', 'eq', ''],
    ['attributes.none', 'exists'],
    ['attributes.none', 'ne', 1],
    ['attributes.scores', 'contains', 5],
    ['attributes.scores', 'gt', 4],
    ['attributes.address', 'exists'],
    ['attributes.address', 'ne', 'Köln'],
    ['attributes.address.city', 'eq', 'Köln'],
    ['attributes.address.zip code', 'eq', 50667],
    ['attributes.renews', 'eq', '2026-03-01T00:00:00Z'],
    ['attributes.renews', 'lt', '2026-03-01T00:00:00.001Z'],
    ['attributes.seen', 'eq', '2026-03-01T10:00:00Z'],
    ['attributes.seen', 'gt', '2026-03-01T09:59'],
    ['attributes.seen', 'in', ['never', '2026-03-01T10:00:00.000Z']],
    ['attributes.impossible', 'eq', '2026-02-30'],
    ['attributes.at', 'gte', '09:00'],
    ['attributes.ten', 'lt', '9'],
    ['event.order.total', 'gt', 99],
    ['event.order.items.0.sku', 'eq', 'A1'],
    ['event.coupon', 'not_exists'],
  ]),
)('$field $op $value holds', (test) => {
  expect(evaluateCondition(test, facts)).toBe(true);
});

test.each(
  tests([
    ['contact.status', 'eq', 'Subscribed'],
    ['contact.tags', 'contains', 'vi'],
    ['contact.tags', 'ne', 'vip'],
    ['contact.tags', 'not_in', ['vip']],
    ['contact.tags', 'starts_with', 'eta'],
    // Never across types.
    ['attributes.age', 'eq', '30'],
    ['attributes.age', 'gt', '10'],
    ['attributes.age', 'contains', '3'],
    ['attributes.ten', 'eq', 10],
    ['attributes.ten', 'gt', 9],
    ['attributes.trial', 'eq', 'false'],
    ['attributes.trial', 'eq', 0],
    ['attributes.trial', 'lte', 0],
    ['attributes.renews', 'gt', 'a'],
    ['attributes.renews', 'lt', 'z'],
    ['attributes.renews', 'gt', 0],
    ['attributes.impossible', 'lt', '2026-03-01'],
    ['attributes.address', 'contains', 'Köln'],
    ['attributes.gone', 'exists'],
    ['attributes.gone', 'ne', 'x'],
    ['attributes.nothing', 'ne', 'x'],
    ['attributes.plan.length', 'exists'],
    ['attributes.plan.0', 'exists'],
    // Only what the data itself has.
    ['attributes.constructor', 'exists'],
    ['attributes.__proto__', 'exists'],
    ['attributes.address.toString', 'exists'],
    ['event.order.hasOwnProperty', 'exists'],
    ['contact.toString', 'exists'],
    ['elsewhere.plan', 'exists'],
  ]),
)('$field $op $value does not hold', (test) => {
  expect(evaluateCondition(test, facts)).toBe(false);
});

test.each(FIELD_OPS)('a missing field makes %s false unless it says that something is not there', (op) => {
  const holds = ['not_exists', 'not_in', 'not_contains'].includes(op);
  const values = [undefined, 'x', 1, true, ['x']];
  for (const value of values) {
    for (const field of ['attributes.x', 'attributes.plan.x', 'attributes.gone', 'contact.last_name', 'event.coupon', 'event.order.x.y']) {
      expect(evaluateCondition({ field, op, value }, facts)).toBe(holds);
    }
    expect(evaluateCondition({ field: 'event.x', op, value }, factsOf())).toBe(holds);
  }
});

test('groups hold as their words say', () => {
  const yes: Condition = { field: 'contact.status', op: 'exists' };
  const no: Condition = { not: yes };
  const holds = (condition: Condition): boolean => evaluateCondition(condition, facts);
  expect([{ all: [yes, yes] }, { any: [no, yes] }, { not: no }, { all: [{ any: [no, { not: no }] }, yes] }].map(holds)).toEqual(
    Array(4).fill(true),
  );
  expect([{ all: [yes, no] }, { any: [no, no] }, { not: yes }, { all: [{ any: [no, no] }, yes] }].map(holds)).toEqual(Array(4).fill(false));
});

test('segments, events and mails hold exactly when their look-up said so', () => {
  const known = factsOf({
    segments: new Set([segmentKey('VIP People')]),
    events: new Set([eventKey(eventLookup({ type: 'paid', withinHours: 24, atLeast: 2 })), eventKey(eventLookup({ type: 'seen' }))]),
    emails: new Set([
      emailKey(emailLookup({ template: 'welcome', event: 'opened' })),
      emailKey(emailLookup({ event: 'clicked', withinHours: 1 })),
    ]),
  });
  const holding: Condition[] = [
    { segment: 'vip people' },
    { segment: 'VIP PEOPLE' },
    { event: { atLeast: 2, type: 'paid', withinHours: 24 } },
    { event: { type: 'seen' } },
    { event: { type: 'seen', withinHours: null, atLeast: 1 } },
    { email: { template: 'welcome', event: 'opened' } },
    { email: { event: 'clicked', withinHours: 1, template: null } },
  ];
  const failing: Condition[] = [
    { segment: 'others' },
    { event: { type: 'paid' } },
    { event: { type: 'paid', withinHours: 24 } },
    { event: { type: 'Seen' } },
    { email: { template: 'welcome', event: 'clicked' } },
    { email: { event: 'opened' } },
    { email: { event: 'clicked' } },
  ];
  expect(holding.filter((condition) => !evaluateCondition(condition, known))).toEqual([]);
  expect(failing.filter((condition) => evaluateCondition(condition, known))).toEqual([]);
});

const path = fc.array(
  fc.oneof(fc.constantFrom('a', 'b', '0', 'length', '__proto__', 'constructor'), fc.string({ minLength: 1, maxLength: 3 })),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const field = fc.oneof(
  fc.constantFrom(...CONTACT_FIELDS.map((name) => `contact.${name}`)),
  fc.tuple(fc.constantFrom('attributes', 'event'), path).map(([root, keys]) => [root, ...keys].join('.')),
);
const scalar = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('2026-02-30', '9999-99-99', '0000-01-01', '2026-01-01T24:00'),
);
const leaf: fc.Arbitrary<Condition> = fc.record({ field, op: fc.constantFrom(...FIELD_OPS), value: fc.oneof(scalar, fc.array(scalar)) });
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.record({ segment: fc.string() }),
    fc.record({ event: fc.record({ type: fc.string() }) }),
    fc.record({ all: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('condition'), { maxLength: 3 }) }),
    fc.record({ not: tie('condition') }),
  ),
}));
const json = fc.jsonValue({ maxDepth: 3 });
const anyFacts = fc
  .record({ attributes: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b'), fc.string()), json), event: fc.option(json, { nil: undefined }) })
  .map((given) => factsOf(given));

test('any condition on any data has an answer, and not turns it round', () => {
  fc.assert(
    fc.property(condition, anyFacts, (each, given) => {
      const answer = evaluateCondition(each, given);
      expect(typeof answer).toBe('boolean');
      expect(evaluateCondition({ not: each }, given)).toBe(!answer);
    }),
    { numRuns: 2000 },
  );
});

test('on a field that is there, each op with an opposite is its negation', () => {
  const pairs: readonly [FieldOp, FieldOp][] = [
    ['eq', 'ne'],
    ['in', 'not_in'],
    ['contains', 'not_contains'],
    ['exists', 'not_exists'],
  ];
  fc.assert(
    fc.property(fc.constantFrom(...pairs), json, fc.oneof(scalar, fc.array(scalar)), ([op, opposite], there, value) => {
      fc.pre(there !== null);
      const given = factsOf({ attributes: { a: there } });
      expect(evaluateCondition({ field: 'attributes.a', op, value }, given)).toBe(
        !evaluateCondition({ field: 'attributes.a', op: opposite, value }, given),
      );
    }),
    { numRuns: 1000 },
  );
});

test('of two values of one kind exactly one of less, equal and greater holds; of two kinds none', () => {
  fc.assert(
    fc.property(scalar, scalar, (left, right) => {
      const given = factsOf({ attributes: { a: left } });
      const held = (['lt', 'eq', 'gt'] as const).filter((op) => evaluateCondition({ field: 'attributes.a', op, value: right }, given));
      expect(held.length).toBeLessThanOrEqual(1);
      if (typeof left !== typeof right) expect(held).toEqual([]);
      if (typeof left === 'number' && typeof right === 'number' && Number.isFinite(left) && Number.isFinite(right))
        expect(held).toHaveLength(1);
    }),
    { numRuns: 1000 },
  );
});

test('a value is in a list exactly when it equals one of the list', () => {
  const value = fc.oneof(
    fc.constantFrom('2026-03-01', '2026-03-01T00:00:00Z', '2026-03-01T02:00:00+02:00', '2026-02-30', '', 'true', '0', '1'),
    fc.constantFrom(0, -0, 1, 0.5, true, false),
  );
  fc.assert(
    fc.property(value, fc.array(value, { minLength: 1, maxLength: 4 }), (is, list) => {
      const of = (op: FieldOp, wanted: Scalar | Scalar[]) =>
        evaluateCondition({ field: 'attributes.is', op, value: wanted }, factsOf({ attributes: { is } }));
      expect(of('in', list)).toBe(list.some((each) => of('eq', each)));
      expect(of('not_in', list)).toBe(!of('in', list));
    }),
    { numRuns: 2_000 },
  );
});

test('of a list in a field the first thousand elements count', () => {
  const list = Array.from({ length: 1_001 }, (_, n) => n);
  const holds = (value: number) => evaluateCondition({ field: 'event.list', op: 'contains', value }, factsOf({ event: { list } }));
  expect([holds(999), holds(1_000)]).toEqual([true, false]);
});

test('fifty leaves with a thousand values each over lists of a thousand elements take a fraction of a second', () => {
  const wanted = Array.from({ length: 1_000 }, (_, n) => `wanted ${n}`);
  const found = Array.from({ length: 1_000 }, (_, n) => `found ${n}`);
  const leaf: Condition = { field: 'attributes.found', op: 'in', value: wanted };
  const held = factsOf({ attributes: { found } });
  // Compared one with another it is fifty million pairs.
  expect(runningMs(() => expect(evaluateCondition({ any: Array(50).fill(leaf) }, held)).toBe(false))).toBeLessThan(1_000);
});
