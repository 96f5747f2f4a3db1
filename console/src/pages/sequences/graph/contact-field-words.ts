import { CONTACT_TEXTS } from '../../../show/contact-texts.ts';

/** A field of contacts, as people call it; attributes have names of their own. */
export function contactFieldWords(name: string): string {
  const known: Readonly<Record<string, { readonly label: string }>> = CONTACT_TEXTS;
  return known[name]?.label.toLowerCase() ?? name;
}
