import type { Block, BlockContent, SimpleBlock } from './content.ts';
import { contentUnder } from './heading-content.ts';
import { type LanguageWords, languageWords } from './language-words.ts';
import { type Inline, parseMarkdown } from './markdown.ts';
import { fixedText, joinPieces, type Piece, piecesOf } from './pieces.ts';

/** Only marketing mail has an unsubscribeUrl, and it always has one. `-- ` is the signature line of RFC 3676. */
const footer = ({ unsubscribe }: LanguageWords): string =>
  '\n\n-- \n{{ brand.name }}{% shown brand.address %}\n{{ brand.address }}{% endshown %}' +
  `{% shown unsubscribeUrl %}\n${unsubscribe}: {% url %}{{ unsubscribeUrl }}{% endurl %}{% endshown %}\n`;

/** The plain-text part as Liquid source, written from the blocks, so that it reads like a letter. */
export function compileText(content: BlockContent, locale?: string): string {
  return `{% content %}${blocksText(content.blocks)}{% endcontent %}${footer(languageWords(locale))}`;
}

function blocksText(blocks: readonly Block[]): string {
  return blocks
    .map((block, index) => {
      const inside = block.type === 'columns' ? block.columns.map(({ blocks }) => blocksText(blocks)).join('') : `${simple(block)}\n\n`;
      const under = block.type === 'heading' ? contentUnder(blocks.slice(index + 1)) : undefined;
      const text = under ? `{% headed %}${under}{% head %}${inside}{% endheaded %}` : inside;
      return block.showIf ? `{% shown ${block.showIf} %}${text}{% endshown %}` : text;
    })
    .join('');
}

function simple(block: SimpleBlock): string {
  switch (block.type) {
    case 'heading':
      return heading(plain(block.text), block.level ?? 1);
    case 'text':
      return parseMarkdown(block.text)
        .map((paragraph) => paragraph.map(inlineText).join(''))
        .join('\n\n');
    case 'button':
      return linked(block.label, address(piecesOf(block.url)));
    case 'image': {
      const alt = block.alt && `[${plain(block.alt)}]`;
      const src = piecesOf(block.src);
      const image = [alt, block.href && address(piecesOf(block.href))].filter(Boolean).join('\n');
      return hasLiquid(src) ? `{% linked %}{% picture %}${joinPieces(src, fixedText)}{% endpicture %}${image}{% endlinked %}` : image;
    }
    case 'divider':
      return '-'.repeat(40);
    case 'spacer':
      return '';
    case 'list':
      return block.items.map((item, index) => `${block.ordered ? `${index + 1}.` : '-'} ${plain(item)}`).join('\n');
    case 'table': {
      const head = block.columns.some(({ header }) => header) ? `${block.columns.map(({ header }) => plain(header)).join(' | ')}\n` : '';
      const rows = `{% for row in ${block.rows} %}${block.columns.map(({ value }) => plain(value)).join(' | ')}\n{% endfor %}`;
      return `{% shown ${block.rows} %}${head}${rows}{% endshown %}`;
    }
    case 'quote':
      return `> ${joinPieces(piecesOf(block.text), (fixed) => fixedText(fixed).replaceAll('\n', '\n> '))}${block.author ? `\n> -- ${plain(block.author)}` : ''}`;
    case 'code':
      return `    ${plain(block.text)}`;
    default:
      return block satisfies never;
  }
}

/** Underlined like in a letter; the smallest level stands alone. */
function heading(text: string, level: number): string {
  return level === 3 ? text : `{% underlined ${level === 1 ? '=' : '-'} %}${text}{% endunderlined %}`;
}

/** A button whose address comes out empty is left out, as in the HTML part. */
function linked(label: string, url: string): string {
  return `{% linked %}${url}${plain(label)}:\n${url}{% endlinked %}`;
}

function plain(source: string): string {
  return joinPieces(piecesOf(source), fixedText);
}

function address(pieces: readonly Piece[]): string {
  return `{% url %}${joinPieces(pieces, fixedText)}{% endurl %}`;
}

function hasLiquid(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => piece.liquid !== undefined);
}

function inlineText(part: Inline): string {
  switch (part.kind) {
    case 'text':
      return joinPieces(part.pieces, fixedText);
    case 'break':
      return '\n';
    case 'strong':
    case 'em':
      return part.children.map(inlineText).join('');
    case 'link': {
      const label = part.children.map(inlineText).join('');
      const url = joinPieces(part.url, fixedText);
      const link = label === url ? address(part.url) : `${label} (${address(part.url)})`;
      return hasLiquid(part.url) ? `{% linked %}${address(part.url)}${link}{% unlinked %}${label}{% endlinked %}` : link;
    }
    default:
      return part satisfies never;
  }
}
