import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { createLogger, type LogFields, type Logger } from '../../platform/logger.ts';
import type { OutboxBatchesDeps } from '../../platform/outbox-batches.ts';
import { startOutboxDispatcher } from '../../platform/outbox-dispatcher.ts';
import type { DispatchedMessage as TemporalDelivery } from '../../platform/temporal/driver.ts';
import type { TemporalMessage } from '../../workflows/contracts.ts';
import { blockedBy, untilBlocked } from '../support/blocked.ts';
import { createMigrated } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

let orm: MikroORM;
let em: EntityManager;

const SIGNAL: TemporalMessage = { kind: 'signal', signal: 'changed' };
const START: TemporalMessage = { kind: 'start', workflowType: 'webhookDelivery' };

beforeAll(async () => {
  const url = await createMigrated(testEnvironment().databaseUrl);
  orm = await openDatabase({ url, poolSize: 4, applicationName: 'everpost-test-dispatcher' });
  em = orm.em.fork();
});
beforeEach(() => row(em, sql`delete from outbox`));
afterAll(() => orm?.close());

async function written(workflowId: string, message: TemporalMessage, { attempts = 0, inSeconds = 0, priority = 1 } = {}): Promise<void> {
  await row(
    em,
    sql`insert into outbox (workflow_id, message, project_id, attempts, priority, due_at)
        values (${workflowId}, ${JSON.stringify(message)}::jsonb, ${uuidv7()}, ${attempts}, ${priority}, now() + make_interval(secs => ${inSeconds}))`,
  );
}

async function dispatching<T>(deliver: OutboxBatchesDeps['deliver'], log: Logger, meanwhile: () => Promise<T>): Promise<T> {
  const dispatcher = startOutboxDispatcher({ orm, deliver, log });
  try {
    return await meanwhile();
  } finally {
    await dispatcher.stop();
  }
}

test('a signal whose workflow is to start later waits for that, and no try is counted as refused', async () => {
  const workflowId = `webhook/${uuidv7()}`;
  await written(workflowId, START, { inSeconds: 3_600 });
  await written(workflowId, SIGNAL);
  let tries = 0;
  const signal = await dispatching(
    async () => {
      tries++;
      return 'absent';
    },
    createLogger('silent'),
    () =>
      eventually(async () => {
        const found = await row(
          em,
          sql<{ attempts: number; seconds: number }>`
            select attempts, extract(epoch from due_at - now())::double precision as seconds from outbox where message ->> 'kind' = 'signal'`,
        );
        // Neither before it is leased nor while it is.
        return tries === 1 && found && (found.seconds > 15 || (found.seconds <= 2 && found.attempts > 0)) && found;
      }),
  );
  expect(signal).toEqual({ attempts: 0, seconds: expect.any(Number) });
  expect(signal.seconds).toBeGreaterThan(15);
});

const signalled = (message: TemporalDelivery): string => ('signal' in message ? message.signal : message.kind);

test("what Temporal refuses holds up the later messages of its workflow, and nobody else's", async () => {
  const [workflowId, other] = [`campaign/${uuidv7()}`, `campaign/${uuidv7()}`];
  for (const signal of ['first', 'second', 'third']) await written(workflowId, { kind: 'signal', signal });
  await written(other, SIGNAL);
  const taken: string[] = [];
  let tries = 0;
  const deliver: OutboxBatchesDeps['deliver'] = async (of, message) => {
    if (of === workflowId && signalled(message) === 'second' && ++tries <= 2) throw new Error('8 RESOURCE_EXHAUSTED');
    taken.push(of === workflowId ? signalled(message) : 'other');
    return 'done';
  };
  await dispatching(deliver, createLogger('silent'), () => eventually(() => taken.length === 4));
  expect(taken.filter((one) => one !== 'other')).toEqual(['first', 'second', 'third']);
  expect([tries, taken.indexOf('other') < taken.indexOf('second')]).toEqual([3, true]);
});

