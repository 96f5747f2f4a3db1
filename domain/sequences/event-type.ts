import * as z from 'zod';

export const MAX_EVENT_TYPE_LENGTH = 1000;
export const EVENT_TYPE_RULE = `1 to ${MAX_EVENT_TYPE_LENGTH} characters`;

const OF_TEST_KEYS = 'ep_test ';
const NOT_OF_TEST_KEYS = `a type that begins with "${OF_TEST_KEYS}" is how events of test keys are kept; name it otherwise`;

/** What a product event says that happened: any text that is not empty, matched exactly. */
export const EventTypeText = z
  .string({ error: EVENT_TYPE_RULE })
  .min(1, { error: EVENT_TYPE_RULE })
  .max(MAX_EVENT_TYPE_LENGTH, { error: EVENT_TYPE_RULE })
  .refine((type) => !type.startsWith(OF_TEST_KEYS), { error: NOT_OF_TEST_KEYS });

/** Under which an event of a test key is kept: nothing but runs of test keys takes it for one of its type. */
export function sandboxedType(type: string): string {
  return `${OF_TEST_KEYS}${type}`;
}
