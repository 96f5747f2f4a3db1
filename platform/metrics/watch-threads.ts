import type { Metrics } from './metrics.ts';

/** The threads of one pool at this moment, and how often one had to be ended since the start. */
export interface ThreadUse {
  readonly most: number;
  readonly busy: number;
  /** Tasks that no thread has yet. */
  readonly waiting: number;
  readonly tooSlow: number;
  readonly tooLarge: number;
}

/** `pool`: what its threads do. */
export function watchThreads(metrics: Metrics, pool: string, use: () => ThreadUse): void {
  const gauge = (name: string, help: string, value: (use: ThreadUse) => number): void =>
    metrics.watch({ name, help, labels: ['pool'], type: 'gauge' }, async () => [{ labels: { pool }, value: value(use()) }]);
  gauge('everpost_render_threads', 'Threads that a pool may have', ({ most }) => most);
  gauge('everpost_render_threads_busy', 'Threads that are at a task', ({ busy }) => busy);
  gauge('everpost_render_tasks_waiting', 'Tasks that wait for a thread', ({ waiting }) => waiting);
  const ended = { name: 'everpost_render_threads_ended_total', help: 'Threads that had to be ended, and were replaced' };
  metrics.watch({ ...ended, labels: ['pool', 'reason'], type: 'counter' }, async () => [
    { labels: { pool, reason: 'too_slow' }, value: use().tooSlow },
    { labels: { pool, reason: 'too_large' }, value: use().tooLarge },
  ]);
}
