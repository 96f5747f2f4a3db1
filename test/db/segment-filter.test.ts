import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { ContactRow } from '../../db/entities/index.ts';
import { setBrand } from '../../db/queries/brands.ts';
import { inSegment, type SegmentRule } from '../../db/queries/segment-filter.ts';
import { rows } from '../../db/rows.ts';
import { CONTACT_STATUSES } from '../../domain/contact.ts';
import { isInSegment } from '../../domain/segment-match.ts';
import { database, newProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

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
      expect(bySql.map(({ id }) => id)).toEqual(stored.filter((contact) => isInSegment(contact, rule)).map(({ id }) => id));
    }),
    { numRuns: 500 },
  );
  // Otherwise this would be about nobody.
  expect(found).toBeGreaterThan(1_000);
});
