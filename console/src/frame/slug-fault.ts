/** What is wrong with the name that a thing has in the API; `thing`: what others have it, like "brand". */
export function slugFault(
  slug: string,
  taken: readonly string[],
  { thing, called }: { readonly thing: string; readonly called: string },
): string | undefined {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(slug)) return 'Use up to 64 letters a to z, digits, _ and -, starting with a letter or digit';
  return taken.includes(slug) ? `Another ${thing} has this ${called}` : undefined;
}
