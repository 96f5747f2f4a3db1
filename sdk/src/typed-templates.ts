import type { Result } from './client.js';
import type { AnswerOf, BodyOf } from './generated/operations.js';
import type { KeyedCallOptions } from './options.js';

type Mail = Extract<BodyOf<'send'>, { readonly template: string }>;
/** Of each of several forms: `Omit` alone would leave what they have in common. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** Data may be left out where none is required. */
type WithData<Data> = object extends Data ? { readonly data?: Data } : { readonly data: Data };

/** What all of a union demand at once. */
type All<T> = (T extends unknown ? (each: T) => void : never) extends (all: infer A) => void ? A : never;
type Of<K, Data> = Without<Mail, 'template' | 'data' | 'html' | 'text' | 'content'> & { readonly template: K } & Data;
type Each<Templates, K extends keyof Templates> = K extends unknown ? Of<K, WithData<Templates[K]>> : never;

/**
 * An email by one of the project's templates, with the data that this template wants. Where several are named it has the data of all of them,
 * or is known to be of one of them, with the data of that one.
 */
export type TypedMail<Templates, K extends keyof Templates> = Each<Templates, K> | Of<K, All<{ [P in K]: WithData<Templates[P]> }[K]>>;

/** Emails by the project's templates, each with the data of its own. */
export type TypedBatch<Templates, K extends keyof Templates> = Omit<BodyOf<'sendBatch'>, 'mails'> & {
  readonly mails: readonly TypedMail<Templates, K>[];
};

/** Sends by templates whose data is known by type. */
export interface TypedTemplates<Templates> {
  /** Like `everpost.send`, with the data of the template that is named. */
  send<K extends keyof Templates & string>(mail: TypedMail<Templates, K>, options?: KeyedCallOptions): Promise<AnswerOf<'send'>>;
  /** Like `everpost.sendBatch`, with the data of the template that each email names. */
  sendBatch<K extends keyof Templates & string>(body: TypedBatch<Templates, K>, options?: KeyedCallOptions): Promise<AnswerOf<'sendBatch'>>;
  /** The same, which give errors back in place of throwing them. */
  readonly safe: {
    send<K extends keyof Templates & string>(mail: TypedMail<Templates, K>, options?: KeyedCallOptions): Promise<Result<AnswerOf<'send'>>>;
    sendBatch<K extends keyof Templates & string>(
      body: TypedBatch<Templates, K>,
      options?: KeyedCallOptions,
    ): Promise<Result<AnswerOf<'sendBatch'>>>;
  };
}
