import { ConfigError } from '../platform/config.ts';

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Starts a process's work and stops it in order on SIGTERM or SIGINT; a second signal ends it at once. What a person has to mend is told
 * in one line, without a stack trace.
 */
export async function runAsMain(start: () => Promise<Stoppable>): Promise<void> {
  let stopping = false;
  const started = start();
  const end = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    started
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  await started.catch(fail);
}

/** Says what is wrong and exits with 1. */
export function fail(error: unknown): never {
  const known = error instanceof ConfigError || (error as { plain?: unknown }).plain === true;
  process.stderr.write(
    known ? `everpost: ${(error as Error).message}\n` : `everpost: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}
