/** For sentences and numbers that operators read. */

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With thousands set apart: `412,000`. */
export function grouped(value: number): string {
  return value.toLocaleString('en');
}
