import { Refusal } from '../domain/errors.ts';

/** Changes at the same time that a caller who names no version is let through one after the other. */
const MOST_AT_ONCE = 20;

/** What is checked and then written by the version that was checked: of a caller who names none it is checked again. */
export async function whicheverVersion<T>(ifVersion: number | undefined, attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      const isStale = error instanceof Refusal && error.code === 'version_conflict';
      if (!isStale || ifVersion !== undefined || attempts === MOST_AT_ONCE) throw error;
    }
  }
}
