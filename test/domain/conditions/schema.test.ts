import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Condition } from '../../../domain/conditions/condition.ts';
import { ConditionSchema } from '../../../domain/conditions/schema.ts';
import { issuesOf } from '../../../domain/issues.ts';

const leaf: Condition = { field: 'contact.status', op: 'eq', value: 'subscribed' };

const nested = (levels: number): unknown => (levels === 1 ? leaf : { not: nested(levels - 1) });

function problems(value: unknown): string[] {
  const parsed = ConditionSchema.safeParse(value);
  return parsed.success ? [] : issuesOf(parsed.error, 'when').map(({ path, message }) => `${path}: ${message}`);
}

test.each<[unknown]>([
  [leaf],
  [{ field: 'contact.tags', op: 'contains', value: 'vip' }],
  [{ field: 'attributes.address.city', op: 'in', value: ['Köln', 5, true] }],
  [{ field: 'attributes.zip code', op: 'gt', value: 5 }],
  [{ field: 'event.total', op: 'lte', value: '2026-01-01' }],
  [{ field: 'event.total', op: 'not_exists' }],
  [{ field: 'event.total', op: 'exists', value: null }],
  [{ all: [leaf, { any: [leaf] }, { not: leaf }] }],
  [{ segment: 'VIP' }],
  [{ event: { type: 'paid' } }],
  [{ event: { type: 'paid', withinHours: 0.5, atLeast: 3 } }],
  [{ email: { event: 'clicked' } }],
  [{ email: { template: 'welcome', event: 'bounced', withinHours: 24 } }],
  [nested(5)],
  [{ all: Array(50).fill(leaf) }],
])('%j is taken as it is', (value) => {
  expect(ConditionSchema.parse(value)).toEqual(value);
});

