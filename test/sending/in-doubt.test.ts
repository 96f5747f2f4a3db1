import { expect, test } from '@jest/globals';
import { createLogger } from '../../platform/logger.ts';
import { createMetrics } from '../../platform/metrics/metrics.ts';
import { startInDoubtSweeper } from '../../sending/in-doubt.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { createLeftPages } from '../../sending/left-pages.ts';
import { readPage } from '../support/metrics-page.ts';
import { bareProject, bareSend, ownDatabase } from '../support/own-database.ts';

const rules = { journals: NO_JOURNALS, deduplicates: false };

test('mails that a crash left without an outcome are counted once, when they get one', async () => {
  const orm = await ownDatabase();
  const em = orm.em.fork();
  const project = await bareProject(em);
  for (let n = 0; n < 3; n++) await bareSend(em, project, { status: null, closed_at: null });
  await bareSend(em, project, { status: null, closed_at: null, opened_at: new Date() });
  const metrics = createMetrics();
  const sweep = async (): Promise<void> => {
    const settled = Promise.withResolvers<void>();
    const counting = { sendsLeftInDoubt: (count: number) => settled.resolve(metrics.sendsLeftInDoubt(count)) };
    const sweeper = startInDoubtSweeper({
      orm,
      log: createLogger('silent'),
      metrics: counting,
      ...rules,
      pages: createLeftPages(rules, createMetrics()),
    });
    await settled.promise;
    await sweeper.stop();
  };
  await sweep();
  await sweep();
  expect(readPage(await metrics.page()).sum('everpost_sends_left_in_doubt_total')).toBe(3);
});
