import type { MikroORM } from '../../db/orm.ts';
import { reconcilePassAge } from '../../db/queries/operations/reconcile-progress.ts';
import { every, type Repeating } from '../every.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from './metrics.ts';

export interface ReconcileAgeDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'watch'>;
  /** The program that tells it: each does, since reconcile may be off while any of them is well. */
  readonly part: 'api' | 'worker' | 'smtp';
}

const EVERY_MS = 30_000;

/** Tells for how long reconcile has finished no pass. No sample when it could not be read the last time. */
export function startReconcileAge({ orm, log, metrics, part }: ReconcileAgeDeps): Repeating {
  let latest: number | null | undefined;
  let isRead = true;
  const what = { name: 'everpost_reconcile_pass_age_seconds', help: 'For how long reconcile has finished no pass' };
  metrics.watch({ ...what, labels: ['part'], type: 'gauge' }, async () => (latest == null ? [] : [{ labels: { part }, value: latest }]));
  return every(
    EVERY_MS,
    async () => {
      latest = await reconcilePassAge(orm.em.fork());
      isRead = true;
    },
    (error) => {
      if (isRead) log.warn('metrics.not_read', { read: 'reconcile', error });
      isRead = false;
      latest = undefined;
    },
  );
}