test.each<[unknown, string]>([
  [null, 'when: a condition is exactly one of { all }, { any }'],
  ['contact.status', 'when: a condition is exactly one of'],
  [[leaf], 'when: a condition is exactly one of'],
  [{}, 'when: a condition is exactly one of'],
  [{ fild: 'contact.status', op: 'exists' }, 'when: a condition is exactly one of'],
  [{ all: [leaf], any: [leaf] }, 'when: a condition is exactly one of'],
  [{ ...leaf, segment: 'VIP' }, 'when: a condition is exactly one of'],
  [{ all: [] }, 'when.all: a list of at least one condition'],
  [{ any: leaf }, 'when.any: a list of at least one condition'],
  [{ all: [leaf, {}] }, 'when.all[1]: a condition is exactly one of'],
  [{ ...leaf, note: 'x' }, 'when.note: no such field'],
  [{ segment: 'VIP', brand: 'acme' }, 'when.brand: no such field'],
  [{ any: [{ not: { event: { type: 'paid', within: 5 } } }] }, 'when.any[0].not.event.within: no such field'],
  [{ not: leaf, why: 'x' }, 'when.why: no such field'],
  [{ field: 'contact.phone', op: 'exists' }, 'when.field: one of contact.status, contact.email'],
  [{ field: 'contact.tags.0', op: 'exists' }, 'when.field: no such field; did you mean contact.tags?'],
  [{ field: 'contact.firstName', op: 'exists' }, 'when.field: no such field; did you mean contact.first_name?'],
  [{ field: 'contact.attributes.plan', op: 'exists' }, 'when.field: no such field; did you mean attributes.plan?'],
  [{ field: 'attributes', op: 'exists' }, 'when.field: one of'],
  [{ field: 'attributes.', op: 'exists' }, 'when.field: one of'],
  [{ field: 'event.a..b', op: 'exists' }, 'when.field: one of'],
  [{ field: `event.${'a'.repeat(251)}`, op: 'exists' }, 'when.field: at most 256 characters'],
  [{ field: 5, op: 'exists' }, 'when.field: one of'],
  [{ field: 'contact.status', op: 'equals', value: 'x' }, 'when.op: one of eq, ne, in'],
  [{ field: 'contact.status', value: 'x' }, 'when.op: one of eq, ne, in'],
  [{ field: 'contact.status', op: 'eq' }, 'when.value: eq needs a text, a number, true or false'],
  [{ field: 'contact.status', op: 'ne', value: ['x'] }, 'when.value: ne needs a text'],
  [{ field: 'contact.status', op: 'eq', value: null }, 'when.value: eq needs a text'],
  [{ field: 'contact.status', op: 'eq', value: { a: 1 } }, 'when.value: a text, a number, true or false, or a list of these'],
  [{ field: 'contact.status', op: 'in', value: 'x' }, 'when.value: in needs a list of at least one value'],
  [{ field: 'contact.status', op: 'not_in', value: [] }, 'when.value: not_in needs a list of at least one value'],
  [{ field: 'contact.status', op: 'in', value: ['x', null] }, 'when.value[1]: a text, a number, true or false'],
  [{ field: 'attributes.a', op: 'gt', value: true }, 'when.value: gt needs a number, a date or a text'],
  [{ field: 'attributes.a', op: 'lte', value: [1] }, 'when.value: lte needs a number'],
  [{ field: 'attributes.a', op: 'exists', value: true }, 'when.value: exists takes no value'],
  [{ field: 'attributes.a', op: 'starts_with', value: '' }, 'when.value: starts_with needs a text that is not empty'],
  [{ field: 'attributes.a', op: 'contains', value: '' }, 'when.value: contains needs a text'],
  [{ segment: '' }, 'when.segment: the label of a segment'],
  [{ segment: 'x'.repeat(101) }, 'when.segment: at most 100 characters'],
  [{ event: 'paid' }, 'when.event: not an object'],
  [{ event: { type: '' } }, 'when.event.type: 1 to 1000 characters'],
  [{ event: { type: 'paid', withinHours: 0 } }, 'when.event.withinHours: above 0'],
  [{ event: { type: 'paid', withinHours: 1e9 } }, 'when.event.withinHours: at most 87600'],
  [{ event: { type: 'paid', atLeast: 1.5 } }, 'when.event.atLeast: a whole number'],
  [{ event: { type: 'paid', atLeast: 0 } }, 'when.event.atLeast: at least 1'],
  [{ email: { template: 'welcome' } }, 'when.email.event: one of sent, delivered, opened, clicked, bounced'],
  [{ email: { event: 'complained' } }, 'when.email.event: one of sent'],
  [nested(6), 'when.not.not.not.not.not: a condition has at most 5 levels'],
  [{ all: Array(51).fill(leaf) }, 'when: a condition has at most 50 leaves'],
])('%j is refused, naming what is wrong', (value, message) => {
  expect(problems(value).map((problem) => problem.slice(0, message.length))).toEqual([message]);
});

test('every problem of the leaves is named, not only the first', () => {
  expect(problems({ all: [{ field: 'contact.x', op: 'y' }, { segment: '' }] })).toHaveLength(3);
});

test('nesting deep enough to exhaust the stack is refused like any other', () => {
  const deep = JSON.parse(`${'{"not":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as unknown;
  expect(problems(deep)).toEqual(['when.not.not.not.not.not: a condition has at most 5 levels']);
});

test('the API description shows a condition as one recursive schema', () => {
  const described = z.toJSONSchema(z.object({ when: ConditionSchema }), { io: 'input' });
  expect(described).toMatchObject({ properties: { when: { $ref: '#/$defs/Condition' } } });
  expect(described.$defs?.Condition).toMatchObject({ anyOf: expect.arrayContaining([{ $ref: '#/$defs/AllCondition' }]) });
  expect(JSON.stringify(described.$defs?.AllCondition)).toContain('"$ref":"#/$defs/Condition"');
});

test('a list has at most a thousand values, and of a longer one no element is looked at', () => {
  const of = (value: unknown[]) => problems({ all: [leaf, { field: 'contact.source', op: 'in', value }] });
  expect(of(Array(1_000).fill('x'))).toEqual([]);
  expect(of(Array(1_001).fill('x'))).toEqual(['when.all[1].value: at most 1000 values']);
  expect(of(Array(1_000_000).fill({}))).toEqual(['when.all[1].value: at most 1000 values']);
});
