import { condition, setHandler } from '@temporalio/workflow';
import { changed, retryNow } from '../signals.ts';

/** What signals have told a campaign. */
export class Changes {
  #count = 0;
  #isRetryAsked = false;

  constructor() {
    const change = (): void => {
      this.#count++;
    };
    setHandler(changed, change, {
      description: 'Sent by Everpost: the campaign was paused, resumed or cancelled, or what holds it has changed',
    });
    setHandler(
      retryNow,
      () => {
        change();
        this.#isRetryAsked = true;
      },
      { description: 'The pause of an outage ends: the provider is asked again at once' },
    );
  }

  /** How many signals have come; `retryNow` is one of them. */
  get count(): number {
    return this.#count;
  }

  /** Whether an operator has asked for a retry since this was last called. */
  takeRetry(): boolean {
    const isAsked = this.#isRetryAsked;
    this.#isRetryAsked = false;
    return isAsked;
  }

  /** Waits so long for a change beyond those that were seen. Whether one came. */
  beyond(seen: number, milliseconds: number, summary: string): Promise<boolean> {
    return condition(() => this.#count > seen, milliseconds, { summary });
  }
}
