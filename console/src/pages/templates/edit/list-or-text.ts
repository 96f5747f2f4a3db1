import { readMarkup } from '../rich/markup.ts';
import type { Block } from '../template-queries.ts';

const shownIf = ({ showIf }: Block) => (showIf ? { showIf } : {});

/** The lines of a text as items, which have no marks. */
export function asList(block: Block & { readonly type: 'text' }): Block {
  const lines = readMarkup(block.text).paragraphs.flatMap(({ parts }) =>
    parts
      .map((part) => (part.kind === 'text' ? part.text : part.kind === 'liquid' ? part.source : '\n'))
      .join('')
      .split('\n'),
  );
  const items = lines.map((line) => line.trim()).filter((line) => line !== '');
  return { type: 'list', items: items.length > 0 ? items : [''], ...shownIf(block) };
}

/** The items of a list as the lines of a text. */
export function asText(block: Block & { readonly type: 'list' }): Block {
  return { type: 'text', text: block.items.join('\n'), ...shownIf(block) };
}
