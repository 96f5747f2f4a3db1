/** With its name before it, of some words or in quotes, as mail programs copy an address. */
const NAMED = /(?:"[^"\n]*"[ \t]*|(?<![^\s,;>])(?:[^\s<>,;@]+[ \t]+){0,6})<([^<>\s]+)>/g;

/** The addresses that were typed or pasted: one a line or behind commas, each once; behind spaces too, where each is one. Also what is none. */
export function addressesIn(text: string): readonly string[] {
  const found = text
    .replace(NAMED, ' $1 ')
    .split(/[\n,;]+/)
    .flatMap((line) => {
      const words = line.split(/\s+/).filter(Boolean);
      return words.every((word) => word.includes('@')) ? words : [words.join(' ')];
    });
  return [...new Map(found.map((address) => [address.toLowerCase(), address])).values()];
}

/** Whether a text that is typed looks like one address from end to end. */
export function isWholeAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
}
