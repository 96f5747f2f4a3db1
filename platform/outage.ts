/** What is over, for the line that says so. */
export interface OutageSoFar {
  /** Since the first refusal. */
  readonly seconds: number;
  readonly refused: number;
}

/**
 * Something that may be away: from the first refusal on they are counted, whoever begins the outage has its first line to write, and whoever
 * ends it the last one, however many refusals there are. When it begins and when it is over is for the caller to say, as are the clock
 * (milliseconds of one and the same) and the lines.
 */
export class Outage {
  #since: number | undefined;
  #refused = 0;
  #isTold = false;

  /** Whether it has begun. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** How many since it was last there. */
  get refusals(): number {
    return this.#refused;
  }

  refused(at: number): void {
    this.#since ??= at;
    this.#refused++;
  }

  /** Whether it has been refusing for so long, and taken nothing between. */
  hasLasted(milliseconds: number, at: number): boolean {
    return this.#since !== undefined && at - this.#since >= milliseconds;
  }

  /** True for the first call since it was last there: the line is due. */
  begin(): boolean {
    const isFirst = !this.#isTold;
    this.#isTold = true;
    return isFirst;
  }

  soFar(at: number): OutageSoFar {
    return { seconds: Math.round((at - (this.#since ?? at)) / 1000), refused: this.#refused };
  }

  /** It is there. Says what it was if it had begun: the line is due. */
  end(at: number): OutageSoFar | undefined {
    const told = this.#isTold ? this.soFar(at) : undefined;
    this.#since = undefined;
    this.#refused = 0;
    this.#isTold = false;
    return told;
  }
}
