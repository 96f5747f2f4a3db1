import { shownWords } from '../domain/shown-text.ts';

/** Those that are shown: the latest. */
const MOST = 5;

/** Mails and calls of a run that came to nothing, for operators: a green tick in the history says only that Everpost did its part. */
export class FailedSteps {
  #all: readonly string[];
  /** Told by the summaries of the step after it. */
  #latest = '';
  #toldAt: number | undefined;

  constructor(earlier: readonly string[] = []) {
    this.#all = earlier;
  }

  get all(): readonly string[] {
    return this.#all;
  }

  /** How a step ended; only one that did nothing counts. */
  note(nodeId: string, { outcome, detail = '' }: { readonly outcome?: string; readonly detail?: string }): void {
    if (outcome !== 'failed' && outcome !== 'skipped') return;
    this.#latest = `${nodeId} ${outcome}: ${shownWords(detail)}`;
    this.#toldAt = undefined;
    this.#all = [...this.#all, this.#latest].slice(-MOST);
  }

  /** The summary of a step, which tells of the failed one before it: each time, also where its timer is made anew. */
  before(step: number, summary: string): string {
    if (this.#latest === '') return summary;
    this.#toldAt ??= step;
    return this.#toldAt === step ? `${summary} (before that, ${this.#latest})` : summary;
  }

  /** In Markdown. */
  below(details: string): string {
    return this.#all.length === 0 ? details : [details, '', 'On the way:', '', ...this.#all.map((step) => `- ${step}`)].join('\n');
  }
}
