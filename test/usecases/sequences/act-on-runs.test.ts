import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager, MikroORM } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import type { RunAction } from '../../../domain/sequences/enrollment-action.ts';
import { parseGraph } from '../../../domain/sequences/validate.ts';
import { actInPortions, beginAction, cancelAction } from '../../../usecases/sequences/act-on-runs.ts';
import { createSequence } from '../../../usecases/sequences/create-sequence.ts';
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

const wait = (id: string) => ({ id, kind: 'wait_delay', config: { minutes: 1440 } });

/** So many runs that stand at the first of two waits, and an action over all of them. */
async function newAction(count: number, action: RunAction) {
  const project = await bareProject(em);
  const sequenceId = uuidv7();
  const parsed = parseGraph(chain(wait('first'), wait('last')), 'active', KNOWN);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { graph } = parsed.valid;
  await createSequence(em, { id: sequenceId, projectId: project.id, key: 's', name: 's', status: 'active', graph, now: new Date() });
  await row(
    em,
    sql`
      with made as (
        insert into contacts (id, project_id, email, status, brand_id)
        select uuid_v7(), ${project.id}, n || '@to.example', 'subscribed', ${project.slug} from generate_series(1, ${count}::integer) n returning id
      ), entered as (
        insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, current_node_id, waiting_for)
        select uuid_v7(), ${project.id}, ${sequenceId}, 1, id, 'first', 'delay' from made returning id
      )
      insert into enrollment_steps (enrollment_id, step, node_id, visit, kind) select id, 1, 'first', 1, 'wait_delay' from entered`,
  );
  const id = uuidv7();
  const to = action === 'move' ? { to_node: 'last', to_version: 1 } : { to_node: null, to_version: null };
  const asked = { id, project_id: project.id, sequence_id: sequenceId, action, filter: {}, migrate: null, key_id: null, ...to };
  await em.transactional((tx) => beginAction(tx, asked));
  const moving = () => ({ now: new Date(), newId: uuidv7, firstRetrySeconds: 1 });
  const go = (signal: AbortSignal = new AbortController().signal) =>
    actInPortions(orm.em.fork(), id, { signal, moving, progress: () => {} });
  /** How often each of those that were moved was. */
  const moves = async (): Promise<number[]> => {
    const found = await rows(
      em,
      sql<{ times: number }>`
        select count(*) as times from enrollment_steps st join enrollments e on e.id = st.enrollment_id
        where e.sequence_id = ${sequenceId} and st.outcome = 'moved' group by e.id`,
    );
    return found.map(({ times }) => times);
  };
  return { id, go, moves, sequenceId };
}

const EACH_ONCE = (count: number) => Array.from({ length: count }, () => 1);

test('who dies between a run that was moved and the word of it moves none twice', async () => {
  const { go, moves } = await newAction(12, 'move');
  await row(em, sql`create function dies() returns trigger language plpgsql as $$ begin raise exception 'dies'; end $$`);
  await row(em, sql`create trigger dies before update on enrollment_actions for each row when (new.done = 6) execute function dies()`);
  await expect(go()).rejects.toThrow('dies');
  await row(em, sql`drop trigger dies on enrollment_actions`);
  expect(await moves()).toEqual(EACH_ONCE(5));
  expect(await go()).toEqual({ state: 'ended', action: 'move', done: 12, skipped: 0, total: 12 });
  expect(await moves()).toEqual(EACH_ONCE(12));
});

test('two that go through one action at once act on each run once, and a cancellation holds from its answer on', async () => {
  const { id, go, sequenceId } = await newAction(250, 'cancel');
  const both = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from enrollment_actions where id = ${id} for update`);
    const going = [go(AbortSignal.abort()), go(AbortSignal.abort())];
    await untilBlocked(tx, 2);
    return going;
  });
  await Promise.all(both);
  expect(await cancelAction(em.fork(), id)).toBe(true);
  expect(await go()).toEqual({ state: 'ended', action: 'cancel', done: 200, skipped: 0, total: 250 });
  const left = await rows(em, sql`select 1 from enrollments where sequence_id = ${sequenceId} and status = 'active'`);
  expect(left).toHaveLength(50);
  const messages = await rows(
    em,
    sql`select 1 from outbox o join enrollments e on o.workflow_id = 'enrollment/' || e.id where e.sequence_id = ${sequenceId} and o.message ->> 'kind' = 'cancel'`,
  );
  expect(messages).toHaveLength(200);
  expect(await rows(em, sql`select 1 from enrollment_action_runs where action_id = ${id}`)).toEqual([]);
});

test('a run whose data the database refuses is skipped, and those after it are not held up', async () => {
  const { go, moves, sequenceId } = await newAction(3, 'move');
  const [refused] = await rows(em, sql<{ id: string }>`select id from enrollments where sequence_id = ${sequenceId} order by id limit 1`);
  await row(
    em,
    sql`create function refuses() returns trigger language plpgsql as
        $$ begin raise exception 'a text that cannot be kept' using errcode = '22P05'; end $$`,
  );
  const isRefused = sql.raw(`new.enrollment_id = '${refused!.id}'`);
  await row(em, sql`create trigger refuses before insert on enrollment_steps for each row when (${isRefused}) execute function refuses()`);
  expect(await go()).toEqual({ state: 'ended', action: 'move', done: 2, skipped: 1, total: 3 });
  expect(await moves()).toEqual(EACH_ONCE(2));
});
