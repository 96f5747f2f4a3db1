import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../platform/config-error.ts';
import type { Logger } from '../platform/logger.ts';
import type { GuardedProcess } from './guarded-process.ts';

/** A server that is started again whenever it ends by itself. */
export interface RestartedServer {
  /** Rejects with ConfigError when it has ended too often; never resolves. */
  readonly failed: Promise<never>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

export interface RestartOptions {
  /** On the same data and addresses. */
  readonly again: () => Promise<GuardedProcess>;
  readonly log: Logger;
  /** Milliseconds before it is started again the first time: 500 when omitted. */
  readonly firstPauseMs?: number;
}

const FIRST_PAUSE_MS = 500;
/** So that so many failures take two minutes at least, in which a full disk may be noticed. */
const LONGEST_PAUSE_MS = 30_000;
const MOST_FAILURES = 10;
const WITHIN_MS = 600_000;

/** Watches over a server that runs. The pause before it is started again doubles with each time that it has ended in the last ten minutes. */
export function restartWhenEnded(first: GuardedProcess, { again, log, firstPauseMs = FIRST_PAUSE_MS }: RestartOptions): RestartedServer {
  const { name } = first;
  const stopped = new AbortController();
  const failures: number[] = [];
  let server: GuardedProcess | undefined = first;

  /** Milliseconds to wait now. Throws when it has failed too often. */
  const noteFailure = (reason: string): number => {
    const now = performance.now();
    failures.push(now);
    while ((failures[0] as number) < now - WITHIN_MS) failures.shift();
    if (failures.length >= MOST_FAILURES) {
      throw new ConfigError(`${name} has ended by itself ${MOST_FAILURES} times within ten minutes. The last time ${reason}`);
    }
    const pauseMs = Math.min(LONGEST_PAUSE_MS, firstPauseMs * 2 ** (failures.length - 1));
    log.error('server.ended', { server: name, reason, startsInMs: pauseMs });
    return pauseMs;
  };
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await server?.ended;
      if (stopped.signal.aborted) return;
      const reason = server?.lastWords() ?? '';
      await startAgain(reason);
    }
  };
  const startAgain = async (firstReason: string): Promise<void> => {
    const endedAt = performance.now();
    for (let reason = firstReason; ; ) {
      await sleep(noteFailure(reason), undefined, { signal: stopped.signal }).catch(() => {});
      if (stopped.signal.aborted) return;
      try {
        server = await again();
        log.info('server.back', { server: name, seconds: Math.round((performance.now() - endedAt) / 1000) });
        return;
      } catch (error) {
        reason = `it could not be started: ${(error as Error).message}`;
      }
    }
  };
  const watching = watch();
  const failed = watching.then(() => new Promise<never>(() => {}));
  failed.catch(() => {});
  return {
    failed,
    async stop() {
      stopped.abort();
      await server?.stop();
      await watching.catch(() => {});
      // It may have been on its way.
      await server?.stop();
    },
  };
}
