import { type Release, releaseOnce } from '../platform/slots.ts';

/** Who asks for a slot. */
export interface Asking {
  readonly endpointId: string;
  readonly projectId: string;
  /** The endpoint's burst: it waits as one for its many first attempts, so it is second in line, however many others wait. */
  readonly isBurst?: boolean;
  /** It was called for the same before: first attempts do not wait behind it. */
  readonly isRetry?: boolean;
}

export interface FairSlotsOptions {
  /** Of this process. */
  readonly total: number;
  /** For one endpoint at once. */
  readonly perEndpoint: number;
  /** Callers that wait, of all endpoints together. */
  readonly mostWaiting: number;
}

/** One in so many slots is kept for those who have none. */
const KEPT_PART = 16;

/**
 * Slots for calls to the outside. An endpoint has at most `perEndpoint`, and neither an endpoint nor a project has more than are left free: with
 * n that take what they can for long, each comes to one (n+1)th. The last ones are for those who have none, one each, so that a place is left
 * also where many hang that came one after the other. Of an endpoint's slots retries have half at most, or its only one, and where both wait,
 * retries and first attempts are served in turns: first attempts would else starve behind the retries of an endpoint that hangs. Nor do more
 * callers of either kind wait for an endpoint than there are places left to wait. Those of one kind are served in order, all but the burst,
 * endpoints in turn.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #byEndpoint = new Map<string, number>();
  readonly #byProject = new Map<string, number>();
  /** Of those, what retries hold. */
  readonly #retries = new Map<string, number>();
  readonly #waiting = new Map<string, Lines>();
  #inUse = 0;
  #waitingInAll = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** A slot now, or undefined: also while others wait for the same endpoint whom it would pass by. */
  tryTake(asking: Asking): Release | undefined {
    const lines = this.#waiting.get(asking.endpointId);
    const passesBy = lines && (lines.first.length > 0 || (asking.isRetry && lines.retry.length > 0));
    return passesBy || !this.#isFree(asking) ? undefined : this.#take(asking);
  }

  /** A slot as soon as there is one; undefined when too many wait already, or none has come until the signal is aborted. */
  async take(asking: Asking, signal: AbortSignal): Promise<Release | undefined> {
    const now = this.tryTake(asking);
    if (now || signal.aborted) return now;
    const lines = this.#waiting.get(asking.endpointId) ?? { first: [], retry: [], isRetryNext: false };
    const line = lines[lineOf(asking)];
    if (!asking.isBurst && line.length >= this.#options.mostWaiting - this.#waitingInAll) return undefined;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#leave(waiting);
        resolve(undefined);
      };
      const waiting: Waiting = {
        asking,
        begin: (release) => {
          signal.removeEventListener('abort', giveUp);
          resolve(release);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      line.splice(asking.isBurst ? 1 : line.length, 0, waiting);
      this.#waiting.set(asking.endpointId, lines);
      this.#waitingInAll++;
    });
  }

  #isFree({ endpointId, projectId, isRetry }: Asking): boolean {
    const { total, perEndpoint } = this.#options;
    const free = total - this.#inUse;
    const leavesOthers = (held: number): boolean => held < (held === 0 ? free : free - total / KEPT_PART);
    const ofEndpoint = this.#byEndpoint.get(endpointId) ?? 0;
    if (isRetry && (this.#retries.get(endpointId) ?? 0) >= Math.max(1, Math.floor(perEndpoint / 2))) return false;
    return ofEndpoint < perEndpoint && leavesOthers(ofEndpoint) && leavesOthers(this.#byProject.get(projectId) ?? 0);
  }

  #take(asking: Asking): Release {
    this.#count(asking, 1);
    return releaseOnce(() => {
      this.#count(asking, -1);
      this.#serve();
    });
  }

  #count({ endpointId, projectId, isRetry }: Asking, by: 1 | -1): void {
    this.#inUse += by;
    if (isRetry) add(this.#retries, endpointId, by);
    add(this.#byEndpoint, endpointId, by);
    add(this.#byProject, projectId, by);
  }

  /** The next of each endpoint in turn, as long as there is a slot for one. */
  #serve(): void {
    let isServed = false;
    for (const [endpointId, lines] of [...this.#waiting]) {
      const inTurn = lines.isRetryNext ? [lines.retry[0], lines.first[0]] : [lines.first[0], lines.retry[0]];
      const next = inTurn.find((waiting) => waiting && this.#isFree(waiting.asking));
      if (!next) continue;
      isServed = true;
      lines.isRetryNext = !next.asking.isRetry;
      this.#leave(next);
      // Behind all others.
      if (this.#waiting.delete(endpointId)) this.#waiting.set(endpointId, lines);
      next.begin(this.#take(next.asking));
    }
    if (isServed) this.#serve();
  }

  #leave(waiting: Waiting): void {
    const { endpointId } = waiting.asking;
    const lines = this.#waiting.get(endpointId);
    const line = lines?.[lineOf(waiting.asking)];
    const index = line?.indexOf(waiting) ?? -1;
    if (!lines || !line || index < 0) return;
    line.splice(index, 1);
    this.#waitingInAll--;
    if (lines.first.length + lines.retry.length === 0) this.#waiting.delete(endpointId);
  }
}

interface Waiting {
  readonly asking: Asking;
  readonly begin: (release: Release) => void;
}

/** Who waits for one endpoint: first attempts and its burst, and retries. */
interface Lines {
  readonly first: Waiting[];
  readonly retry: Waiting[];
  /** Whose turn it is where both wait. */
  isRetryNext: boolean;
}

function lineOf({ isRetry }: Asking): 'first' | 'retry' {
  return isRetry ? 'retry' : 'first';
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
