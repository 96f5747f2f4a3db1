/** Where text is typed. */
export type Field = HTMLInputElement | HTMLTextAreaElement;

/** Puts a text in the place of another, as if it was typed, and selects a part of it, counted from its beginning. */
export function typeInto(field: Field, text: string, [start, end]: readonly [number, number], select: readonly [number, number]): void {
  field.focus();
  field.setRangeText(text, start, end);
  field.setSelectionRange(start + select[0], start + select[1]);
  // React hears of it as of what is typed.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** What is selected, without the spaces around it, which no mark may begin or end with. */
function selected(field: Field): readonly [number, number] {
  const [start, end] = [field.selectionStart ?? 0, field.selectionEnd ?? 0];
  const text = field.value.slice(start, end);
  const inner = text.trim();
  const from = start + text.indexOf(inner);
  return [from, from + inner.length];
}

/** Bold is `**`, italic `*`, around what is selected; taken away where it stands there already. */
export function toggleMark(field: Field, mark: '**' | '*'): void {
  const [start, end] = selected(field);
  const inner = field.value.slice(start, end);
  const before = /\**$/.exec(field.value.slice(0, start))?.[0].length ?? 0;
  const after = /^\**/.exec(field.value.slice(end))?.[0].length ?? 0;
  const marks = Math.min(before, after);
  // Three of them are both.
  const isMarked = marks === 3 || marks === mark.length;
  if (isMarked) typeInto(field, inner, [start - mark.length, end + mark.length], [0, inner.length]);
  else typeInto(field, `${mark}${inner}${mark}`, [start, end], [mark.length, mark.length + inner.length]);
}

const ADDRESS = 'https://';

/** A link around what is selected, with its address to be typed. */
export function addLink(field: Field): void {
  const [start, end] = selected(field);
  const label = field.value.slice(start, end) || 'link';
  const before = `[${label}](`;
  typeInto(field, `${before}${ADDRESS})`, [start, end], [before.length, before.length + ADDRESS.length]);
}

/** The mark of a key, as everywhere: Ctrl+B, Ctrl+I, Ctrl+K. */
export function markKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): ((field: Field) => void) | undefined {
  if (!(ctrlKey || metaKey) || shiftKey || altKey) return undefined;
  const marks: Readonly<Record<string, (field: Field) => void>> = {
    b: (field) => toggleMark(field, '**'),
    i: (field) => toggleMark(field, '*'),
    k: addLink,
  };
  return marks[key.toLowerCase()];
}

/** A text without its marks: where none are read. */
export function withoutMarks(text: string): string {
  return text
    .replace(/\[([^[\]]+)\]\((?:[^()\s]|\([^()\s]*\))+\)/g, '$1')
    .replace(/\*\*(?=\S)([\s\S]*?\S)\*\*/g, '$1')
    .replace(/\*(?=\S)([^*]*\S)\*/g, '$1');
}
