import type { ErrorBodies, OperationName } from './generated/operations.js';

/** What can go wrong before there is an answer of Everpost's. */
export interface ClientErrors {
  /** No connection, or one that broke: whether the call was carried out is not known. */
  connection_failed: unknown;
  /** No answer within `timeoutMs`. */
  timed_out: unknown;
  /** The caller's signal has ended it. */
  aborted: unknown;
  /** An answer that is not Everpost's, as of a proxy before it. */
  unexpected_answer: unknown;
}

/** Every code that an error can have. */
export type ErrorCode = keyof ErrorBodies | keyof ClientErrors;

/** What each error has, whatever its code. */
export interface ErrorFacts extends Error {
  readonly name: 'EverpostError';
  /** Which operation was called, like `contacts.list`. */
  readonly operation: OperationName;
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined;
  /** What to look for in the log of the server; undefined where there was no answer. */
  readonly requestId: string | undefined;
  /** After so many seconds another try makes sense, as the server says. */
  readonly retryAfterSeconds: number | undefined;
  /** All that it tells, its message too, which JSON would leave out of an error. */
  toJSON(): object;
}

type Fields<Body> = Body extends unknown ? Omit<Body, 'ok' | 'error' | 'code'> : never;

/** An error by its code: after `if (error.code === 'send_failed')` it has the fields of that code, like `error.reason`. */
export type EverpostError =
  | { readonly [C in keyof ErrorBodies]: ErrorFacts & Fields<ErrorBodies[C]> & { readonly code: C } }[keyof ErrorBodies]
  | { readonly [C in keyof ClientErrors]: ErrorFacts & { readonly code: C } }[keyof ClientErrors];

/** The error of one code. */
export type EverpostErrorOf<C extends ErrorCode> = Extract<EverpostError, { readonly code: C }>;

/** Marks errors, also of another copy of this package. */
const MARK = Symbol.for('everpost.error');

/** Whether something that was thrown is an error of a call, and of this code where one is given. */
export function isEverpostError(error: unknown): error is EverpostError;
export function isEverpostError<C extends ErrorCode>(error: unknown, code: C): error is EverpostErrorOf<C>;
export function isEverpostError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof Error && MARK in error && (code === undefined || (error as { code?: unknown }).code === code);
}

interface Told {
  readonly operation: OperationName;
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
  /** The fields of its code. */
  readonly fields?: object;
}

/** Makes the error of a call. */
export function callError({ message, cause, fields, operation, code, status, requestId, retryAfterSeconds }: Told): EverpostError {
  const facts = { operation, code, status, requestId, retryAfterSeconds };
  const error = new Error(message, cause === undefined ? {} : { cause });
  Object.defineProperty(error, MARK, { value: true });
  Object.defineProperty(error, 'toJSON', { value: () => Object.assign({ name: error.name, message: error.message }, error) });
  return Object.assign(error, fields, facts, { name: 'EverpostError' }) as unknown as EverpostError;
}
