import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { beginImport, endOfImport } from '../support/imports.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

const ROWS = 60_000;
const KILLS = 2;

let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  everpost = await startEverpost();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
});
afterAll(() => everpost?.stop());

const numberOf = async (statement: ReturnType<typeof sql<{ count: number }>>): Promise<number> => (await row(em, statement))?.count ?? 0;

test('killing everything in the middle of an import loses no row of the file and counts none twice', async () => {
  // Each tenth row is refused, and each hundredth changes a contact that an earlier row has made.
  const line = (nth: number): string => {
    if (nth % 10 === 0) return `no-${nth}`;
    return `p${nth % 100 === 99 ? nth - 98 : nth}@${project.domain},${nth}`;
  };
  const csv = `email,first_name\n${Array.from({ length: ROWS }, (_, nth) => line(nth)).join('\n')}\n`;
  const { id } = await beginImport(project, csv);
  for (let nth = 1; nth <= KILLS; nth++) {
    const wanted = (ROWS / (KILLS + 1)) * nth;
    await eventually(async () => (await numberOf(sql`select rows as count from imports where id = ${id}`)) >= wanted, {
      everyMs: 5,
      timeoutMs: 120_000,
    });
    await everpost.kill();
    await everpost.start();
  }
  const ended = await endOfImport(project, id, 170_000);
  const [refused, updated] = [ROWS / 10, ROWS / 100];
  expect(ended).toMatchObject({
    ...{ status: 'completed', rows: ROWS, inserted: ROWS - refused - updated, updated, unchanged: 0, refused },
    reasons: { email_invalid: refused },
    read: Buffer.byteLength(csv),
  });
  expect(await numberOf(sql`select count(*) as count from contacts`)).toBe(ROWS - refused - updated);
  expect(await numberOf(sql`select sum(delta)::bigint as count from contact_counts`)).toBe(ROWS - refused - updated);
  const lines = must(await project.api.get(`/imports/${id}/refused`), 200)
    .trimEnd()
    .split('\r\n');
  expect(lines.slice(1).map((text: string) => text.split(',')[0])).toEqual(Array.from({ length: refused }, (_, nth) => `no-${nth * 10}`));
}, 600_000);
