import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { BulkEnrollment } from '../../../db/entities/index.ts';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
import { beginBulk, cancelBulk, enrollInPortions } from '../../../usecases/sequences/enroll-segment.ts';
import { chain, KNOWN } from '../../domain/sequences/graphs.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { bareProject, ownDatabase } from '../../support/own-database.ts';

/** No worker looks at it. */
let orm: MikroORM;
let em: EntityManager;

beforeAll(async () => {
  orm = await ownDatabase();
  em = orm.em.fork();
});

/** So many contacts, and what enrolls them all into a sequence that anybody may enter at any time. */
async function newBulk(count: number) {
  const project = await bareProject(em);
  await row(
    em,
    sql`insert into contacts (id, project_id, email, status, brand_id)
        select uuid_v7(), ${project.id}, n || '@to.example', 'subscribed', ${project.slug} from generate_series(1, ${count}::integer) n`,
  );
  const sequenceId = uuidv7();
  const parsed = parseGraph({ ...chain(), reentry: 'always' }, 'active', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { graph } = parsed.valid;
  await createSequence(em, { id: sequenceId, projectId: project.id, key: 's', name: 's', status: 'active', graph, now: new Date() });
  const id = uuidv7();
  const asked = { id, project_id: project.id, sequence_id: sequenceId, label: 'all', filter: {}, brand_id: null, total: count };
  await em.transactional((tx) => beginBulk(tx, asked));
  const go = (signal: AbortSignal = new AbortController().signal) =>
    enrollInPortions(orm.em.fork(), id, { signal, newId: uuidv7, progress: () => {} });
  const enrolled = async (): Promise<number[]> => {
    const found = await rows(
      em,
      sql<{ times: number }>`select count(*) as times from enrollments where sequence_id = ${sequenceId} group by contact_id`,
    );
    return found.map(({ times }) => times);
  };
  return { id, project, go, enrolled };
}

test('who dies in the middle of a portion enrolls nobody twice, whatever may enter again', async () => {
  const { go, enrolled } = await newBulk(1_200);
  // Between the enrollments of the second portion and the word that they were made.
  await row(em, sql`alter table bulk_enrollments add constraint dies check (enrolled < 600)`);
  await expect(go()).rejects.toThrow('dies');
  await row(em, sql`alter table bulk_enrollments drop constraint dies`);
  expect(await enrolled()).toHaveLength(500);
  expect(await go()).toEqual({ state: 'ended', enrolled: 1_200, skipped: 0, total: 1_200 });
  expect((await enrolled()).filter((times) => times === 1)).toHaveLength(1_200);
});

test('two that go through it at once enroll everybody once, and a cancellation holds from its answer on', async () => {
  const { id, project, go, enrolled } = await newBulk(1_200);
  const both = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from bulk_enrollments where id = ${id} for update`);
    const going = [go(AbortSignal.abort()), go(AbortSignal.abort())];
    await untilBlocked(tx, 2);
    return going;
  });
  await Promise.all(both);
  expect(await enrolled()).toEqual(Array.from({ length: 1_000 }, () => 1));
  expect(await cancelBulk(em.fork(), { id, project_id: project.id })).toBe(true);
  expect(await go()).toEqual({ state: 'ended', enrolled: 1_000, skipped: 0, total: 1_200 });
  expect(await enrolled()).toHaveLength(1_000);
  expect(await em.fork().findOneOrFail(BulkEnrollment, { id })).toMatchObject({ status: 'cancelled', enrolled: 1_000 });
});
