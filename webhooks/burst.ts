import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '../db/orm.ts';
import {
  beginInBurst,
  closeBurst,
  countInBurst,
  type FoundDelivery,
  heldInBurst,
  openBurst,
} from '../db/queries/webhooks/webhook-attempts.ts';
import { isEndpointEnabled } from '../db/queries/webhooks/webhook-endpoints.ts';
import { grouped } from '../domain/shown-text.ts';
import type { Release } from '../platform/slots.ts';
import type { BurstReport } from '../workflows/contracts.ts';
import type { Attempts } from './attempts.ts';
import type { FairSlots } from './fair-slots.ts';

/** First attempts of one endpoint, and later ones of which very many are due, each in order of creation, as many at once as it has slots. */
export interface Bursts {
  /** Works until nothing waits, the endpoint is disabled or gone, or the time is over. */
  run(endpointId: string, options: BurstOptions): Promise<BurstReport>;
  /** Lets every burst end what it has begun and begin nothing new. */
  stop(): void;
}

export interface BurstOptions {
  readonly milliseconds: number;
  readonly signal: AbortSignal;
  /** Called now and then with what the burst has done so far, for operators. */
  readonly progress: (soFar: BurstProgress) => void;
}

/** Of the present turn. */
export interface BurstProgress {
  /** How many attempts waited when it began. */
  readonly waitedAtFirst: number;
  readonly delivered: number;
  readonly failed: number;
  /** How many of both. */
  readonly aSecond: number;
}

export interface BurstsDeps {
  readonly em: EntityManager;
  readonly attempts: Attempts;
  readonly slots: FairSlots;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Begun by one statement; a process that dies has attempts counted that it had begun and not made, so they are few. */
const BATCH = 200;
/** The next batch is begun when so few are left to be made. */
const FEW = 100;
/** Made and not yet recorded: a slow database must not let them grow. */
const UNRECORDED = 400;
const PROGRESS_MS = 1_000;
/** How soon what is new is noticed while calls are under way, or others write. */
const DRY_MS = 50;
/** How soon it is noticed that the endpoint was disabled or deleted: attempts that have begun may not be made then. */
const CHECKED_MS = 100;
/** Too many wait for slots. */
const CROWDED_MS = 200;

export function createBursts(deps: BurstsDeps): Bursts {
  const stopping = new AbortController();
  return {
    async run(endpointId, { milliseconds, signal, progress }) {
      const burst = new Burst(deps, endpointId);
      const timer = setInterval(() => progress(burst.soFar()), PROGRESS_MS);
      try {
        return await burst.run(AbortSignal.any([signal, stopping.signal, AbortSignal.timeout(milliseconds)]));
      } finally {
        clearInterval(timer);
      }
    },
    stop: () => stopping.abort(new Error('the process stops')),
  };
}

class Burst {
  readonly #deps: BurstsDeps;
  readonly #endpointId: string;
  /** Of each batch that it begins one: an attempt that is cut off by others may begin again in the same turn. */
  readonly #tokens: string[] = [];
  /** Begun and not made yet, in order. */
  #begun: FoundDelivery[] = [];
  #beginning: Promise<void> | undefined;
  /** What was begun is not all known: the answer of a batch was lost. */
  #isUncertain = false;
  /** Nothing waited when the last batch was begun. */
  #isDry = false;
  #checkedAt = 0;
  /** Called, and not yet recorded. */
  readonly #underWay = new Map<FoundDelivery, Promise<void>>();
  #failure: unknown;
  readonly #made = { delivered: 0, failed: 0 };
  readonly #beganAt = performance.now();
  #waitedAtFirst = 0;

  constructor(deps: BurstsDeps, endpointId: string) {
    this.#deps = deps;
    this.#endpointId = endpointId;
  }

