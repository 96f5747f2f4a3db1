import { pathReader } from '../templates/variables.ts';

/** Of these a digest keeps the latest; all of them are counted. */
export const MAX_GATHERED = 100;
/** Of the data of all of them, as JSON: older ones are left out beyond it, since each mail that shows them carries them. */
export const MAX_GATHERED_KB = 256;

/** An event as a digest shows it. */
export interface GatheredEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** When it came, in ISO 8601. */
  readonly at: string;
}

/** What the Liquid of a run sees as `digest`, once the run has left one. */
export interface Digest {
  /** How many there were. */
  readonly count: number;
  /** The latest of them in the order in which they came. */
  readonly events: readonly GatheredEvent[];
}

/** The fields of `digest`. */
export const DIGEST_VARIABLES = Object.keys({ count: 0, events: 0 } satisfies Record<keyof Digest, 0>);

/** By what an event is gathered; null: it has nothing there that could tell it from others. PostgreSQL reads it likewise (db/queries/sequences/digests.ts). */
export function gatheringKey(data: Readonly<Record<string, unknown>>, path: string | undefined): string | null {
  const value = path === undefined ? null : pathReader(path)(data);
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** How a visit to a digest ends. */
export function digestOutcome(count: number): { readonly outcome: 'gathered' | 'empty'; readonly detail: string } {
  return { outcome: count > 0 ? 'gathered' : 'empty', detail: count === 1 ? '1 event' : `${count} events` };
}

/** The latest events, as many as a digest shows. */
export function latestShown<E extends Pick<GatheredEvent, 'data'>>(events: readonly E[]): E[] {
  const shown: E[] = [];
  let left = MAX_GATHERED_KB * 1024;
  for (const event of events.slice(-MAX_GATHERED).reverse()) {
    left -= JSON.stringify(event.data).length;
    if (left < 0) break;
    shown.unshift(event);
  }
  return shown;
}
