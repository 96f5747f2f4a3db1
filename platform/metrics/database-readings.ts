import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { countActiveEnrollments } from '../../db/queries/active-enrollments.ts';
import { readQueueAges } from '../../db/queries/queue-ages.ts';
import { every, type Repeating } from '../every.ts';
import type { Logger } from '../logger.ts';
import type { Metrics, Reading } from './metrics.ts';

export interface DatabaseReadingsDeps {
  readonly orm: MikroORM;
  readonly log: Logger;
  readonly metrics: Metrics;
}

const AGES_EVERY_MS = 5_000;
const COUNTS_EVERY_MS = 60_000;

/**
 * What the database alone knows of all processes, read now and then and never by whoever asks for the page. What could not be read the last
 * time has no samples; `everpost_database_read_up` says so.
 */
export function startDatabaseReadings({ orm, log, metrics }: DatabaseReadingsDeps): Repeating {
  const latest = new Map<string, Readonly<Record<string, number>> | undefined>();
  const isUp = { name: 'everpost_database_read_up', help: 'Whether what the database knows could be read the last time' };
  metrics.watch({ ...isUp, labels: ['read'], type: 'gauge' }, async () =>
    [...latest].map(([read, found]) => ({ labels: { read }, value: found ? 1 : 0 })),
  );
  const watch = (name: string, help: string, labels: readonly string[], of: () => readonly Reading[]): void =>
    metrics.watch({ name, help, labels, type: 'gauge' }, async () => of());
  const age = (name: string, help: string, key: string): void =>
    watch(name, help, [], () => {
      const value = latest.get('queue_ages')?.[key];
      return value === undefined ? [] : [{ labels: {}, value }];
    });
  age('everpost_outbox_oldest_seconds', 'For how long the oldest due message to Temporal waits', 'outboxRow');
  age('everpost_campaign_page_oldest_seconds', 'For how long the oldest due page of a running campaign waits', 'campaignPage');
  age('everpost_webhook_delivery_oldest_seconds', 'For how long the oldest due delivery of a webhook waits', 'webhookDelivery');
  watch('everpost_enrollments', 'Enrollments that have not ended', ['state'], () =>
    Object.entries(latest.get('enrollments') ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  );

  const reading = (read: string, everyMs: number, ask: (em: EntityManager) => Promise<object>): Repeating =>
    every(
      everyMs,
      async () => void latest.set(read, { ...(await ask(orm.em.fork())) }),
      (error) => {
        // One line when it begins: the gauge says how long it lasts.
        if (latest.get(read) || !latest.has(read)) log.warn('metrics.not_read', { read, error });
        latest.set(read, undefined);
      },
    );
  const readings = [reading('queue_ages', AGES_EVERY_MS, readQueueAges), reading('enrollments', COUNTS_EVERY_MS, countActiveEnrollments)];
  return {
    async stop() {
      await Promise.all(readings.map((one) => one.stop()));
    },
  };
}
