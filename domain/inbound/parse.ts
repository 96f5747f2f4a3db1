import * as z from 'zod';
import { NotAnEvent } from './event.ts';

/** An instant in whatever ISO 8601 form a provider writes it. */
export const Instant = z.codec(
  z.string().refine((text) => !Number.isNaN(Date.parse(text)), { error: 'not a timestamp' }),
  z.date(),
  { decode: (text) => new Date(text), encode: (date) => date.toISOString() },
);

/** The JSON value of a body, its texts such that PostgreSQL can hold them. Throws NotAnEvent. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body, (_key, value) => (typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value));
  } catch {
    throw new NotAnEvent('the body is not valid JSON');
  }
}

/** The value in the shape of an event. Throws NotAnEvent with what is missing first. */
export function parseEvent<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new NotAnEvent([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '));
}

/** A Message-ID as the send log has it: without angle brackets. */
export function plainMessageId(text: string): string {
  return text.replace(/^<(.*)>$/, '$1');
}
