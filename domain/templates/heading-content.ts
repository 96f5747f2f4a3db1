import type { Block } from './content.ts';
import { fixedText, joinPieces, piecesOf } from './pieces.ts';

/**
 * Liquid that comes out blank when nothing of what stands under a heading is shown. `below`: the blocks behind it. Undefined when something
 * always is: of blocks without `showIf` only tables and buttons are left out, so under a heading of anything else there is something to head.
 */
export function contentUnder(below: readonly Block[]): string | undefined {
  const end = below.findIndex(({ type }) => type === 'heading' || type === 'divider' || type === 'columns');
  if (below[end]?.type === 'columns') return undefined;
  const section = (end < 0 ? below : below.slice(0, end)).filter(({ type }) => type !== 'spacer');
  const conditions = section.map(whenShown);
  return conditions.length > 0 && conditions.every((condition) => condition !== undefined) ? conditions.join('') : undefined;
}

/** Blank when the block is left out; undefined when it never is. */
function whenShown(block: Block): string | undefined {
  const shown = block.type === 'table' ? whenPath(block.rows, 'x') : block.type === 'button' ? whenLinked(block.url) : 'x';
  return block.showIf ? whenPath(block.showIf, shown) : shown === 'x' ? undefined : shown;
}

function whenPath(path: string, inside: string): string {
  return `{% shown ${path} %}${inside}{% endshown %}`;
}

function whenLinked(url: string): string {
  const pieces = piecesOf(url);
  if (pieces.every(({ liquid }) => liquid === undefined)) return 'x';
  return `{% linked %}{% url %}${joinPieces(pieces, fixedText)}{% endurl %}x{% endlinked %}`;
}
