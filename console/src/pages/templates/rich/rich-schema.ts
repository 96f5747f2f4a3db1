import { Extension, type Extensions, Mark, Node } from '@tiptap/core';
import { Bold } from '@tiptap/extension-bold';
import { Document } from '@tiptap/extension-document';
import { HardBreak } from '@tiptap/extension-hard-break';
import { Italic } from '@tiptap/extension-italic';
import { Paragraph } from '@tiptap/extension-paragraph';
import { Text } from '@tiptap/extension-text';
import type { TagParseRule as ParseRule } from '@tiptap/pm/model';
import { Plugin, type Transaction } from '@tiptap/pm/state';
import { LEAF } from '../edit/insertion.ts';
import { LIQUID } from './markup.ts';
import { withoutStyles } from './pasted-html.ts';
import { canLead } from './web-address.ts';

/** What was read, so that a paragraph that stays is written as it was. One that is split off was not read. */
const READ = { default: null, rendered: false, keepOnSplit: false };
const ReadParagraph = Paragraph.extend({ addAttributes: () => ({ source: READ, before: READ }) });

/** Tags that say so, and what `withoutStyles` found. */
const PastedBold = Bold.extend({ parseHTML: () => rulesFor(['strong', 'b'], 'data-weight', 'bold') });
const PastedItalic = Italic.extend({ parseHTML: () => rulesFor(['em', 'i'], 'data-slant', 'italic') });

function rulesFor(tags: readonly string[], attribute: string, value: string): ParseRule[] {
  const isMeant = (element: HTMLElement): null | false => (element.getAttribute(attribute) === 'normal' ? false : null);
  return [...tags.map((tag) => ({ tag, getAttrs: isMeant })), { tag: `span[${attribute}="${value}"]` }];
}

const Link = Mark.create({
  name: 'link',
  inclusive: false,
  addAttributes: () => ({ href: { default: null } }),
  parseHTML: () => [{ tag: 'a[href]', getAttrs: (link) => (canLead(link.getAttribute('href') ?? '') ? null : false) }],
  renderHTML: ({ HTMLAttributes: { href } }) => ['a', { href, title: href, rel: 'noopener noreferrer' }, 0],
});

/** Liquid is one thing: no mark begins within it, and it is taken away as a whole. */
const Liquid = Node.create({
  name: 'liquid',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ source: { default: '', parseHTML: (chip: HTMLElement) => chip.getAttribute('data-liquid') ?? '' } }),
  parseHTML: () => [{ tag: 'span[data-liquid]' }],
  renderHTML: ({ node }) => ['span', { 'data-liquid': node.attrs.source, title: node.attrs.source }, shownLiquid(node.attrs.source)],
  renderText: ({ node }) => node.attrs.source,
});

/** Without its braces. */
function shownLiquid(source: string): string {
  return source.replace(/^\{[{%]-?\s*|\s*-?[%}]\}$/g, '') || source;
}

export interface RichKeys {
  readonly onLink: () => void;
  /** `{{` was typed. */
  readonly onBraces: () => void;
}

/** What a text block can hold, and nothing else: whatever is pasted is made to fit. */
export function richExtensions({ onLink, onBraces }: RichKeys): Extensions {
  const keys = Extension.create({
    name: 'keys',
    addKeyboardShortcuts: () => ({
      'Mod-k': () => {
        onLink();
        return true;
      },
    }),
    addProseMirrorPlugins: () => [liquidPlugin(onBraces)],
  });
  return [Document, ReadParagraph, Text, HardBreak, PastedBold, PastedItalic, Link, Liquid, keys];
}

function liquidPlugin(onBraces: () => void): Plugin {
  return new Plugin({
    props: {
      handleTextInput(view, from, to, text) {
        const before = view.state.doc.textBetween(Math.max(0, from - 1), from);
        if (text !== '{' || before !== '{') return false;
        view.dispatch(view.state.tr.insertText(text, from, to));
        onBraces();
        return true;
      },
      transformPastedHTML: withoutStyles,
    },
    appendTransaction(transactions, _, { doc, selection, schema, tr }) {
      if (!transactions.some(({ docChanged }) => docChanged)) return null;
      const found: { readonly from: number; readonly to: number; readonly source: string }[] = [];
      doc.descendants((node, at) => {
        if (!node.isTextblock) return true;
        for (const { 0: source, index } of node.textBetween(0, node.content.size, undefined, LEAF).matchAll(LIQUID)) {
          const from = at + 1 + index;
          const to = from + source.length;
          const isTyped = selection.empty && from < selection.from && selection.from < to;
          if (!source.includes(LEAF) && !isTyped) found.push({ from, to, source });
        }
        return false;
      });
      for (const { from, to, source } of found.toReversed()) {
        tr.replaceWith(from, to, schema.nodes.liquid!.create({ source }, null, doc.resolve(from + 1).marks()));
      }
      return found.length > 0 ? (tr as Transaction) : null;
    },
  });
}
