import { sql } from 'kysely';
import { expect } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { mailNow } from './mail.ts';

/** After a kill, in a database of its own: each of them has one row in the log of sends and no mail twice, and the row says what became of it. */
export async function expectEachOnce(em: EntityManager, domain: string, people: readonly string[]): Promise<void> {
  const sends = await rows(
    em,
    sql<{ to_email: string; status: string | null; error: string | null }>`select to_email, status, error from sends`,
  );
  expect(sends.map(({ to_email }) => to_email).toSorted()).toEqual(people.toSorted());
  const arrived = (await mailNow(domain)).map(({ to }) => to[0]);
  expect(new Set(arrived).size).toBe(arrived.length);
  for (const { to_email, status, error } of sends) {
    if (status === 'sent') expect(arrived).toContain(to_email);
    // Was in flight at the kill, and is told of.
    else expect([to_email, status, error]).toEqual([to_email, 'failed', expect.stringMatching(/^outcome_unknown/)]);
  }
}
