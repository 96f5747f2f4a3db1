/** What a look at something that the API stands on brought. */
export type ProbeResult = 'ok' | 'down';

export type Probe = () => Promise<ProbeResult>;

/** Whoever asks gives up after a second by default (Kubernetes, AWS): the answer has to be there well before. */
const PATIENCE_MS = 350;
/** Who has answered so recently and is slow now is busy, not down. */
const RECENT_MS = 3_000;

/**
 * A probe that answers within half a second, whatever becomes of its ping: one is under way at a time, and those who ask meanwhile have its
 * outcome. `ping` throws when there is no answer, and gives up by itself after some seconds.
 */
export function createProbe(ping: () => Promise<void>): Probe {
  let underWay: Promise<ProbeResult> | undefined;
  let answeredAt = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<ProbeResult> => {
    try {
      await ping();
      answeredAt = performance.now();
      return 'ok';
    } catch {
      answeredAt = Number.NEGATIVE_INFINITY;
      return 'down';
    } finally {
      underWay = undefined;
    }
  };
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    underWay ??= look();
    const result = await Promise.race([underWay, late]);
    clearTimeout(timer);
    return result ?? (performance.now() - answeredAt < RECENT_MS ? 'ok' : 'down');
  };
}
