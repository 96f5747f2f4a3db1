import { isDatabaseUnavailable } from '../db/errors.ts';
import { every, type Repeating } from './every.ts';
import type { LogFields, Logger } from './logger.ts';

export interface DatabaseOutages {
  /** Writes as the given one does, except that what fails because the database is away makes one line, whatever the number of those that wait. */
  readonly log: Logger;
  stop(): Promise<void>;
}

interface Outage {
  readonly since: number;
  /** Warnings and errors in its place. */
  lines: number;
  toldAt: number;
}

const LOOK_MS = 1_000;
const TELL_MS = 60_000;

/**
 * `database.unavailable` with the first line's fields when an outage begins, `database.still_unavailable` every minute, and `database.back`.
 * `ping`: throws while the database does not answer.
 */
export function createDatabaseOutages(target: Logger, ping: () => Promise<void>): DatabaseOutages {
  let outage: Outage | undefined;
  let look: Repeating | undefined;

  const begin = (noticedBy: string, fields: LogFields): void => {
    const began: Outage = { since: performance.now(), lines: 1, toldAt: performance.now() };
    outage = began;
    target.warn('database.unavailable', { noticedBy, ...fields });
    const counts = (): LogFields => ({ seconds: Math.round((performance.now() - began.since) / 1000), lines: began.lines });
    const watch = every(
      LOOK_MS,
      async () => {
        await ping();
        if (outage !== began) return;
        outage = undefined;
        target.info('database.back', counts());
        void watch.stop();
      },
      () => {
        if (performance.now() - began.toldAt < TELL_MS) return;
        began.toldAt = performance.now();
        target.warn('database.still_unavailable', counts());
      },
    );
    look = watch;
  };

  const unlessAway =
    (write: (event: string, fields?: LogFields) => void) =>
    (event: string, fields: LogFields = {}): void => {
      if (!isDatabaseUnavailable(fields.error)) write(event, fields);
      else if (outage) outage.lines++;
      else begin(event, fields);
    };
  const quiet = (log: Logger): Logger => ({
    debug: log.debug,
    info: log.info,
    warn: unlessAway(log.warn),
    error: unlessAway(log.error),
    writes: log.writes,
    child: (fields) => quiet(log.child(fields)),
  });
  return {
    log: quiet(target),
    async stop() {
      await look?.stop();
    },
  };
}