test('what waits for the start of its workflow holds up the later messages of that', async () => {
  const workflowId = `webhook/${uuidv7()}`;
  await written(workflowId, START, { inSeconds: 3_600 });
  for (const signal of ['first', 'second']) await written(workflowId, { kind: 'signal', signal });
  const tried: string[] = [];
  const waiting = () =>
    eventually(async () => {
      const found = await rows(
        em,
        sql`select 1 from outbox where message ->> 'kind' = 'signal' and due_at > now() + interval '15 seconds'`,
      );
      return found.length === 2;
    });
  const deliver: OutboxBatchesDeps['deliver'] = async (_of, message) => {
    tried.push(signalled(message));
    return 'absent';
  };
  await dispatching(deliver, createLogger('silent'), waiting);
  expect(tried).toEqual(['first']);
});

test('a message that is refused again and again while others are taken is in the log, with why', async () => {
  const [refused, taken] = [`webhook/${uuidv7()}`, `webhook/${uuidv7()}`];
  await written(refused, SIGNAL, { attempts: 5 });
  await written(taken, SIGNAL);
  const lines: [string, LogFields | undefined][] = [];
  const log: Logger = { ...createLogger('silent'), warn: (event, fields) => void lines.push([event, fields]) };
  await dispatching(
    async (workflowId) => {
      if (workflowId === refused)
        throw new Error('Failed to signal Workflow', { cause: new Error('8 RESOURCE_EXHAUSTED: too many signals') });
      return 'done';
    },
    log,
    () => eventually(() => lines.length > 0),
  );
  const reason = 'Failed to signal Workflow: 8 RESOURCE_EXHAUSTED: too many signals';
  expect(lines).toEqual([['outbox.message_refused', { workflowId: refused, kind: 'signal', attempts: 6, reason }]]);
});

test('a message of a single change does not wait for those of a bulk one that Temporal takes slowly', async () => {
  const BULK = 5;
  const slow = Promise.withResolvers<void>();
  const asked: string[] = [];
  const deliver: OutboxBatchesDeps['deliver'] = async (workflowId) => {
    asked.push(workflowId);
    if (workflowId.startsWith('bulk/')) await slow.promise;
    return 'done';
  };
  for (let each = 0; each < BULK; each++) await written(`bulk/${each}`, SIGNAL, { priority: 5 });
  await dispatching(deliver, createLogger('silent'), async () => {
    const waiting = async () =>
      (await rows(em, sql<{ workflow_id: string }>`select workflow_id from outbox`)).map(({ workflow_id }) => workflow_id);
    try {
      await eventually(() => asked.length === BULK);
      await written('single/1', SIGNAL);
      await eventually(async () => asked.includes('single/1') && !(await waiting()).includes('single/1'));
      expect(await waiting()).toHaveLength(BULK);
    } finally {
      slow.resolve();
    }
    await eventually(async () => (await waiting()).length === 0);
  });
  expect(asked).toHaveLength(BULK + 1);
});

test('a dispatcher is stopped only when its bulk messages that Temporal has taken are gone from the outbox', async () => {
  const taken = Promise.withResolvers<void>();
  let isAsked = false;
  const deliver: OutboxBatchesDeps['deliver'] = async () => {
    isAsked = true;
    await taken.promise;
    return 'done';
  };
  await written('bulk/1', SIGNAL, { priority: 5 });
  const dispatcher = startOutboxDispatcher({ orm, deliver, log: createLogger('silent') });
  const { left } = await em
    .fork()
    .transactional(async (tx) => {
      await eventually(() => isAsked);
      await row(tx, sql`select 1 from outbox for update`);
      taken.resolve();
      await untilBlocked(tx);
      const left = dispatcher.stop().then(() => rows(em, sql`select workflow_id from outbox`));
      expect(await blockedBy(tx)).toBe(1);
      return { left };
    })
    .finally(taken.resolve);
  expect(await left).toEqual([]);
});
