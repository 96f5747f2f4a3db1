import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../db/orm.ts';
import { beginInLane, closeLane, countInLane, heldInLane, openLane } from '../db/queries/webhook-attempts.ts';
import type { BurstReport } from '../workflows/contracts.ts';
import type { Attempts } from './attempts.ts';
import type { FairSlots, Release } from './fair-slots.ts';

/** First attempts of one endpoint, in order of creation, as many at once as it has slots. */
export interface BurstLanes {
  /** Works until nothing waits, the endpoint is disabled or gone, or the time is over. */
  run(endpointId: string, options: BurstOptions): Promise<BurstReport>;
  /** Lets every lane end what it has begun and begin nothing new. */
  stop(): void;
}

export interface BurstOptions {
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** Called now and then with what the lane has done so far. */
  readonly progress: (soFar: { readonly delivered: number; readonly failed: number }) => void;
}

export interface BurstLanesDeps {
  readonly em: EntityManager;
  readonly attempts: Attempts;
  readonly slots: FairSlots;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Begun by one statement. */
const MOST = 100;
/** Called and not yet recorded: a slow database must not let them grow. */
const UNRECORDED = 400;
const PROGRESS_MS = 1_000;
/** Too many wait for slots. */
const CROWDED_MS = 200;

export function createBurstLanes(deps: BurstLanesDeps): BurstLanes {
  const stopping = new AbortController();
  return {
    async run(endpointId, { milliseconds, signal, progress }) {
      const lane = new Lane(deps, endpointId);
      const timer = setInterval(() => progress(lane.soFar), PROGRESS_MS);
      try {
        return await lane.run(AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(milliseconds)]));
      } finally {
        clearInterval(timer);
      }
    },
    stop: () => stopping.abort(new Error('the process stops')),
  };
}

class Lane {
  readonly #deps: BurstLanesDeps;
  readonly #endpointId: string;
  readonly #token: string;
  readonly #underWay = new Set<Promise<void>>();
  #failure: unknown;
  readonly soFar = { delivered: 0, failed: 0 };

  constructor(deps: BurstLanesDeps, endpointId: string) {
    this.#deps = deps;
    this.#endpointId = endpointId;
    this.#token = deps.newId();
  }

  async run(signal: AbortSignal): Promise<BurstReport> {
    const begun = performance.now();
    let state: BurstReport['state'];
    try {
      state = await this.#work(signal);
    } finally {
      await Promise.all(this.#underWay);
    }
    if (this.#failure) throw this.#failure;
    return this.#report(state, (performance.now() - begun) / 1000);
  }

  async #work(signal: AbortSignal): Promise<BurstReport['state']> {
    const { em, attempts, slots, now } = this.#deps;
    const endpoint = await openLane(em, this.#endpointId);
    if (!endpoint) return 'gone';
    for (const { id, token, begun_at, attempts: made } of await heldInLane(em, this.#endpointId, this.#token))
      await attempts.cutOff({ id, token, begunAt: begun_at, number: made + 1 });
    const asking = { endpointId: this.#endpointId, projectId: endpoint.project_id };
    while (!signal.aborted && !this.#failure) {
      if (this.#underWay.size >= UNRECORDED) {
        await Promise.race(this.#underWay);
        continue;
      }
      const first = await slots.take(asking, signal);
      if (!first) {
        await sleep(CROWDED_MS, undefined, { signal }).catch(() => undefined);
        continue;
      }
      const taken = [first];
      for (let next = slots.tryTake(asking); next && taken.length < MOST; next = slots.tryTake(asking)) taken.push(next);
      if ((await this.#begin(taken, now())) > 0) continue;
      if (this.#underWay.size > 0) await Promise.race(this.#underWay);
      else if (await em.transactional((tx) => closeLane(tx, this.#endpointId))) return 'empty';
      else {
        // Something waits, and nothing could begin.
        const present = await openLane(em, this.#endpointId);
        if (!present?.enabled) return present ? 'disabled' : 'gone';
      }
    }
    return 'more';
  }

  /** Begins as many attempts as there are slots, and gives the rest of these back. Returns how many. */
  async #begin(taken: Release[], now: Date): Promise<number> {
    const { em, attempts } = this.#deps;
    try {
      const page = await beginInLane(em, this.#endpointId, { token: this.#token, limit: taken.length, now });
      for (const found of page) this.#track(attempts.carryOut({ found, token: this.#token }, taken.pop() as Release));
      return page.length;
    } finally {
      for (const release of taken) release();
    }
  }

  #track(attempt: Promise<boolean>): void {
    const work = attempt
      .then((isTaken) => {
        this.soFar[isTaken ? 'delivered' : 'failed']++;
      })
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#underWay.delete(work);
      });
    this.#underWay.add(work);
  }

  async #report(state: BurstReport['state'], seconds: number): Promise<BurstReport> {
    const { delivered, failed } = this.soFar;
    const waiting = state === 'gone' || state === 'empty' ? 0 : await countInLane(this.#deps.em, this.#endpointId);
    const rate = Math.round((delivered + failed) / Math.max(seconds, 0.001));
    const summary = `first attempts: ${waiting.toLocaleString('en')} wait; ${rate.toLocaleString('en')} a second`;
    const last = `In the last ${Math.round(seconds)} s: ${delivered.toLocaleString('en')} delivered, ${failed.toLocaleString('en')} failed and retried by workflows of their own`;
    const details = `${state === 'disabled' ? 'Held: the endpoint is disabled. ' : ''}${waiting.toLocaleString('en')} wait; ${rate.toLocaleString('en')} a second. ${last}`;
    return { state, delivered, failed, summary, details };
  }
}
