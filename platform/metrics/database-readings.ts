import type { EntityManager, MikroORM } from '../../db/orm.ts';
import { countRecurring } from '../../db/queries/campaigns/recurring-counts.ts';
import { type QueueAges, readQueueAges } from '../../db/queries/operations/queue-ages.ts';
import { countScheduled } from '../../db/queries/sends/overdue-scheduled.ts';
import { type ReputationReading, readReputations } from '../../db/queries/sends/reputation.ts';
import { type ActiveEnrollments, countActiveEnrollments } from '../../db/queries/sequences/active-enrollments.ts';
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
  const readings: Repeating[] = [];
  const isReadUp = new Map<string, boolean>();
  const isUp = { name: 'everpost_database_read_up', help: 'Whether what the database knows could be read the last time' };
  metrics.watch({ ...isUp, labels: ['read'], type: 'gauge' }, async () =>
    [...isReadUp].map(([read, isUp]) => ({ labels: { read }, value: isUp ? 1 : 0 })),
  );
  /** What was read the last time; undefined when it could not be. */
  const reading = <Found>(read: string, everyMs: number, ask: (em: EntityManager) => Promise<Found>): (() => Found | undefined) => {
    let latest: Found | undefined;
    const repeating = every(
      everyMs,
      async () => {
        latest = await ask(orm.em.fork());
        isReadUp.set(read, true);
      },
      (error) => {
        // One line when it begins: the gauge says how long it lasts.
        if (isReadUp.get(read) !== false) log.warn('metrics.not_read', { read, error });
        latest = undefined;
        isReadUp.set(read, false);
      },
    );
    readings.push(repeating);
    return () => latest;
  };
  const watch = (name: string, help: string, labels: readonly string[], of: () => readonly Reading[]): void =>
    metrics.watch({ name, help, labels, type: 'gauge' }, async () => of());

  const ages = reading('queue_ages', AGES_EVERY_MS, readQueueAges);
  const age = (name: string, help: string, key: keyof QueueAges): void =>
    watch(name, help, [], () => {
      const value = ages()?.[key];
      return value === undefined ? [] : [{ labels: {}, value }];
    });
  age('everpost_outbox_oldest_seconds', 'For how long the oldest due message to Temporal waits', 'outboxRow');
  age('everpost_campaign_page_oldest_seconds', 'For how long the oldest due page of a running campaign waits', 'campaignBatch');
  age('everpost_webhook_delivery_oldest_seconds', 'For how long the oldest due delivery of a webhook waits', 'webhookDelivery');
  age('everpost_scheduled_send_oldest_seconds', 'For how long the oldest mail that should have gone by its sendAt waits', 'scheduledSend');

  const scheduled = reading('scheduled_sends', COUNTS_EVERY_MS, countScheduled);
  watch('everpost_scheduled_sends', 'Mails that wait for their sendAt', [], () => {
    const value = scheduled();
    return value === undefined ? [] : [{ labels: {}, value }];
  });

  const recurring = reading('recurring_campaigns', COUNTS_EVERY_MS, countRecurring);
  watch('everpost_recurring_campaigns', 'Recurring campaigns that have not ended, by how they stand', ['state'], () =>
    Object.entries(recurring() ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  );

  const reputations = reading('reputation', COUNTS_EVERY_MS, readReputations);
  const ofReputation = (name: string, help: string, labels: readonly string[], of: (read: ReputationReading) => readonly Reading[]): void =>
    watch(name, help, labels, () => {
      const read = reputations();
      return read ? of(read) : [];
    });
  ofReputation(
    'everpost_reputation_domains',
    'Sending domains by what the mails of the last 7 days say of them',
    ['state'],
    ({ domains }) => Object.entries(domains).map(([state, value]) => ({ labels: { state }, value })),
  );
  ofReputation(
    'everpost_reputation_mails',
    'Mails of the last 7 days by receiver and by what became of them',
    ['receiver', 'outcome'],
    (read) =>
      read.receivers.flatMap(({ receiver, ...counts }) =>
        Object.entries(counts).map(([outcome, value]) => ({ labels: { receiver, outcome }, value })),
      ),
  );

  const enrollments = reading('enrollments', COUNTS_EVERY_MS, countActiveEnrollments);
  const counted = (name: string, help: string, key: 'count' | 'overdue'): void =>
    watch(name, help, ['state', 'reason'], () =>
      (enrollments() ?? []).map(({ state, reason, [key]: value }: ActiveEnrollments) => ({ labels: { state, reason }, value })),
    );
  counted('everpost_enrollments', 'Enrollments that have not ended', 'count');
  counted('everpost_enrollments_overdue', 'Enrollments whose wait has been over for ten minutes', 'overdue');

  return {
    async stop() {
      await Promise.all(readings.map((one) => one.stop()));
    },
  };
}
