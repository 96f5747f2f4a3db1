import { onOutboxCommit } from '../db/outbox-signal.ts';
import { createOutboxBatches, type OutboxBatchesDeps } from './outbox-batches.ts';

export interface OutboxDispatcher {
  /** Finishes what it has in flight. */
  stop(): Promise<void>;
}

/** How soon a message left over by a crash is noticed. */
const POLL_MS = 1_000;

/**
 * Brings outbox messages to Temporal, each workflow's in their order, until the server has them: at once what this process commits, within
 * a second what others left. Any number of processes may run one.
 */
export function startOutboxDispatcher(deps: OutboxBatchesDeps): OutboxDispatcher {
  const { orm, log } = deps;
  let stopping = false;
  let awake = false;
  let rouse: (() => void) | undefined;
  const wake = (): void => {
    awake = true;
    rouse?.();
  };
  const batches = createOutboxBatches(deps, wake);

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS);
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const loop = async (): Promise<void> => {
    while (!stopping) {
      awake = false;
      const more = await batches.dispatchNext().catch((error: unknown) => {
        log.warn('outbox.failed', { error });
        return false;
      });
      if (!more && !awake && !stopping) await pause();
    }
  };

  const forget = onOutboxCommit(orm, wake);
  const running = loop();
  return {
    async stop() {
      stopping = true;
      forget();
      rouse?.();
      await running;
      await batches.settled();
    },
  };
}
