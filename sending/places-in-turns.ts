import { type Release, releaseOnce } from '../platform/slots.ts';
import { createTurns } from './compose/turns.ts';

/** A few places of this process, for which one waits. */
export interface PlacesInTurns {
  /** Waits for a place; projects take turns. undefined as soon as the signal is aborted. */
  take(project: string, signal: AbortSignal): Promise<Release | undefined>;
}

export function createPlacesInTurns(count: number): PlacesInTurns {
  const waiting = createTurns<(release: Release) => void>();
  let free = count;
  const admit = (): void => {
    for (let next = free > 0 ? waiting.next() : undefined; next; next = free > 0 ? waiting.next() : undefined) {
      free--;
      next.member(
        releaseOnce(() => {
          free++;
          admit();
        }),
      );
    }
  };
  return {
    take: (project, signal) =>
      new Promise((resolve) => {
        const giveUp = (): void => resolve(undefined);
        if (signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(project, (release) => {
          signal.removeEventListener('abort', giveUp);
          // Its place in the line comes also when nobody waits there any more.
          if (signal.aborted) release();
          else resolve(release);
        });
        admit();
      }),
  };
}
