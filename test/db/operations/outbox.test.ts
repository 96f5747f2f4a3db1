import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type EntityManager, type MikroORM, openDatabase } from '../../../db/orm.ts';
import { onOutboxCommit } from '../../../db/outbox-signal.ts';
import { enqueue } from '../../../db/queries/operations/outbox.ts';
import { isBulk, type LeasedMessage, leaseMessages } from '../../../db/queries/operations/outbox-leases.ts';
import { row, rows } from '../../../db/rows.ts';
import { unblockedBy } from '../../support/blocked.ts';
import { createMigrated } from '../../support/databases.ts';
import { testEnvironment } from '../../support/environment.ts';

let orm: MikroORM;
let em: EntityManager;

const LIMITS = { single: 20, bulk: 10 };
const LEASE_SECONDS = 60;

beforeAll(async () => {
  const url = await createMigrated(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 4, applicationName: 'everpost-test-outbox' });
  em = orm.em.fork();
});

afterAll(() => orm.close());

beforeEach(async () => void (await row(em, sql`delete from outbox`)));

/** So many messages, in changes of `each`; gives their project. */
async function write(count: number, each = count, projectId = uuidv7()): Promise<string> {
  for (let from = 0; from < count; from += each) {
    const messages = Array.from({ length: each }, (_, n) => ({
      workflowId: `${projectId}/${from + n}`,
      message: { kind: 'cancel' } as const,
    }));
    await enqueue(em, projectId, messages);
  }
  return projectId;
}

const lease = (within: EntityManager = em): Promise<LeasedMessage[]> => leaseMessages(within, LIMITS, LEASE_SECONDS);

function projectsOf(leased: readonly LeasedMessage[]): string[] {
  return [...new Set(leased.map(({ workflowId }) => workflowId.split('/')[0] as string))].sort();
}

test('of two leases at once neither waits for the other, and none has a message of the other', async () => {
  await write(15, 1);
  const [first, second] = await em.fork().transactional(async (tx) => {
    const limits = { single: 5, bulk: 5 };
    const mine = await leaseMessages(tx, limits, LEASE_SECONDS);
    const others = await unblockedBy(tx, leaseMessages(em, limits, LEASE_SECONDS));
    return [mine, others];
  });
  expect([first.length, second.length]).toEqual([5, 5]);
  expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(10);
});

test('a leased message is not leased again before its time', async () => {
  await write(3, 1);
  expect(await lease()).toHaveLength(3);
  expect(await lease()).toEqual([]);
  await row(em, sql`update outbox set due_at = now() - interval '1 second'`);
  expect((await lease()).map(({ attempts }) => attempts)).toEqual([2, 2, 2]);
});

test.each([
  ['bulk', 1_000, 1_000],
  ['single', 100, 1],
])('a project with many %s messages leaves places to the others', async (_kind, count, each) => {
  const many = await write(count, each);
  const few = await write(count === 1_000 ? 21 : 1, count === 1_000 ? 21 : 1);
  expect(projectsOf(await lease())).toEqual([many, few].sort());
});

test('with more projects than places each has its turn, the many messages of some notwithstanding', async () => {
  for (let n = 0; n < LIMITS.bulk; n++) await write(500);
  const last = await write(21);
  for (let leases = 0; leases < 200; leases++) {
    const leased = await lease();
    expect(leased.length).toBeLessThanOrEqual(LIMITS.bulk);
    if (projectsOf(leased).includes(last)) return;
  }
  throw new Error('it had no turn in 200 leases');
});

test("a project's oldest messages come first, those of single changes before those of bulk ones", async () => {
  const project = await write(30, 30);
  await write(5, 5, project);
  const leased = await lease();
  expect(leased.filter((message) => !isBulk(message)).map(({ workflowId }) => workflowId)).toEqual(
    [0, 1, 2, 3, 4].map((n) => `${project}/${n}`),
  );
  expect(leased.filter(isBulk).map(({ workflowId }) => workflowId)).toEqual(Array.from({ length: 10 }, (_, n) => `${project}/${n}`));
});

test('messages that the version before has written are leased, too', async () => {
  await row(em, sql`insert into outbox (workflow_id, message) values ('enrollment/x', '{"kind":"cancel"}')`);
  expect(await lease()).toMatchObject([{ workflowId: 'enrollment/x' }]);
});

test('whoever listens hears of messages when they have committed, once a transaction, and of nothing else', async () => {
  let heard = 0;
  const forget = onOutboxCommit(orm, () => heard++);
  const project = uuidv7();
  const message = { workflowId: 'enrollment/x', message: { kind: 'cancel' } } as const;
  await em.fork().transactional(async (tx) => {
    await enqueue(tx, project, [message]);
    await tx.transactional((nested) => enqueue(nested, project, [message]));
    expect(heard).toBe(0);
    // It is there to be leased by the time it is heard of, not before.
    expect(await rows(em, sql`select 1 from outbox`)).toEqual([]);
  });
  expect(heard).toBe(1);
  await em.fork().transactional((tx) => rows(tx, sql`select 1`));
  await em
    .fork()
    .transactional(async (tx) => {
      await enqueue(tx, project, [message]);
      throw new Error('rolled back');
    })
    .catch(() => {});
  expect(heard).toBe(1);
  await enqueue(em, project, [message]);
  expect(heard).toBe(2);
  forget();
  await enqueue(em, project, [message]);
  expect(heard).toBe(2);
});
