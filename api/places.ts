import { Refusal } from '../domain/errors.ts';
import { type Release, releaseOnce } from '../platform/slots.ts';

/** How much of something slow goes on at once in a process. */
export interface Places {
  /** Refuses when the project has its share, or all together have everything. */
  take(projectId: string): Release;
}

const RETRY_AFTER_SECONDS = 5;

/** `what`: in the plural, for messages. */
export function createPlaces(what: string, { each, all }: { readonly each: number; readonly all: number }): Places {
  const heldBy = new Map<string, number>();
  let held = 0;
  return {
    take(projectId) {
      const mine = heldBy.get(projectId) ?? 0;
      const later = { retryAfterSeconds: RETRY_AFTER_SECONDS };
      if (mine >= each) throw new Refusal('rate_limited', `this project has ${each} ${what} at once already`, later);
      if (held >= all) throw new Refusal('unavailable', `there are too many ${what} at the moment`, later);
      held++;
      heldBy.set(projectId, mine + 1);
      return releaseOnce(() => {
        held--;
        const left = (heldBy.get(projectId) ?? 1) - 1;
        if (left > 0) heldBy.set(projectId, left);
        else heldBy.delete(projectId);
      });
    },
  };
}
