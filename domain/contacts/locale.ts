/** Characters of a tag. */
export const MAX_LOCALE = 35;

/** Whether this is a well-formed BCP 47 language tag. */
export function isLocale(tag: string): boolean {
  try {
    Intl.getCanonicalLocales(tag);
    return true;
  } catch {
    return false;
  }
}

/** The usual spelling of a tag, as `de-AT`; undefined: it is not well-formed. */
export function canonicalLocale(tag: string): string | undefined {
  return isLocale(tag) ? Intl.getCanonicalLocales(tag)[0] : undefined;
}
