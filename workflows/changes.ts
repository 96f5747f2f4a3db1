import { condition, setHandler } from '@temporalio/workflow';
import { changed, retryNow } from './signals.ts';

/** What signals have told a workflow. Made once, before its first wait. */
export class Changes {
  #count = 0;
  #retriesAsked = 0;
  #retriesTaken = 0;

  /** `described`: what each signal is for, in Temporal Web. */
  constructor(described: { readonly changed: string; readonly retryNow: string }) {
    setHandler(
      changed,
      () => {
        this.#count++;
      },
      { description: described.changed },
    );
    setHandler(
      retryNow,
      () => {
        this.#count++;
        this.#retriesAsked++;
      },
      { description: described.retryNow },
    );
  }

  /** How many signals have come; `retryNow` is one of them. */
  get count(): number {
    return this.#count;
  }

  /** How often an operator has asked for a retry. */
  get retriesAsked(): number {
    return this.#retriesAsked;
  }

  /** Whether an operator has asked for a retry since this was last taken. */
  get isRetryAsked(): boolean {
    return this.#retriesAsked > this.#retriesTaken;
  }

  /** The same, once. */
  takeRetry(): boolean {
    const isAsked = this.isRetryAsked;
    this.#retriesTaken = this.#retriesAsked;
    return isAsked;
  }

  /** Waits so long for a change beyond those that were seen. Whether one came. */
  beyond(seen: number, milliseconds: number, summary: string): Promise<boolean> {
    return condition(() => this.#count > seen, milliseconds, { summary });
  }
}
