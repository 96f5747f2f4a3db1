import * as z from 'zod';
import { isStorableTime, TIME_RANGE } from '../instant.ts';
import { issuesOf } from '../issues.ts';
import { storable } from '../storable-text.ts';
import { NotAnEvent } from './event.ts';

/** An instant in whatever ISO 8601 form a provider writes it. */
export const Instant = z
  .codec(
    z.string().refine((text) => !Number.isNaN(Date.parse(text)), { error: 'not a timestamp', abort: true }),
    z.date(),
    { decode: (text) => new Date(text), encode: (date) => date.toISOString() },
  )
  .refine(isStorableTime, { error: `not ${TIME_RANGE}` });

/** The JSON value of a body, its texts such that PostgreSQL can hold them. Throws NotAnEvent. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body, (_key, value) => (typeof value === 'string' ? storable(value) : value));
  } catch {
    throw new NotAnEvent([{ path: '', message: 'the body is not valid JSON' }]);
  }
}

/** The value in the shape of an event. Throws NotAnEvent with all that is wrong. */
export function parseEvent<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new NotAnEvent(issuesOf(parsed.error));
}

/** Whom an event is about, where it says so. */
export function about(email: string | null | undefined): { readonly email?: string } {
  return email ? { email } : {};
}

/** A Message-ID as the send log has it: without angle brackets. */
export function plainMessageId(text: string): string {
  return text.replace(/^<(.*)>$/, '$1');
}
