/**
 * What is known of a person as a text or not at all: the column, which is the name in records, templates and conditions, and the name in what
 * callers write. A change writes each, a node may set each, a sample may have each.
 */
export const CONTACT_TEXTS = {
  first_name: 'firstName',
  last_name: 'lastName',
  display_name: 'displayName',
  timezone: 'timezone',
  locale: 'locale',
} as const;

export type ContactTextColumn = keyof typeof CONTACT_TEXTS;
export type ContactTextName = (typeof CONTACT_TEXTS)[ContactTextColumn];
export const CONTACT_TEXT_COLUMNS = Object.keys(CONTACT_TEXTS) as ContactTextColumn[];

/** null: not known. */
export type ContactTexts = { readonly [column in ContactTextColumn]: string | null };
/** undefined: not said; null: cleared. */
export type ContactTextInput = { readonly [name in ContactTextName]?: string | null | undefined };

/** Each by its column, as `of` says for it. */
export function contactTexts(of: (column: ContactTextColumn, name: ContactTextName) => string | null): ContactTexts {
  return Object.fromEntries(CONTACT_TEXT_COLUMNS.map((column) => [column, of(column, CONTACT_TEXTS[column])])) as ContactTexts;
}

export const NO_CONTACT_TEXTS = contactTexts(() => null);
