import { NAME_COLUMNS, TRAIT_COLUMNS } from '../contacts/fields.ts';
import { SLUG_PATTERN } from '../projects/brand.ts';
import type { FieldOp } from './ops.ts';

/** Contact fields that a condition may ask for; `brand` is the slug of the contact's brand. */
export const CONTACT_FIELDS = ['status', 'email', 'source', 'brand', ...NAME_COLUMNS, 'tags', ...TRAIT_COLUMNS, 'created_at'] as const;

/** A topic: whether mails of it go to the contact, by choice or by default. Missing where the project has no such topic. */
export const TOPIC_FIELD = new RegExp(`^contact\\.topics\\.(${SLUG_PATTERN})$`);

/** The topic that a text of a condition asks for, by its place there. */
export function topicAt(text: string, path: readonly PropertyKey[]): string | undefined {
  return path.at(-1) === 'field' ? TOPIC_FIELD.exec(text)?.[1] : undefined;
}

export const EMAIL_EVENTS = ['sent', 'delivered', 'opened', 'clicked', 'bounced'] as const;
export type EmailEvent = (typeof EMAIL_EVENTS)[number];

export type Scalar = string | number | boolean;

/** Compares one field. `value` is a list for in and not_in, and absent for exists and not_exists. */
export interface FieldTest {
  /** `contact.<field>`, `contact.topics.<key>`, `attributes.<path>` or `event.<path>`. */
  readonly field: string;
  readonly op: FieldOp;
  readonly value?: Scalar | readonly Scalar[] | null | undefined;
}

/** The event happened to the contact, at least `atLeast` times (default 1), at any time unless `withinHours` is given. */
export interface EventTest {
  readonly type: string;
  readonly withinHours?: number | null | undefined;
  readonly atLeast?: number | null | undefined;
}

/** This happened to some mail to the contact, of any template unless one is given. */
export interface EmailTest {
  readonly template?: string | null | undefined;
  readonly event: EmailEvent;
  readonly withinHours?: number | null | undefined;
}

/** A question about one contact that is true or false: docs/contract/conditions.md 1 to 5. */
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | FieldTest
  | { readonly segment: string }
  | { readonly event: EventTest }
  | { readonly email: EmailTest };

/** A leaf is one level, and each group around it one more. */
export const MAX_CONDITION_LEVELS = 5;
export const MAX_CONDITION_LEAVES = 50;
/** Values in the list of `in` and `not_in`. */
export const MAX_CONDITION_VALUES = 1000;
