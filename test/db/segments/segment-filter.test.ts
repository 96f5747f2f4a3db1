import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ContactRow } from '../../../db/entities/index.ts';
import { setBrand } from '../../../db/queries/projects/brands.ts';
import { inSegment, type SegmentRule } from '../../../db/queries/segments/segment-filter.ts';
import { countMatching } from '../../../db/queries/segments/segments.ts';
import { rows } from '../../../db/rows.ts';
import type { Condition, FieldTest } from '../../../domain/conditions/condition.ts';
import { createJudge } from '../../../domain/conditions/judge.ts';
import { factsNeeded } from '../../../domain/conditions/needs.ts';
import { ConditionSchema } from '../../../domain/conditions/schema.ts';
import { CONTACT_STATUSES } from '../../../domain/contacts/contact.ts';
import { isInSegment } from '../../../domain/segments/segment-match.ts';
import { database, newProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

/** Near each other, and what a query might take for its own. */
const TAGS = ['vip', 'VIP', 'v,ip', '"vip"', '{vip}', "v'ip", 'v\\ip', 'NULL', 'é', 'e\u0301', '😀'];
const SOURCES = ['import', 'Import', 'import ', 'form', "o'form", '%'];

const rules = fc.record<SegmentRule>({
  brand_id: fc.constantFrom(null, 'first', 'second'),
  filter: fc.record(
    {
      status: fc.oneof(
        fc.constant(null),
        fc.constantFrom(...CONTACT_STATUSES),
        fc.uniqueArray(fc.constantFrom(...CONTACT_STATUSES), { minLength: 1 }),
      ),
      tags: fc.oneof(fc.constant(null), fc.array(fc.constantFrom(...TAGS, 'nobody has it'), { minLength: 1, maxLength: 3 })),
      source: fc.constantFrom(null, '', ...SOURCES),
    },
    { requiredKeys: [] },
  ),
});

const contacts = fc.record({
  status: fc.constantFrom(...CONTACT_STATUSES),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 6 }),
  source: fc.constantFrom(...SOURCES),
  brand: fc.constantFrom('first', 'second'),
});

test('SQL and conditions have the same opinion of who is in a segment, whatever filter and contacts', async () => {
  const em = await database();
  const project = await newProject();
  for (const brand of ['first', 'second']) await setBrand(em, project.id, brand, { address: '1 Street' }, false);
  const drawn = fc.sample(contacts, { numRuns: 300, seed: 4711 }).map((contact) => ({ ...contact, email: project.address() }));
  must(await project.api.post('/contacts', drawn), 200);
  const stored = await rows(em, sql<ContactRow>`select * from contacts where project_id = ${project.id} order by id`);
  expect(stored).toHaveLength(300);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(rules, async (rule) => {
      const bySql = await rows(
        em,
        sql<{ id: string }>`select c.id from contacts c where c.project_id = ${project.id} and ${inSegment(rule, 'c')} order by c.id`,
      );
      found += bySql.length;
      // However it is counted: by looking at contacts, or from numbers that are kept.
      expect(await countMatching(em, { ...rule, project_id: project.id })).toBe(bySql.length);
      expect(bySql.map(({ id }) => id)).toEqual(stored.filter((contact) => isInSegment(contact, rule)).map(({ id }) => id));
    }),
    { numRuns: 500 },
  );
  // Otherwise this would be about nobody.
  expect(found).toBeGreaterThan(1_000);
});

