/**
 * Calls `over` when an answer has been waited for so long, but not before what has come meanwhile was read: a process that stood still finds
 * its timers over before it has read its sockets, where the answer may be.
 */
export class AnswerLimit {
  readonly #timer: NodeJS.Timeout;
  #reading: NodeJS.Immediate | undefined;

  constructor(ms: number, over: () => void) {
    // The event loop goes from its timers over its sockets to its immediates.
    this.#timer = setTimeout(() => {
      this.#reading = setImmediate(over);
    }, ms);
  }

  /** The answer is there, or not waited for any more. */
  clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#reading);
  }
}
