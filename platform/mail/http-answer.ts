import type { IncomingHttpHeaders } from 'node:http';
import { retryAfterSeconds } from '../http/retry-after.ts';
import { type HttpExchange, readObject } from './http-exchange.ts';
import { type ProviderAnswer, unreadAnswer } from './provider.ts';
import { STOPPED_ANSWER } from './stopped.ts';

/** An answer of a mail API that does not accept the mail. */
export interface HttpRefusal {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** undefined when it is no object of JSON. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

const MAX_MESSAGE = 300;

/** An exchange whose answer was read. */
export type HttpAnswered = Extract<HttpExchange, { end: 'answered' }>;

/** How an API's answers are understood. */
export interface HttpReading {
  /** Of one with a status of success. */
  taken(answer: HttpAnswered): ProviderAnswer;
  /** Of every other one. */
  refused(refusal: HttpRefusal): ProviderAnswer;
}

/** A status of success with a body that says nothing: the mail may have been taken. */
export const UNREADABLE: ProviderAnswer = { outcome: 'unknown', message: 'the answer of the mail provider could not be read' };

/** What became of a mail. */
export function answerOf(exchange: HttpExchange, { taken, refused }: HttpReading): ProviderAnswer {
  if (exchange.end !== 'answered') return unansweredOf(exchange);
  return isSuccess(exchange) ? taken(exchange) : refused(refusalOf(exchange));
}

/** The same without an answer. */
export function unansweredOf(exchange: Exclude<HttpExchange, HttpAnswered>): ProviderAnswer {
  if (exchange.end === 'stopped') return STOPPED_ANSWER;
  if (exchange.end === 'unread') return unreadAnswer(exchange);
  return { outcome: exchange.mayHaveArrived ? 'unknown' : 'later', message: exchange.message };
}

/** Whether the status of an answer says that its request was carried out. */
export function isSuccess({ status }: Pick<HttpAnswered, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** An answer of any other status. */
export function refusalOf({ status, headers, body }: HttpAnswered): HttpRefusal {
  return { status, headers, body: readObject(body) };
}

/** Reads the answer that accepts a mail, which has its id in this field. */
export function acceptedWith(idField: string): HttpReading['taken'] {
  return ({ body }) => {
    const value = readObject(body);
    if (!value) return UNREADABLE;
    const id = value[idField];
    return { outcome: 'accepted', providerId: typeof id === 'string' ? id : undefined };
  };
}

/**
 * Whether an answer leaves open what the API did: a fault in the middle of its work, or one of what stands between. Only 503 says that nothing was begun.
 * It is for the APIs that say of no other fault that the mail was not taken.
 */
export function leavesOpen(status: number): boolean {
  return status >= 500 && status !== 503;
}

/** The name of an error with what the API says of it, if anything. */
export function errorMessage(error: string, detail: unknown): string {
  return typeof detail === 'string' ? `${error}: ${detail.slice(0, MAX_MESSAGE)}` : error;
}

/** Tried again, not before the time that the API asks for; `otherwise`: where Retry-After does not say. */
export function later(message: string, headers: IncomingHttpHeaders, otherwise?: number): ProviderAnswer {
  const seconds = retryAfterSeconds(headers, Date.now()) ?? otherwise;
  return { outcome: 'later', message, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) };
}
