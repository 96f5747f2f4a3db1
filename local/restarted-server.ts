import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '../platform/config-error.ts';
import type { Logger } from '../platform/logger.ts';
import type { GuardedProcess } from './guarded-process.ts';

/** A server that is started again whenever it ends by itself. */
export interface RestartedServer {
  /** Rejects with ConfigError when it has ended too often; never resolves. */
  readonly failed: Promise<never>;
  /** Of the process that runs now, or ran last: resolves when it has ended. */
  readonly ended: Promise<unknown>;
  /** How often it has ended by itself. */
  readonly ends: number;
  /** Resolves when it runs, which may be now. Rejects as `failed` does. */
  back(): Promise<void>;
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
  let server = first;
  let ends = 0;
  let coming = Promise.resolve();

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
      await server.ended;
      if (stopped.signal.aborted) return;
      ends++;
      coming = startAgain(server.lastWords());
      await coming;
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
    get ended() {
      return server.ended;
    },
    get ends() {
      return ends;
    },
    back: () => coming,
    async stop() {
      stopped.abort();
      await server.stop();
      await watching.catch(() => {});
      // It may have been on its way.
      await server.stop();
    },
  };
}

/** It is known so soon that a server has ended whose connections broke. */
const NOTICED_WITHIN_MS = 1_000;

/** Does what needs these servers, and does it once more whenever it failed while one of them ended: something that may be done twice. */
export async function withServers<T>(servers: readonly RestartedServer[], step: () => Promise<T>): Promise<T> {
  for (;;) {
    for (const server of servers) await server.back();
    const before = endsOf(servers);
    const ended = Promise.race(servers.map((server) => server.ended));
    try {
      return await step();
    } catch (error) {
      await Promise.race([ended, sleep(NOTICED_WITHIN_MS)]);
      if (endsOf(servers) === before) throw error;
    }
  }
}

function endsOf(servers: readonly RestartedServer[]): number {
  return servers.reduce((sum, { ends }) => sum + ends, 0);
}
