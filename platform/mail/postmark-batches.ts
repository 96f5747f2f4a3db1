import type { Submission } from './api-provider.ts';
import { isSuccess, refusalOf, UNREADABLE, unansweredOf } from './http-answer.ts';
import { asObject, type HttpExchange, type HttpPoster, type HttpRequest, readArray } from './http-exchange.ts';
import { answerAbout, refused } from './postmark-answer.ts';
import type { ProviderAnswer } from './provider.ts';
import { NOT_NOTED, STOPPED_ANSWER, TOO_SLOW } from './stopped.ts';

/** postmarkapp.com/developer/api/email-api, Send batch emails. */
const MOST_MAILS = 500;
/** Postmark takes 50 MB. A call has the time of one mail, half of it at least, and one that is not written by then leaves all of its mails open. */
const MOST_OCTETS = 10_000_000;
/** So long a mail waits for others: next to nothing beside the call itself. */
const GATHER_MS = 5;

const [OPEN, COMMA, CLOSE] = ['[', ',', ']'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

export interface PostmarkBatchesOptions {
  readonly target: URL;
  readonly headers: HttpRequest['headers'];
  /** What every mail begins with. */
  readonly start: Buffer;
  readonly poster: HttpPoster;
  /** Calls at the same time; mails that come meanwhile wait for the next one. */
  readonly atOnce: number;
  /** For one mail, from its submission to its answer. */
  readonly timeoutMs: number;
  /** Submits one mail by itself. */
  alone(submission: Submission): Promise<ProviderAnswer>;
}

interface Waiting extends Submission {
  answer(answer: ProviderAnswer): void;
}

/**
 * Gathers mails that are submitted at about the same time, and submits them by one call; each gets the answer of its place in the answer. A call whose
 * answer is lost leaves all of its mails open.
 */
export class PostmarkBatches {
  readonly #options: PostmarkBatchesOptions;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PostmarkBatchesOptions) {
    this.#options = options;
  }

  submit(submission: Submission): Promise<ProviderAnswer> {
    return new Promise((answer) => {
      this.#waiting.push({ ...submission, answer });
      this.#gather();
    });
  }

  #gather(): void {
    if (this.#timer || this.#waiting.length === 0 || this.#underWay >= this.#options.atOnce) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const batch = this.#next();
      this.#underWay++;
      void this.#submit(batch).finally(() => {
        this.#underWay--;
        this.#gather();
      });
      this.#gather();
    }, GATHER_MS);
  }

  /** Those that go next, in the order in which they came. */
  #next(): Waiting[] {
    const { start, timeoutMs } = this.#options;
    const batch: Waiting[] = [];
    let octets = 0;
    let taken = 0;
    for (const one of this.#waiting) {
      // All of a call wait as long for its answer as the one that has the least time left.
      const isLate = one.deadline - Date.now() < timeoutMs / 2;
      octets += isLate ? 0 : start.length + one.mail.content.length + COMMA.length;
      if (batch.length === MOST_MAILS || (batch.length > 0 && octets > MOST_OCTETS - CLOSE.length)) break;
      taken++;
      if (isLate) one.answer({ outcome: 'later', message: TOO_SLOW });
      else batch.push(one);
    }
    this.#waiting = this.#waiting.slice(taken);
    return batch;
  }

  async #submit(batch: readonly Waiting[]): Promise<void> {
    if (batch.length === 0) return;
    const { target, headers, poster } = this.#options;
    // Whoever is left out on the way has its answer, and no part in what becomes of the call.
    let going = batch;
    const take = (): Uint8Array | undefined => {
      going = batch.filter(isStillWanted);
      return going.length === 0 ? undefined : this.#bodyOf(going);
    };
    const deadline = Math.min(...batch.map((one) => one.deadline));
    const exchange = await poster.post({ url: target, headers, body: { take }, deadline });
    await this.#tell(going, exchange);
  }

  /** Answers all of a call. */
  async #tell(going: readonly Waiting[], exchange: HttpExchange): Promise<void> {
    if (exchange.end !== 'answered') return tellAll(going, unansweredOf(exchange));
    if (isSuccess(exchange)) {
      const results = readArray(exchange.body);
      // In the order of the mails, which nothing else tells apart.
      if (results?.length !== going.length) return tellAll(going, UNREADABLE);
      for (const [index, one] of going.entries()) one.answer(answerAbout(asObject(results[index]), one.mail));
      return;
    }
    const answer = refused(refusalOf(exchange));
    if (answer.outcome !== 'rejected' || going.length === 1) return tellAll(going, answer);
    // None was taken, and nobody knows whose fault it is.
    await Promise.all(going.map(async (one) => one.answer(await this.#options.alone(one))));
  }

  #bodyOf(mails: readonly Waiting[]): Buffer {
    const { start } = this.#options;
    return Buffer.concat([...mails.flatMap(({ mail }, index) => [index === 0 ? OPEN : COMMA, start, mail.content]), CLOSE]);
  }
}

function isStillWanted({ isStopped, submitting, answer }: Waiting): boolean {
  if (isStopped?.()) answer(STOPPED_ANSWER);
  else if (submitting && !submitting()) answer({ outcome: 'later', message: NOT_NOTED });
  else return true;
  return false;
}

function tellAll(mails: readonly Waiting[], answer: ProviderAnswer): void {
  for (const mail of mails) mail.answer(answer);
}
