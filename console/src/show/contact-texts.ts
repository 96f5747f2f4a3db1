import type { Schemas } from '../api/client.ts';

type Contact = Schemas['Contact'];

/** A text of a person by its name in what is written: in a contact, and in a step that sets it. */
export type ContactTextName = Exclude<keyof NonNullable<Schemas['UpdateContactConfig']['set']>, 'attributes'>;
export type ContactTextColumn = { [C in keyof Contact]: Contact[C] extends string | null ? C : never }[keyof Contact];

export interface ContactText {
  /** In records and conditions. */
  readonly column: ContactTextColumn;
  readonly label: string;
  readonly placeholder?: string;
  /** What is wrong with a value, in words. */
  readonly problemOf?: (value: string) => string | undefined;
}

/** How a person is called. */
export const NAMES = {
  firstName: { column: 'first_name', label: 'First name' },
  lastName: { column: 'last_name', label: 'Last name' },
  displayName: { column: 'display_name', label: 'Display name' },
} as const satisfies Readonly<Partial<Record<ContactTextName, ContactText>>>;

/** What else is known of a person. */
export const TRAITS = {
  timezone: {
    ...{ column: 'timezone', label: 'Time zone', placeholder: 'Europe/Berlin' },
    problemOf: (value) =>
      isMadeBy(() => new Intl.DateTimeFormat('en', { timeZone: value || '-' })) ? undefined : 'Enter a time zone such as Europe/Berlin',
  },
  locale: {
    ...{ column: 'locale', label: 'Language', placeholder: 'de-CH' },
    problemOf: (value) => (isMadeBy(() => new Intl.Locale(value)) ? undefined : 'Enter a language such as en or de-CH'),
  },
} as const satisfies Readonly<Partial<Record<ContactTextName, ContactText>>>;

/** Every text that may be known of a person: forms, facts, rules and steps go by it. A new one of the API fails the type check here. */
export const CONTACT_TEXTS: Readonly<Record<ContactTextName, ContactText>> = { ...NAMES, ...TRAITS };
export const TEXT_NAMES = Object.keys(CONTACT_TEXTS) as ContactTextName[];

function isMadeBy(make: () => unknown): boolean {
  try {
    return Boolean(make());
  } catch {
    return false;
  }
}
