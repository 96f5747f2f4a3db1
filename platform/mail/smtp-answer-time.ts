/** One slow answer counts for so long: a server that was slow once is tried again. */
const REMEMBERED_MS = 60_000;

/** How long a server takes to answer the content of a mail, over all connections to it. Milliseconds. */
export class AnswerTime {
  readonly #now: () => number;
  #slowestMs = 0;
  #notedAt = Number.NEGATIVE_INFINITY;

  /** now: a clock that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(tookMs: number): void {
    const now = this.#now();
    if (tookMs < this.#slowestMs && now - this.#notedAt < REMEMBERED_MS) return;
    this.#slowestMs = tookMs;
    this.#notedAt = now;
  }

  /** The slowest answer of the last minute; undefined when none is known. */
  get expectedMs(): number | undefined {
    return this.#now() - this.#notedAt < REMEMBERED_MS ? this.#slowestMs : undefined;
  }
}
