/** Gives a slot back; only the first call counts. */
export type Release = () => void;

/** Who asks for a slot. */
export interface Asking {
  readonly endpointId: string;
  readonly projectId: string;
  /** The endpoint's lane: it waits as one for its many first attempts, so it is second in line, however many others wait. */
  readonly isLane?: boolean;
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
 * the same endpoint are served in order, all but its lane, endpoints in turn. While an endpoint has a lane, half of its slots are kept for that:
 * first attempts would else starve behind the retries of an endpoint that hangs.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #byEndpoint = new Map<string, number>();
  readonly #byProject = new Map<string, number>();
  /** Of those, what lanes do not hold. */
  readonly #besideLanes = new Map<string, number>();
  /** By endpoint. */
  readonly #lanes = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();
  #inUse = 0;
  #waitingInAll = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
  }

  /** Keeps half of an endpoint's slots for its lane until that ends. */
  keepForLane(endpointId: string): Release {
    add(this.#lanes, endpointId, 1);
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      add(this.#lanes, endpointId, -1);
      this.#serve();
    };
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
    if (!asking.isLane && line.length >= this.#options.mostWaiting - this.#waitingInAll) return undefined;
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
      line.splice(asking.isLane ? 1 : line.length, 0, waiting);
      this.#waiting.set(asking.endpointId, line);
      this.#waitingInAll++;
      // Those before it may wait for others than the slots that are kept for it.
      if (asking.isLane) this.#serve();
    });
  }

  #isFree({ endpointId, projectId, isLane }: Asking): boolean {
    const { total, perEndpoint } = this.#options;
    const free = total - this.#inUse;
    const leavesOthers = (held: number): boolean => held < (held === 0 ? free : free - total / KEPT_PART);
    const ofEndpoint = this.#byEndpoint.get(endpointId) ?? 0;
    const mostBesideLane = this.#lanes.has(endpointId) ? Math.ceil(perEndpoint / 2) : perEndpoint;
    if (!isLane && (this.#besideLanes.get(endpointId) ?? 0) >= mostBesideLane) return false;
    return ofEndpoint < perEndpoint && leavesOthers(ofEndpoint) && leavesOthers(this.#byProject.get(projectId) ?? 0);
  }

  #take(asking: Asking): Release {
    this.#count(asking, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count(asking, -1);
      this.#serve();
    };
  }

  #count({ endpointId, projectId, isLane }: Asking, by: 1 | -1): void {
    this.#inUse += by;
    if (!isLane) add(this.#besideLanes, endpointId, by);
    add(this.#byEndpoint, endpointId, by);
    add(this.#byProject, projectId, by);
  }

  /** The first of each endpoint in turn, or its lane, which is second, as long as there is a slot for one. */
  #serve(): void {
    let isServed = false;
    for (const [endpointId, line] of [...this.#waiting]) {
      const first = line.slice(0, 2).find(({ asking }, nth) => (nth === 0 || asking.isLane) && this.#isFree(asking));
      if (!first) continue;
      isServed = true;
      this.#leave(endpointId, first);
      // Behind all others.
      if (this.#waiting.delete(endpointId) && line.length > 0) this.#waiting.set(endpointId, line);
      first.begin(this.#take(first.asking));
    }
    if (isServed) this.#serve();
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
