import { CompiledQuery, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { Enrollment, EnrollmentStep, GatheredDigest, KeptEvent, ProductEvent, Sequence } from '../../../db/entities/index.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { EXPIRING } from '../../../db/queries/operations/expired.ts';
import { row, rows } from '../../../db/rows.ts';
import { type PrunePlaces, pruneExpired } from '../../../usecases/operations/prune-expired.ts';
import { bareProject, bareSend, ownDatabase } from '../../support/own-database.ts';

const NOW = new Date('2026-06-01T12:00:00Z');
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * 86_400_000);
const idAt = (at: Date): string => uuidv7({ msecs: at.getTime() });

let em: EntityManager;
let project: { id: string; slug: string };
let contactId: string;
let sequenceId: string;

beforeAll(async () => {
  em = (await ownDatabase()).em.fork();
  project = await bareProject(em);
  contactId = (await bareSend(em, project)).contact_id!;
  sequenceId = uuidv7();
  await em.insert(Sequence, { id: sequenceId, project_id: project.id, key: 's', name: 's', status: 'active', version: 1 });
});

beforeEach(async () => {
  await rows(em, sql`truncate events, enrollments, enrollment_steps, enrollment_moves, digests, kept_events`);
});

async function event(at: Date): Promise<string> {
  const id = idAt(at);
  await em.insert(ProductEvent, { id, project_id: project.id, contact_id: contactId, type: 't', data: {}, created_at: at });
  return id;
}

/** With a trace of two steps. `endedAt`: null while it is active. */
async function enrollment(startedAt: Date, endedAt: Date | null, eventId: string | null = null): Promise<string> {
  const id = idAt(startedAt);
  await em.insert(Enrollment, {
    ...{ id, project_id: project.id, sequence_id: sequenceId, sequence_version: 1, contact_id: contactId, event_id: eventId },
    ...{ status: endedAt ? 'completed' : 'active', started_at: startedAt, ended_at: endedAt },
  });
  for (const step of [1, 2])
    await em.insert(EnrollmentStep, { enrollment_id: id, step, node_id: `n${step}`, visit: 1, kind: 'exit', at: startedAt });
  return id;
}

const prune = (options: object = {}) => pruneExpired(em.fork(), { now: NOW, ...options });
const countOf = async (table: string) => Number((await row(em, sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`))!.n);
const tracesLeft = async () =>
  (await rows(em, sql<{ id: string }>`select distinct enrollment_id as id from enrollment_steps`)).map(({ id }) => id).sort();

test('product events go after 90 days, and one that a running enrollment was entered by when that has ended', async () => {
  const [old, shown, ended] = [await event(daysAgo(90.01)), await event(daysAgo(200)), await event(daysAgo(100))];
  const young = await event(daysAgo(89.99));
  const running = await enrollment(daysAgo(200), null, shown);
  await enrollment(daysAgo(100), daysAgo(1), ended);
  expect(await prune()).toMatchObject({ events: 2 });
  const left = async () => (await em.fork().find(ProductEvent, {})).map(({ id }) => id).sort();
  expect(await left()).toEqual([shown, young].sort());
  expect(old).toBeDefined();
  await rows(em, sql`update enrollments set status = 'completed', ended_at = ${NOW} where id = ${running}`);
  expect(await prune()).toMatchObject({ events: 1 });
  expect(await left()).toEqual([young]);
});

test('an event that a running enrollment has gathered, or keeps for its next digest, goes when that has ended', async () => {
  const run = await enrollment(daysAgo(400), null);
  const [gathered, kept] = [await event(daysAgo(150)), await event(daysAgo(140))];
  await em.insert(GatheredDigest, { enrollment_id: run, step: 2, key: null, count: 1, event_ids: [gathered] });
  await em.insert(KeptEvent, { enrollment_id: run, place: 1, event_id: kept });
  expect((await prune()).events ?? 0).toBe(0);
  await rows(em, sql`update enrollments set status = 'completed', ended_at = ${daysAgo(366)} where id = ${run}`);
  expect(await prune()).toMatchObject({ events: 2, enrollment_steps: 2 });
  for (const table of ['digests', 'kept_events']) expect(await countOf(table)).toBe(0);
});

test('a trace goes as a whole a year after the end of its enrollment, which stays itself', async () => {
  await enrollment(daysAgo(400), daysAgo(365.01));
  const kept = [
    await enrollment(daysAgo(500), daysAgo(364.99)),
    await enrollment(daysAgo(800), null),
    await enrollment(daysAgo(10), daysAgo(9)),
  ];
  expect(await prune()).toMatchObject({ enrollment_steps: 2 });
  expect(await tracesLeft()).toEqual(kept.sort());
  expect(await countOf('enrollments')).toBe(4);
});

test('the send log is kept', async () => {
  await bareSend(em, project, { created_at: daysAgo(4000), opened_at: daysAgo(4000) });
  const before = await countOf('sends');
  await prune();
  expect(await countOf('sends')).toBe(before);
});

test('a walk of a thousand batches passes over what is kept, and a dry run counts the same and deletes nothing', async () => {
  await rows(
    em,
    sql`insert into events (id, project_id, contact_id, type, data, created_at)
        select uuid_v7(), ${project.id}, ${contactId}, 't', '{}', ${daysAgo(100)}::timestamptz + n / 4 * interval '1 second' from generate_series(1, 2200) n`,
  );
  // Every tenth is shown by a running enrollment, and whole batches of the oldest are.
  await rows(
    em,
    sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, event_id)
        select uuid_v7(), ${project.id}, ${sequenceId}, 1, ${contactId}, id
        from (select id, row_number() over (order by created_at, ctid) as n from events) e where n % 10 = 0 or n <= 30`,
  );
  const kept = 30 + 217;
  let batches = 0;
  const onBatch = (table: string) => void (table === 'events' && batches++);
  const dry = await prune({ dryRun: true, batchSize: 2, onBatch });
  expect(batches).toBeGreaterThan(1000);
  expect(dry).toMatchObject({ events: 2200 - kept });
  expect(await countOf('events')).toBe(2200);
  expect(await prune({ batchSize: 2 })).toEqual(dry);
  expect(await countOf('events')).toBe(kept);
  expect(await prune({ batchSize: 2 })).toMatchObject({ events: 0 });
});

