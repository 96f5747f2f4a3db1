import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrateUp } from '../../bin/migrate.ts';
import { type MikroORM, openDatabase } from '../../db/orm.ts';
import { enqueue, type LeasedMessage, leaseMessages } from '../../db/queries/outbox.ts';
import { testEnvironment } from '../support/environment.ts';
import { createDatabase } from '../support/everpost.ts';

let orm: MikroORM;

beforeAll(async () => {
  const url = await createDatabase(testEnvironment().databaseUrl);
  await migrateUp(url);
  // Whoever waits for another fails.
  orm = await openDatabase({ url, poolSize: 4, applicationName: 'everpost-test', statementTimeoutMs: 2_000 });
});

afterAll(() => orm.close());

const LIMITS = { single: 2, bulk: 0 };

test('two dispatchers at once lease different messages, and neither waits for the other', async () => {
  const workflowIds = ['a', 'b', 'c', 'd'].map((name) => `enrollment/${name}`);
  await orm.em.fork().transactional((tx) =>
    enqueue(
      tx,
      workflowIds.map((workflowId) => ({ workflowId, message: { kind: 'cancel' } })),
    ),
  );
  const idsOf = (leased: readonly LeasedMessage[]) => leased.map(({ workflowId }) => workflowId);
  await orm.em.fork().transactional(async (tx) => {
    expect(idsOf(await leaseMessages(tx, LIMITS, 10))).toEqual(workflowIds.slice(0, 2));
    expect(idsOf(await leaseMessages(orm.em.fork(), LIMITS, 10))).toEqual(workflowIds.slice(2));
  });
  expect(await leaseMessages(orm.em.fork(), LIMITS, 10)).toEqual([]);
});
