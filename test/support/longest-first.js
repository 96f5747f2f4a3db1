import TestSequencer from '@jest/test-sequencer';

/** Files that take long because they wait: for leases to end, or for servers of their own to start. The longest first. */
const WAITING = [
  'test/workflows/campaign-crash.test.ts',
  'test/bin/worker-failure.test.ts',
  'test/workflows/kill.test.ts',
  'test/local/start.test.ts',
  'test/console/console.test.ts',
  'test/console/sequences.test.ts',
  'test/bin/api-processes.test.ts',
  'test/workflows/campaign-pace.test.ts',
  'test/console/mailing.test.ts',
  'test/workflows/webhook-independence.test.ts',
  'test/platform/logs.test.ts',
  'test/workflows/campaign-operator.test.ts',
  'test/workflows/outbox.test.ts',
  'test/workflows/webhook-delivery.test.ts',
  'test/bin/shutdown.test.ts',
  'test/platform/metrics/database-readings.test.ts',
];

/** What waits longest begins first, also where no run before has measured it, so that all else runs beside it. */
export default class LongestFirst extends TestSequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const waiting = WAITING.flatMap((name) => sorted.find(({ path }) => path.endsWith(name)) ?? []);
    return [...waiting, ...sorted.filter((test) => !waiting.includes(test))];
  }
}
