import type { JSONContent } from '@tiptap/core';
import type { Marks, Markup, Paragraph, Part } from './markup.ts';

/** Markup as the editor has it. */
export function documentOf({ paragraphs }: Pick<Markup, 'paragraphs'>): JSONContent {
  return {
    type: 'doc',
    content: paragraphs.map(({ parts, source, before }) => ({
      type: 'paragraph',
      attrs: { source: source ?? null, before: before ?? null },
      content: parts.map(nodeOf),
    })),
  };
}

function nodeOf(part: Part): JSONContent {
  const { bold, italic, link } = part.marks;
  const marks = [
    ...(bold ? [{ type: 'bold' }] : []),
    ...(italic ? [{ type: 'italic' }] : []),
    ...(link ? [{ type: 'link', attrs: { href: link } }] : []),
  ];
  if (part.kind === 'text') return { type: 'text', text: part.text, marks };
  return part.kind === 'liquid' ? { type: 'liquid', attrs: { source: part.source }, marks } : { type: 'hardBreak', marks };
}

/** What the editor has as paragraphs of markup. */
export function paragraphsOf({ content = [] }: JSONContent): Paragraph[] {
  return content.map(({ content: nodes = [], attrs }) => ({
    parts: nodes.map(partOf),
    ...(typeof attrs?.source === 'string' ? { source: attrs.source } : {}),
    ...(typeof attrs?.before === 'string' ? { before: attrs.before } : {}),
  }));
}

function partOf({ type, text = '', attrs, marks: given = [] }: JSONContent): Part {
  const link = given.find((mark) => mark.type === 'link')?.attrs?.href;
  const has = (name: string): boolean => given.some((mark) => mark.type === name);
  const marks: Marks = {
    ...(has('bold') && { bold: true }),
    ...(has('italic') && { italic: true }),
    ...(typeof link === 'string' && { link }),
  };
  if (type === 'liquid') return { kind: 'liquid', source: String(attrs?.source), marks };
  return type === 'hardBreak' ? { kind: 'break', marks } : { kind: 'text', text, marks };
}
