/** A tenant's own words, as operators see them in summaries and details: what may be an email address is left out (decisions.md 16.3). */
export function withoutAddresses(text: string): string {
  return text.replace(/\S+/g, (word) => (/.@./su.test(word) ? '…@…' : word));
}
