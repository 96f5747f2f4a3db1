const SPECIAL = /[&<>"']/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML content or inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>"']/g, (char) => ENTITIES[char]!) : text;
}

/** Fixed text as HTML in which no `{` could open a tag. */
export function escapeFixed(text: string): string {
  return escapeHtml(text).replaceAll('{', '&#123;');
}
