import { ConfigError } from '../platform/config-error.ts';

export interface Running {
  /** Ends what is in flight, then closes in order. */
  stop(): Promise<void>;
  /** Rejects when it cannot do its work any more; never resolves. */
  readonly failed?: Promise<never>;
}

/** Where a process answers to more than its signals. */
export interface Surroundings {
  /** Calls `stop` when this process has to end in order. */
  onStop(stop: () => void): void;
  /** Tells why it could not start or go on, and ends the process with 1. */
  fail(error: unknown): void;
}

/**
 * Starts a process's work and stops it in order on SIGTERM or SIGINT; a second signal ends it at once. Work that fails on the way is
 * stopped too, and the process ends with 1. What a person has to mend is told in one line, without a stack trace.
 */
export async function runAsMain(start: () => Promise<Running>, around: Surroundings = { onStop: () => {}, fail }): Promise<void> {
  let stopping = false;
  let signals = 0;
  const started = start();
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    started
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  const onSignal = (): void => {
    signals += 1;
    if (signals > 1) process.exit(1);
    stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  around.onStop(stop);
  started.then(
    (running) =>
      running.failed?.catch((error: unknown) => {
        if (stopping) return;
        stopping = true;
        const end = (): void => around.fail(error);
        running.stop().then(end, end);
      }),
    around.fail,
  );
  await started.catch(() => {});
}

/** Starts work that a page beside it tells about, and closes the page last; also when the work cannot start. */
export async function beside<T extends Running>(page: { close(): Promise<void> } | undefined, start: () => Promise<T>): Promise<Running> {
  const work = start();
  const close = (): Promise<void> => page?.close() ?? Promise.resolve();
  try {
    const { failed } = await work;
    return { ...(failed && { failed }), stop: async () => (await work).stop().finally(close) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Says what is wrong and exits with 1. */
export function fail(error: unknown): never {
  process.stderr.write(`everpost: ${problemText(error)}\n`);
  process.exit(1);
}

/** One line for what a person can mend, else all that is known. */
export function problemText(error: unknown): string {
  const known = error instanceof ConfigError || (error as { plain?: unknown } | undefined)?.plain === true;
  if (known) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
