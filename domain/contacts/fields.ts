import { MAX_NAME_LENGTH } from '../text-lengths.ts';
import { isTimeZone } from '../time-zone.ts';
import { isLocale } from './locale.ts';

/** What a text has to be that is not any. */
export interface TextForm {
  readonly name: string;
  readonly like: string;
  readonly is: (text: string) => boolean;
  readonly error: string;
  /** As JSON Schema says it. */
  readonly schema: { readonly format: string; readonly pattern: string };
}

export const TIME_ZONE: TextForm = {
  name: 'IANA name',
  like: 'Europe/Berlin',
  is: isTimeZone,
  error: 'not an IANA time zone',
  schema: { format: 'iana-time-zone', pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$' },
};
const LOCALE: TextForm = {
  name: 'BCP 47',
  like: 'de-CH',
  is: isLocale,
  error: 'not a BCP 47 locale',
  schema: { format: 'bcp-47', pattern: '^[A-Za-z0-9]{1,8}(?:-[A-Za-z0-9]{1,8})*$' },
};

/** A text that may be known of a person. */
export interface ContactText<Name extends string = string> {
  /** In what callers write. */
  readonly name: Name;
  /** What it says, where neither its name nor its form does. */
  readonly meaning?: string;
  /** Any text of at most MAX_TEXT characters when omitted. */
  readonly form?: TextForm;
}

/** Nobody's name is longer; the bound keeps rows and headers sane. */
export const MAX_TEXT = MAX_NAME_LENGTH;

/** How a person is called. */
const NAMES = {
  first_name: { name: 'firstName' },
  last_name: { name: 'lastName' },
  display_name: { name: 'displayName', meaning: 'How the person wants to be called' },
} as const satisfies Readonly<Record<string, ContactText>>;

/** What else is known of a person; it stands behind the tags wherever contacts are shown. */
const TRAITS = {
  timezone: { name: 'timezone', form: TIME_ZONE },
  locale: { name: 'locale', form: LOCALE },
} as const satisfies Readonly<Record<string, ContactText>>;

/**
 * What is known of a person as a text or not at all, by the column, which is the name in records, templates and conditions. A change writes each,
 * a node may set each, a sample may have each.
 */
const TEXTS = { ...NAMES, ...TRAITS } as const;

export type ContactTextColumn = keyof typeof TEXTS;
type NameOf<C extends ContactTextColumn> = (typeof TEXTS)[C]['name'];
export type ContactTextName = NameOf<ContactTextColumn>;

export const NAME_COLUMNS = Object.keys(NAMES) as (keyof typeof NAMES)[];
export const TRAIT_COLUMNS = Object.keys(TRAITS) as (keyof typeof TRAITS)[];
export const CONTACT_TEXT_COLUMNS: ContactTextColumn[] = [...NAME_COLUMNS, ...TRAIT_COLUMNS];

/** null: not known. */
export type ContactTexts = { readonly [column in ContactTextColumn]: string | null };
/** undefined: not said; null: cleared. */
export type ContactTextInput = { readonly [name in ContactTextName]?: string | null | undefined };

/** Something for each of these, by its column. */
export function byColumn<C extends ContactTextColumn, V>(
  columns: readonly C[],
  of: (column: C, text: ContactText) => V,
): { readonly [column in C]: V } {
  return Object.fromEntries(columns.map((column) => [column, of(column, TEXTS[column])])) as { [column in C]: V };
}

/** Something for each of these, by its name in what callers write. */
export function byName<C extends ContactTextColumn, V>(
  columns: readonly C[],
  of: (column: C, text: ContactText<ContactTextName>) => V,
): { readonly [column in C as NameOf<column>]: V } {
  return Object.fromEntries(columns.map((column) => [TEXTS[column].name, of(column, TEXTS[column])])) as {
    [column in C as NameOf<column>]: V;
  };
}

/** Each by its column, as `of` says for it. */
export function contactTexts(of: (column: ContactTextColumn, name: ContactTextName) => string | null): ContactTexts {
  return byColumn(CONTACT_TEXT_COLUMNS, (column) => of(column, TEXTS[column].name));
}

export const NO_CONTACT_TEXTS = contactTexts(() => null);