/** Values that are nearly each other: texts, numbers, dates in several spellings, days that do not exist. */
const VALUES = [
  ...['', 'a', 'A', 'ab', 'b', '10', '9', 'é', '%', "o'x", '\\', '😀', 'true', 'null', '{}'],
  ...[0, -0, 1, 9, 10, 1.5, 0.1, -3, 1e21, 1e-7, true, false],
  ...['2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T01:00+01:00', '2026-01-01T00:00:00.0001234Z', '2026-02-29', '2024-02-29'],
  ...['2026-13-01', '2026-00-10', '2026-01-00', '1900-02-29', '2000-02-29', '0000-01-01', '0004-02-29', '9999-12-31T23:59:59.999Z'],
  ...[
    '2026-01-01T24:00',
    '2026-1-1',
    '2026-01-01 00:00',
    '1969-12-31T23:59:59-23:59',
    '2026-01-01T00:00:00.5Z',
    '2026-01-01T00:00:00.500Z',
  ],
];
const value = fc.constantFrom(...VALUES);
const member = fc.oneof(
  value,
  fc.constant(null),
  fc.array(fc.oneof(value, fc.constant(null), fc.constant({ a: 1 })), { maxLength: 4 }),
  fc.dictionary(fc.constantFrom('a', '0', 'length', '-1', '01'), fc.oneof(value, fc.array(value, { maxLength: 3 })), { maxKeys: 3 }),
);
const TOPICS = [
  { key: 'on', defaultOn: true },
  { key: 'off', defaultOn: false },
];
const FIELDS = [
  ...['on', 'off', 'nothing', 'constructor'].map((key) => `contact.topics.${key}`),
  ...['status', 'email', 'source', 'brand', 'first_name', 'last_name', 'display_name', 'tags', 'timezone', 'locale', 'created_at'].map(
    (name) => `contact.${name}`,
  ),
  ...['x', 'y', 'x.a', 'x.0', 'x.length', 'y.-1', 'y.01', 'x.a.1', 'x.length.0', 'constructor', 'x.99999999999'].map(
    (path) => `attributes.${path}`,
  ),
];
const leaf: fc.Arbitrary<FieldTest> = fc.oneof(
  fc.record({ field: fc.constantFrom(...FIELDS), op: fc.constantFrom('eq', 'ne', 'contains', 'not_contains', 'starts_with'), value }),
  fc.record({ field: fc.constantFrom(...FIELDS), op: fc.constantFrom('gt', 'gte', 'lt', 'lte'), value }),
  fc.record({
    field: fc.constantFrom(...FIELDS),
    op: fc.constantFrom('in', 'not_in'),
    value: fc.array(value, { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ field: fc.constantFrom(...FIELDS), op: fc.constantFrom('exists', 'not_exists') }),
) as never;
const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.record({ all: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ any: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ not: tie('condition') }) },
  ),
}));

test('SQL and the evaluator have the same opinion of every condition about every contact', async () => {
  const em = await database();
  const project = await newProject();
  for (const brand of ['first', 'second']) await setBrand(em, project.id, brand, { address: '1 Street' }, false);
  for (const { key, defaultOn } of TOPICS) must(await project.api.post('/topics', { key, name: key, defaultOn }), 201);
  const text = fc.constantFrom(...VALUES.filter((each) => typeof each === 'string' && each !== ''));
  const drawn = fc.sample(
    fc.record({
      ...{ status: fc.constantFrom(...CONTACT_STATUSES), source: text, brand: fc.constantFrom('first', 'second') },
      ...{ firstName: fc.option(text), lastName: fc.option(text), displayName: fc.option(text) },
      tags: fc.uniqueArray(text, { maxLength: 4 }),
      locale: fc.constantFrom(null, 'de-DE', 'en'),
      timezone: fc.constantFrom(null, 'Europe/Berlin', 'UTC'),
      attributes: fc.record({ x: member, y: member }),
      topics: fc.record({ on: fc.boolean(), off: fc.boolean() }, { requiredKeys: [] }),
    }),
    { numRuns: 200, seed: 4711 },
  );
  const contacts = drawn.map((contact) => ({ ...contact, email: project.address() }));
  must(await project.api.post('/contacts', contacts), 200);
  const long = { x: [...Array(1000).fill('a'), 'b'] };
  must(await project.api.post('/contacts', { email: project.address(), attributes: long }), 200);
  // Some of the dates that conditions ask for.
  await rows(em, sql`update contacts set created_at = '2026-01-01T00:00:00Z' where project_id = ${project.id} and status = 'pending'`);
  const stored = await rows(em, sql<ContactRow>`select * from contacts where project_id = ${project.id} order by id`);
  const judge = createJudge({ needed: factsNeeded([]), segments: [], events: [], emails: [], topics: TOPICS }, undefined);
  let [found, asked] = [0, 0];
  await fc.assert(
    fc.asyncProperty(condition, async (where) => {
      fc.pre(ConditionSchema.safeParse(where).success);
      asked++;
      const bySql = await rows(
        em,
        sql<{ id: string }>`
          select c.id from contacts c
          where c.project_id = ${project.id} and ${inSegment({ filter: { where }, brand_id: null }, 'c')} order by c.id`,
      );
      found += bySql.length;
      expect(bySql.map(({ id }) => id)).toEqual(stored.filter((contact) => judge(contact, where)).map(({ id }) => id));
    }),
    { numRuns: 1500, maxSkipsPerRun: 20 },
  );
  expect(found).toBeGreaterThan(asked);
});
