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

/** What became of a mail. `idField`: where the answer that accepts it has its id; `refused` reads every other one. */
export function answerOf(exchange: HttpExchange, idField: string, refused: (refusal: HttpRefusal) => ProviderAnswer): ProviderAnswer {
  if (exchange.end === 'stopped') return STOPPED_ANSWER;
  if (exchange.end === 'unread') return unreadAnswer(exchange);
  if (exchange.end === 'broken') return { outcome: exchange.mayHaveArrived ? 'unknown' : 'later', message: exchange.message };
  const { status, headers } = exchange;
  const body = readObject(exchange.body);
  if (status < 200 || status >= 300) return refused({ status, headers, body });
  if (!body) return { outcome: 'unknown', message: 'the answer of the mail provider could not be read' };
  const id = body[idField];
  return { outcome: 'accepted', providerId: typeof id === 'string' ? id : undefined };
}

/** The name of an error with what the API says of it, if anything. */
export function errorMessage(error: string, detail: unknown): string {
  return typeof detail === 'string' ? `${error}: ${detail.slice(0, MAX_MESSAGE)}` : error;
}

/** Tried again, not before the time that the API asks for. */
export function later(message: string, headers: IncomingHttpHeaders): ProviderAnswer {
  const seconds = retryAfterSeconds(headers, Date.now());
  return { outcome: 'later', message, ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }) };
}
