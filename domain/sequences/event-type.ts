import * as z from 'zod';

export const MAX_EVENT_TYPE_LENGTH = 1000;
export const EVENT_TYPE_RULE = `1 to ${MAX_EVENT_TYPE_LENGTH} characters`;

/** What a product event says that happened: any text that is not empty, matched exactly. */
export const EventTypeText = z.string().min(1, { error: EVENT_TYPE_RULE }).max(MAX_EVENT_TYPE_LENGTH, { error: EVENT_TYPE_RULE });

/** Under which an event of a test key is kept: nothing but runs of test keys takes it for one of its type. */
export function sandboxedType(type: string): string {
  return `ep_test ${type}`;
}
