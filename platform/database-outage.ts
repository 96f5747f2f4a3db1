import { isDatabaseUnavailable } from '../db/errors.ts';
import { every, type Repeating } from './every.ts';
import type { LogFields, Logger } from './logger.ts';
import { Outage, type OutageSoFar } from './outage.ts';

export interface DatabaseOutages {
  /** Writes as the given one does, except that what fails because the database is away makes one line, whatever the number of those that wait. */
  readonly log: Logger;
  stop(): Promise<void>;
}

const LOOK_MS = 1_000;
const TELL_MS = 60_000;

/**
 * `database.unavailable` with the first line's fields when an outage begins, `database.still_unavailable` every minute, and `database.back`.
 * `ping`: throws while the database does not answer.
 */
export function createDatabaseOutages(target: Logger, ping: () => Promise<void>): DatabaseOutages {
  /** Of which every warning and every error is a refusal. */
  const outage = new Outage();
  let look: Repeating | undefined;

  const begin = (noticedBy: string, fields: LogFields): void => {
    let toldAt = performance.now();
    target.warn('database.unavailable', { noticedBy, ...fields });
    const watch = every(
      LOOK_MS,
      async () => {
        await ping();
        const ended = outage.end(performance.now());
        if (!ended) return;
        target.info('database.back', countsOf(ended));
        void watch.stop();
      },
      () => {
        if (performance.now() - toldAt < TELL_MS) return;
        toldAt = performance.now();
        target.warn('database.still_unavailable', countsOf(outage.soFar(toldAt)));
      },
    );
    look = watch;
  };

  const unlessAway =
    (write: (event: string, fields?: LogFields) => void) =>
    (event: string, fields: LogFields = {}): void => {
      const isRefusal = isDatabaseUnavailable(fields.error);
      if (isRefusal) outage.refused(performance.now());
      if (!isRefusal) write(event, fields);
      else if (outage.begin()) begin(event, fields);
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

function countsOf({ seconds, refused }: OutageSoFar): LogFields {
  return { seconds, lines: refused };
}
