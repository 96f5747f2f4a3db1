/** Whether this is a well-formed BCP 47 language tag. */
export function isLocale(tag: string): boolean {
  try {
    Intl.getCanonicalLocales(tag);
    return true;
  } catch {
    return false;
  }
}
