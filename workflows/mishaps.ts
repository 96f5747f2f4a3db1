import { shownWords } from '../domain/shown-text.ts';

/** Those that are shown: the latest. */
const MOST = 5;

/** Mails and calls of a run that came to nothing, for operators: a green tick in the history says only that Everpost did its part. */
export class Mishaps {
  #all: readonly string[];
  /** Not told by any summary yet. */
  #latest = '';

  constructor(earlier: readonly string[] = []) {
    this.#all = earlier;
  }

  get all(): readonly string[] {
    return this.#all;
  }

  /** How a step ended; only one that did nothing is a mishap. */
  note(nodeId: string, { outcome, detail = '' }: { readonly outcome?: string; readonly detail?: string }): void {
    if (outcome !== 'failed' && outcome !== 'skipped') return;
    this.#latest = `${nodeId} ${outcome}: ${shownWords(detail)}`;
    this.#all = [...this.#all, this.#latest].slice(-MOST);
  }

  /** The summary of what comes next, which tells of the mishap before it. */
  before(summary: string): string {
    const told = this.#latest === '' ? summary : `${summary} (before that, ${this.#latest})`;
    this.#latest = '';
    return told;
  }

  /** In Markdown. */
  below(details: string): string {
    return this.#all.length === 0 ? details : [details, '', 'On the way:', '', ...this.#all.map((mishap) => `- ${mishap}`)].join('\n');
  }
}