test('what a limit of time leaves over is gone on with where the call before ended, a batch of each table at least', async () => {
  // As many of the oldest as the first batches look at are kept.
  const held = [];
  for (let n = 0; n < 4; n++) held.push(await enrollment(daysAgo(900 - n), null, await event(daysAgo(900 - n))));
  await event(daysAgo(300));
  const old = await enrollment(daysAgo(400), daysAgo(380));
  const places: PrunePlaces = new Map();
  const some = () => prune({ batchSize: 2, limitMs: 0, places });
  expect(await some()).toMatchObject({ events: 0, enrollment_steps: 0 });
  expect(await some()).toMatchObject({ events: 0, enrollment_steps: 0 });
  expect(await some()).toMatchObject({ events: 1, enrollment_steps: 2 });
  expect(await tracesLeft()).not.toContain(old);
  // Through: from the oldest on again.
  await rows(em, sql`update enrollments set status = 'completed', ended_at = ${NOW} where id = ${held[0]}`);
  expect(await some()).toMatchObject({ events: 1 });
});

test.each(EXPIRING.map((expiring, index) => [`${expiring.table} (${index})`, expiring] as const))(
  'a batch of %s is read by an index',
  async (_, { table, isById, pruneBatch }) => {
    const plan = await em.fork().transactional(async (tx) => {
      await row(tx, sql`set local enable_seqscan = off`);
      await row(tx, sql`set local enable_bitmapscan = off`);
      const lines: string[] = [];
      const after = { at: isById ? idAt(NOW) : NOW.toISOString(), ctid: '(0,1)' };
      await pruneBatch(explaining(tx, lines), { now: NOW, after, limit: 10, dryRun: false });
      return lines.join('\n');
    });
    // Attempts are those under way: some hundreds.
    expect(plan.match(/Seq Scan on \w+/g) ?? []).toEqual(table === 'webhook_attempts' ? [`Seq Scan on ${table}`] : []);
  },
);

/** Runs no statement, but notes how it would be run. */
function explaining(tx: EntityManager, lines: string[]): EntityManager {
  const executor = tx.getKysely().getExecutor();
  const explain = {
    transformQuery: executor.transformQuery.bind(executor),
    compileQuery: executor.compileQuery.bind(executor),
    async executeQuery(query: CompiledQuery) {
      const plan = await executor.executeQuery<{ 'QUERY PLAN': string }>(CompiledQuery.raw(`explain ${query.sql}`, [...query.parameters]));
      lines.push(...plan.rows.map((line) => line['QUERY PLAN']));
      return { rows: [{ pruned: 0, looked: 0 }] };
    },
  };
  return { isInTransaction: () => true, getKysely: () => ({ getExecutor: () => explain }) } as never;
}
