import type { EntityManager } from '../db/orm.ts';
import { endPage, type HeldPage, type PageClosing, writeOutcomes } from '../db/queries/campaign-pages.ts';
import type { SendIntent } from '../db/queries/send-intents.ts';
import type { SendClosing } from '../db/queries/send-outcomes.ts';
import type { Outcomes, UntilWritten } from './outcomes.ts';

/** Outcomes wait this long for others of their page: so much is in doubt at most after a crash. */
const FLUSH_MS = 100;

export interface PageOutcomesDeps {
  readonly em: EntityManager;
  readonly untilWritten: UntilWritten;
  readonly now: () => Date;
}

/** When those that the provider wants later may be tried again. */
export interface LaterRule {
  readonly at: Date;
  readonly wasAway: boolean;
  readonly givenUp: boolean;
}

/** The outcomes of one open page: written some at a time, the last of them as the page is ended. */
export class PageOutcomes implements Outcomes {
  readonly #deps: PageOutcomesDeps;
  readonly #page: HeldPage;
  readonly #intents = new Map<string, SendIntent>();
  readonly #later: string[] = [];
  #waiting: { readonly closing: PageClosing; readonly hasWebhooks: boolean }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: PageOutcomesDeps, page: HeldPage) {
    this.#deps = deps;
    this.#page = page;
  }

  get isOpen(): boolean {
    return this.#intents.size > 0;
  }

  /** The page is open with these mails. */
  opened(intents: readonly SendIntent[]): void {
    for (const intent of intents) this.#intents.set(intent.id, intent);
  }

  /** Resolves at once: the mail's row is written a moment later, and surely before `end` resolves. */
  async record({ id, outcome, hasWebhooks }: SendClosing): Promise<void> {
    this.#waiting.push({ closing: { intent: this.#intents.get(id) as SendIntent, outcome }, hasWebhooks });
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Of a page whose opening failed there is nothing to withdraw: it is given back as a whole. */
  async withdraw(sendId: string): Promise<void> {
    const intent = this.#intents.get(sendId);
    if (intent) this.#later.push(intent.contactId as string);
  }

  /** All mails of the page have ended. Resolves when every outcome stands and the page is gone, or waits for its later mails. */
  async end({ at, wasAway, givenUp }: LaterRule): Promise<void> {
    const { em, untilWritten, now } = this.#deps;
    this.#flush();
    await this.#writing;
    await untilWritten(() => endPage(em, this.#page, { later: this.#later, laterAt: at, wasAway, givenUp, now: now() }));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const page = this.#waiting;
    this.#waiting = [];
    if (page.length === 0) return;
    const hasWebhooks = page.some((one) => one.hasWebhooks && one.closing.outcome.status === 'sent');
    const closings = page.map(({ closing }) => closing);
    this.#writing = this.#writing.then(() => this.#write(closings, hasWebhooks));
  }

  async #write(closings: readonly PageClosing[], hasWebhooks: boolean): Promise<void> {
    const { em, untilWritten } = this.#deps;
    const write = (some: readonly PageClosing[]): Promise<void> =>
      untilWritten(() => writeOutcomes(em, some, hasWebhooks), some.length > 1);
    try {
      await write(closings);
    } catch {
      // One of them spoils the page: alone each is tried until it stands.
      for (const closing of closings) await write([closing]);
    }
  }
}
