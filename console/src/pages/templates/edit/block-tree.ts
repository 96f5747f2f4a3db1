import type { BlockDraft } from '../content-draft.ts';

/** The block at a place like `content.blocks[3].columns[0].blocks[1]`. */
export function blockAt(blocks: readonly BlockDraft[], path: string): BlockDraft | undefined {
  const [index = -1, column, ...rest] = [...path.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
  const block = blocks[index];
  if (column === undefined || !block) return block;
  return blockAt(block.columns[column] ?? [], rest.map((number) => `[${number}]`).join(''));
}

/** Where a block is; undefined: it is gone. */
export function pathOf(blocks: readonly BlockDraft[], id: string, root = 'content.blocks'): string | undefined {
  for (const [index, block] of blocks.entries()) {
    const path = `${root}[${index}]`;
    if (block.id === id) return path;
    for (const [column, held] of block.columns.entries()) {
      const inside = pathOf(held, id, `${path}.columns[${column}].blocks`);
      if (inside) return inside;
    }
  }
  return undefined;
}

/** The same blocks, of which one is changed wherever it is. */
export function withBlock(blocks: readonly BlockDraft[], changed: BlockDraft): readonly BlockDraft[] {
  return blocks.map((block) => {
    if (block.id === changed.id) return changed;
    const columns = block.columns.map((held) => withBlock(held, changed));
    return columns.some((held, index) => held.some((one, at) => one !== block.columns[index]?.[at])) ? { ...block, columns } : block;
  });
}
