import type { Condition } from '../condition/condition.ts';

/** An event of this type whose payload, with the contact as it then is, satisfies `match`. */
export interface EventPattern {
  readonly type: string;
  readonly match?: Condition;
}

/** A local time to wait for; without any part, midnight. Weekday 1 is Monday. */
export interface TimeOfWait {
  /** HH:mm, 00:00 when omitted. */
  readonly at?: string;
  readonly weekdays?: readonly number[];
  /** YYYY-MM-DD; one in the past passes at once. */
  readonly date?: string;
  /** IANA name, or the contact's own. */
  readonly timezone?: string;
  /** Where the contact has no usable one; UTC without. */
  readonly fallback?: string;
}

/** Texts are Liquid. */
export interface ContactUpdate {
  readonly set?: {
    readonly firstName?: string | null;
    readonly lastName?: string | null;
    readonly displayName?: string | null;
    readonly timezone?: string | null;
    readonly locale?: string | null;
    readonly attributes?: Readonly<Record<string, unknown>>;
  };
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  readonly status?: 'unsubscribed';
}
