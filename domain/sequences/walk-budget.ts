import { createContext, LiquidFault, parseLiquid, writeLiquid } from '../templates/liquid.ts';
import { type RenderLimits, TextEmitter } from '../templates/mail-context.ts';
import { type Stopwatch, startStopwatch } from '../templates/running-time.ts';

/**
 * Of one walk from wait to wait, for everything in it that a tenant wrote: an ordinary walk takes a thousandth of it. It runs within a
 * transaction that holds rows locked, and beside other work of its process: docs/contract/limits.md 8.
 */
export const WALK_LIMITS: RenderLimits = { milliseconds: 50, characters: 200_000, memory: 200_000 };

/** A simulation takes all waits at once, and runs in a thread: a loop of updates comes to the hop guard within it. */
export const SIMULATION_LIMITS: RenderLimits = { ...WALK_LIMITS, milliseconds: 250 };

/** Its message goes into the trace. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** One budget of running time and size that all the Liquid, updates and conditions of a walk draw on. Beyond it its methods throw OverBudget. */
export class WalkBudget {
  readonly #limits: RenderLimits;
  #milliseconds: number;
  #characters: number;
  #memory: number;
  /** While something is being charged. */
  #running: Stopwatch | undefined;
  readonly #parsed = new Map<string, ReturnType<typeof parseLiquid>>();

  constructor(limits: RenderLimits) {
    this.#limits = limits;
    ({ milliseconds: this.#milliseconds, characters: this.#characters, memory: this.#memory } = limits);
  }

  /** Charges the running time of `work`, which calls `check` now and then. */
  charge<T>(work: () => T): T {
    if (this.#running) return work();
    if (this.#milliseconds <= 0) throw this.#over('milliseconds');
    this.#running = startStopwatch(this.#limits.milliseconds - this.#milliseconds);
    try {
      return work();
    } finally {
      this.#milliseconds = this.#left();
      this.#running = undefined;
    }
  }

  /** Throws when the time is over. */
  check(): void {
    if (this.#left() <= 0) throw this.#over('milliseconds');
  }

  /** Runs Liquid within what is left. Throws LiquidFault for what is wrong with the text itself. */
  render(source: string, variables: object): string {
    return this.charge(() => {
      this.check();
      const templates = this.#parse(source);
      const left = { milliseconds: this.#left(), characters: this.#characters, memory: this.#memory };
      const context = createContext(variables, 'text', undefined, left);
      const emitter = new TextEmitter(context);
      try {
        writeLiquid(templates, context, emitter);
      } catch (error) {
        throw context.exhausted && error instanceof LiquidFault ? this.#over(context.exhausted) : error;
      } finally {
        this.#characters -= context.used.characters;
        this.#memory -= context.used.memory;
      }
      return emitter.buffer;
    });
  }

  /** A loop comes to the same text again and again. */
  #parse(source: string): ReturnType<typeof parseLiquid> {
    const known = this.#parsed.get(source);
    if (known) return known;
    this.#characters -= source.length;
    if (this.#characters < 0) throw this.#over('characters');
    const templates = parseLiquid(source);
    this.#parsed.set(source, templates);
    return templates;
  }

  #left(): number {
    return this.#milliseconds - (this.#running?.() ?? 0);
  }

  #over(limit: keyof RenderLimits): OverBudget {
    const { milliseconds, characters } = this.#limits;
    const amount = { milliseconds: `${milliseconds} ms`, characters: `${characters} characters`, memory: 'working memory' }[limit];
    return new OverBudget(`over the budget of ${amount} for all Liquid, updates and conditions together`);
  }
}
