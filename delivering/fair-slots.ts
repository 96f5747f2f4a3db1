/** Gives a slot back; only the first call counts. */
export type Release = () => void;

/** Who asks for a slot. */
export interface Asking {
  readonly endpointId: string;
  readonly projectId: string;
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
 * also where many hang that came one after the other. Nor do more callers of an endpoint wait than there are places left to wait. Callers for
 * the same endpoint are served in order, endpoints in turn.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #byEndpoint = new Map<string, number>();
  readonly #byProject = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();
  #inUse = 0;
  #waitingInAll = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** A slot now, or undefined: also while others wait for the same endpoint. */
  tryTake(asking: Asking): Release | undefined {
    return this.#waiting.has(asking.endpointId) || !this.#isFree(asking) ? undefined : this.#take(asking);
  }

  /** A slot as soon as there is one; undefined when too many wait already, or none has come until the signal is aborted. */
  async take(asking: Asking, signal: AbortSignal): Promise<Release | undefined> {
    const now = this.tryTake(asking);
    if (now || signal.aborted) return now;
    const line = this.#waiting.get(asking.endpointId) ?? [];
    if (line.length >= this.#options.mostWaiting - this.#waitingInAll) return undefined;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#leave(asking.endpointId, waiting);
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
      line.push(waiting);
      this.#waiting.set(asking.endpointId, line);
      this.#waitingInAll++;
    });
  }

  #isFree({ endpointId, projectId }: Asking): boolean {
    const { total, perEndpoint } = this.#options;
    const free = total - this.#inUse;
    const leavesOthers = (held: number): boolean => held < (held === 0 ? free : free - total / KEPT_PART);
    const ofEndpoint = this.#byEndpoint.get(endpointId) ?? 0;
    return ofEndpoint < perEndpoint && leavesOthers(ofEndpoint) && leavesOthers(this.#byProject.get(projectId) ?? 0);
  }

  #take({ endpointId, projectId }: Asking): Release {
    this.#count(endpointId, projectId, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count(endpointId, projectId, -1);
      this.#serve();
    };
  }

  #count(endpointId: string, projectId: string, by: 1 | -1): void {
    this.#inUse += by;
    add(this.#byEndpoint, endpointId, by);
    add(this.#byProject, projectId, by);
  }

  /** The first of each endpoint in turn, as long as there is a slot for one. */
  #serve(): void {
    for (const [endpointId, line] of [...this.#waiting]) {
      const first = line[0];
      if (!first || !this.#isFree(first.asking)) continue;
      this.#leave(endpointId, first);
      // Behind all others.
      if (this.#waiting.delete(endpointId) && line.length > 0) this.#waiting.set(endpointId, line);
      first.begin(this.#take(first.asking));
    }
  }

  #leave(endpointId: string, waiting: Waiting): void {
    const line = this.#waiting.get(endpointId);
    const index = line?.indexOf(waiting) ?? -1;
    if (!line || index < 0) return;
    line.splice(index, 1);
    this.#waitingInAll--;
    if (line.length === 0) this.#waiting.delete(endpointId);
  }
}

interface Waiting {
  readonly asking: Asking;
  readonly begin: (release: Release) => void;
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
