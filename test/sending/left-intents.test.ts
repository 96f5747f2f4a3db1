import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { rows } from '../../db/rows.ts';
import { SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { createLeftBatches } from '../../sending/left-batches.ts';
import { settleIntents, startLeftIntentSweeper } from '../../sending/left-intents.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { readPage } from '../support/metrics-page.ts';
import { bareProject, bareSend, ownDatabase } from '../support/own-database.ts';

const rules = { journals: NO_JOURNALS, deduplicates: false, reportBounce };

test('mails that a crash left without an outcome are counted once, when they get one', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const project = await bareProject(em);
  for (let n = 0; n < 3; n++) await bareSend(em, project, { status: null, closed_at: null });
  await bareSend(em, project, { status: null, closed_at: null, opened_at: new Date() });
  const metrics = createMetrics();
  const sweep = async (): Promise<void> => {
    const settled = Promise.withResolvers<void>();
    const counting = { sendsLeftUnknown: (count: number) => settled.resolve(metrics.sendsLeftUnknown(count)) };
    const sweeper = startLeftIntentSweeper({
      orm,
      log: createLogger('silent'),
      metrics: counting,
      ...rules,
      batches: createLeftBatches(rules, createMetrics()),
    });
    await settled.promise;
    await sweeper.stop();
  };
  await sweep();
  await sweep();
  expect(readPage(await metrics.page()).sum('everpost_sends_left_in_doubt_total')).toBe(3);
});

test('behind a provider with keys a call of unknown outcome has its outcome, with a key or without', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const project = await bareProject(em);
  const at = new Date(Date.now() - SETTLED_AFTER_MS - 60_000);
  const open = { status: null, closed_at: null, opened_at: at, created_at: at } as const;
  const without = await bareSend(em, project, open);
  const keyed = await bareSend(em, project, { ...open, idempotency_key: 'order-1' });
  expect(await settleIntents(em.fork(), { ...rules, deduplicates: true })).toBe(2);
  const states = await rows(
    em,
    sql<{
      id: string;
      error: string | null;
    }>`select id, split_part(error, ': ', 1) as error from sends where id in (${without.id}, ${keyed.id})`,
  );
  expect(new Map(states.map(({ id, error }) => [id, error]))).toEqual(
    new Map([
      [without.id, 'outcome_unknown'],
      [keyed.id, 'outcome_unknown'],
    ]),
  );
});
