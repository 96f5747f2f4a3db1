import { type Marks, type Markup, normal, type Paragraph, type Part, readMarkup, WRITTEN_SEPARATOR } from './markup.ts';

interface Written {
  readonly markup: string;
  /** What stood between it and the one above. */
  readonly before: string | undefined;
}

/** The markup of paragraphs. One that is as it was read is written as it was, to the byte. */
export function writeMarkup({ paragraphs, head, tail }: Markup): string {
  const text = paragraphs
    .flatMap(writtenParagraph)
    .map(({ markup, before }, index) => (index === 0 ? '' : separator(before)) + markup)
    .join('');
  return text === '' ? '' : head + text + tail;
}

function separator(before: string | undefined): string {
  return before && before.trim() === '' && WRITTEN_SEPARATOR.test(before) ? before : '\n\n';
}

function writtenParagraph({ parts, source, before }: Paragraph): Written[] {
  if (source !== undefined && reads(source, trimmed(normal(parts)))) return [{ markup: source, before }];
  return withoutBlankLines(parts)
    .filter((lines) => lines.some((part) => part.kind === 'liquid' || (part.kind === 'text' && part.text.trim() !== '')))
    .map((lines) => ({ markup: partsMarkup(lines), before }));
}

/** An empty line begins a paragraph. */
function withoutBlankLines(parts: readonly Part[]): (readonly Part[])[] {
  const at = parts.findIndex(({ kind }, index) => kind === 'break' && isBlankUpToBreak(parts.slice(index + 1)));
  if (at === -1) return [parts];
  const end = parts.findIndex(({ kind }, index) => index > at && kind === 'break');
  return [parts.slice(0, at), ...withoutBlankLines(parts.slice(end + 1))];
}

function isBlankUpToBreak(parts: readonly Part[]): boolean {
  const next = parts.findIndex((part) => part.kind !== 'text' || part.text.trim() !== '');
  return parts[next]?.kind === 'break';
}

function partsMarkup(parts: readonly Part[]): string {
  const wanted = trimmed(normal(parts));
  const withoutItalic = wanted.map((part) => ({ ...part, marks: { ...part.marks, italic: false } }));
  for (const tried of [wanted, normal(withoutItalic)]) {
    for (const isEscaped of [false, true]) {
      for (const em of ['*', '_'] as const) {
        const markup = inline(tried, { em, isEscaped });
        if (reads(markup, tried)) return markup;
      }
    }
  }
  // Some marks cannot stand within each other; the words can always.
  return inline(
    wanted.map((part) => ({ ...part, marks: {} })),
    { em: '*', isEscaped: true },
  );
}

/** Whether mails read these parts from the markup. */
function reads(markup: string, parts: readonly Part[]): boolean {
  const { paragraphs } = readMarkup(markup);
  const [first] = paragraphs;
  return paragraphs.length === 1 && first !== undefined && JSON.stringify(trimmed(first.parts)) === JSON.stringify(parts.map(inOrder));
}

/** Spaces at the ends of a paragraph say nothing. */
function trimmed(parts: readonly Part[]): Part[] {
  const isBlank = (part: Part | undefined): boolean => part?.kind === 'break' || (part?.kind === 'text' && part.text.trim() === '');
  let found = [...parts];
  while (isBlank(found[0])) found = found.slice(1);
  while (isBlank(found.at(-1))) found = found.slice(0, -1);
  const [first, last] = [found[0], found.at(-1)];
  if (first?.kind === 'text') found[0] = { ...first, text: first.text.trimStart() };
  const end = last === first ? found[0] : last;
  if (end?.kind === 'text') found[found.length - 1] = { ...end, text: end.text.trimEnd() };
  return found.map(inOrder);
}

/** With its members in one order, so that equal parts are equal as text. */
function inOrder(part: Part): Part {
  const { bold, italic, link } = part.marks;
  const marks: Marks = { ...(bold && { bold }), ...(italic && { italic }), ...(link && { link }) };
  if (part.kind === 'text') return { kind: 'text', text: part.text, marks };
  return part.kind === 'liquid' ? { kind: 'liquid', source: part.source, marks } : { kind: 'break', marks: {} };
}

interface Writing {
  /** Around what is italic. */
  readonly em: '*' | '_';
  readonly isEscaped: boolean;
}

/** Marks around the longest runs that have them. */
function inline(parts: readonly Part[], writing: Writing): string {
  let markup = '';
  for (let at = 0; at < parts.length; ) {
    const part = parts[at] as Part;
    const longest = (['link', 'bold', 'italic'] as const)
      .filter((name) => part.marks[name])
      .map((name) => ({ name, end: endOf(parts, at, name) }))
      .toSorted((left, right) => right.end - left.end)[0];
    if (!longest) {
      markup += plain(part, writing);
      at += 1;
      continue;
    }
    const { name, end } = longest;
    const inside = inline(
      parts.slice(at, end).map((one) => ({ ...one, marks: { ...one.marks, [name]: undefined } })),
      writing,
    );
    markup +=
      name === 'link' ? `[${inside}](${part.marks.link})` : name === 'bold' ? `**${inside}**` : `${writing.em}${inside}${writing.em}`;
    at = end;
  }
  return markup;
}

/** Where a mark that begins at a part ends. New lines within it have it too. */
function endOf(parts: readonly Part[], from: number, name: keyof Marks): number {
  const mark = parts[from]?.marks[name];
  let end = from + 1;
  for (let at = end; at < parts.length; at++) {
    if (parts[at]?.marks[name] === mark) end = at + 1;
    else if (parts[at]?.kind !== 'break') break;
  }
  return end;
}

function plain(part: Part, { isEscaped }: Writing): string {
  if (part.kind === 'break') return '\n';
  if (part.kind === 'liquid') return part.source;
  return isEscaped ? part.text.replace(/[\\*_[\]()]/g, '\\$&') : part.text;
}