  soFar(): BurstProgress {
    const { delivered, failed } = this.#made;
    return { waitedAtFirst: this.#waitedAtFirst, delivered, failed, aSecond: Math.round((delivered + failed) / this.#seconds()) };
  }

  async run(signal: AbortSignal): Promise<BurstReport> {
    let state: BurstReport['state'];
    try {
      state = await this.#work(signal);
    } finally {
      await this.#beginning;
      await this.#withdraw();
      await Promise.all(this.#underWay.values());
    }
    if (this.#failure) throw this.#failure;
    return this.#report(state);
  }

  #seconds(): number {
    return Math.max(performance.now() - this.#beganAt, 1) / 1000;
  }

  async #work(signal: AbortSignal): Promise<BurstReport['state']> {
    const { em, attempts, slots } = this.#deps;
    const endpoint = await openBurst(em, this.#endpointId);
    if (!endpoint) return 'gone';
    const asking = { endpointId: this.#endpointId, projectId: endpoint.project_id, isBurst: true };
    const [waited, held] = await Promise.all([countInBurst(em, this.#endpointId), heldInBurst(em, this.#endpointId)]);
    this.#waitedAtFirst = waited;
    await Promise.all(
      held.map(({ id, token, begun_at, attempts: made }) =>
        attempts.cutOff({ id, endpointId: this.#endpointId, token, begunAt: begun_at, number: made + 1 }),
      ),
    );
    while (!signal.aborted && !this.#failure) {
      this.#beginSoon();
      if (this.#begun.length === 0) {
        const ended = await this.#waitForMore();
        if (ended) return ended;
      } else if (this.#underWay.size >= UNRECORDED) await Promise.race(this.#underWay.values());
      else {
        const release = slots.tryTake(asking) ?? (await slots.take(asking, signal));
        if (!release) await pause(CROWDED_MS, signal);
        else {
          const ended = await this.#endedByEndpoint().catch((error: unknown) => {
            release();
            throw error;
          });
          if (ended) {
            release();
            return ended;
          }
          this.#make(this.#begun.shift() as FoundDelivery, release);
        }
      }
    }
    return 'more';
  }

  /** Has the next batch begun while there are few left of the last. */
  #beginSoon(): void {
    if (this.#beginning || this.#isDry || this.#begun.length > FEW) return;
    const { em, now, newId } = this.#deps;
    const token = newId();
    this.#tokens.push(token);
    this.#beginning = beginInBurst(em, this.#endpointId, { token, limit: BATCH, now: now() })
      .then((batch) => {
        this.#begun.push(...batch);
        this.#isDry = batch.length === 0;
      })
      .catch((error: unknown) => {
        this.#isUncertain = true;
        this.#failure ??= error;
      })
      .finally(() => {
        this.#beginning = undefined;
      });
  }

  /** Nothing is left to be made: until there is more, or the end of the burst. */
  async #waitForMore(): Promise<Exclude<BurstReport['state'], 'more'> | undefined> {
    const { em } = this.#deps;
    if (this.#beginning) await this.#beginning;
    else if (this.#underWay.size > 0) {
      await Promise.race([Promise.all(this.#underWay.values()), sleep(DRY_MS)]);
      this.#isDry = false;
    } else if (await em.transactional((tx) => closeBurst(tx, this.#endpointId))) return 'empty';
    else {
      // Something waits, and nothing could begin, or somebody writes just now.
      this.#checkedAt = 0;
      const ended = await this.#endedByEndpoint();
      if (ended) return ended;
      await sleep(DRY_MS);
      this.#isDry = false;
    }
    return undefined;
  }

  async #endedByEndpoint(): Promise<'disabled' | 'gone' | undefined> {
    if (performance.now() - this.#checkedAt < CHECKED_MS) return undefined;
    const isEnabled = await isEndpointEnabled(this.#deps.em, this.#endpointId);
    this.#checkedAt = performance.now();
    return isEnabled ? undefined : isEnabled === undefined ? 'gone' : 'disabled';
  }

  #make(found: FoundDelivery, release: Release): void {
    const work = this.#deps.attempts
      .carryOut(found, release)
      .then((isTaken) => {
        this.#made[isTaken ? 'delivered' : 'failed']++;
      })
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#underWay.delete(found);
      });
    this.#underWay.set(found, work);
  }

  /** What has begun and was not made is the next turn's, and was no attempt. */
  async #withdraw(): Promise<void> {
    const left = this.#begun.splice(0);
    if (left.length > 0 || this.#isUncertain) await this.#deps.attempts.takeBackTurn(this.#tokens, [...this.#underWay.keys()]);
  }

  async #report(state: BurstReport['state']): Promise<BurstReport> {
    const { delivered, failed, aSecond } = this.soFar();
    const waiting = state === 'gone' || state === 'empty' ? 0 : await countInBurst(this.#deps.em, this.#endpointId);
    const speed = `${grouped(waiting)} wait; ${grouped(aSecond)} a second`;
    const last = `In the last ${Math.round(this.#seconds())} s: ${grouped(delivered)} delivered, ${grouped(failed)} failed`;
    const details = `${state === 'disabled' ? 'Held: the endpoint is disabled. ' : ''}${speed}. ${last}`;
    return { state, delivered, failed, summary: `first attempts: ${speed}`, details };
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
