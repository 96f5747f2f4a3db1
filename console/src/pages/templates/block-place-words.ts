import { uncapitalized } from '../../letters.ts';
import { BLOCK_KINDS } from './block-fields.ts';
import type { BlockDraft } from './content-draft.ts';

const BLOCK = /^content\.blocks\[(\d+)\](?:\.columns\[(\d+)\]\.blocks\[(\d+)\])?(?:\.(.+))?$/;
/** Of what any block may have. */
const SHARED: Readonly<Record<string, string>> = {
  ...{ showIf: 'shown only if', align: 'alignment', color: 'text color', background: 'background' },
  ...{ spaceAbove: 'space above', spaceBelow: 'space below' },
};

/** A place in a content as its form calls it: `content.blocks[3].url` is "Button 4, web address". undefined: it is in no block. */
export function placeInContent(blocks: readonly BlockDraft[], path: string): string | undefined {
  const [, index, column, held, field] = BLOCK.exec(path) ?? [];
  const block = blocks[Number(index)];
  if (index === undefined || !block) return undefined;
  const names = [nameOf(block, index)];
  const inside = column === undefined ? undefined : block.columns[Number(column)]?.[Number(held)];
  if (inside) names.push(`column ${Number(column) + 1}`, uncapitalized(nameOf(inside, held)));
  return [...names, ...fieldWords(inside ?? block, field)].join(', ');
}

function nameOf({ block }: BlockDraft, index: string | undefined): string {
  return `${BLOCK_KINDS[block.type].label} ${Number(index) + 1}`;
}

/** `items[2]` is "item 3", `columns[0].value` "column 1, value". */
function fieldWords({ block }: BlockDraft, field: string | undefined): string[] {
  if (field === undefined) return [];
  const [, name = '', index, deeper] = /^(\w+)(?:\[(\d+)\])?(?:\.(\w+))?/.exec(field) ?? [];
  if (index !== undefined) return [`${name.replace(/s$/, '')} ${Number(index) + 1}`, ...(deeper ? [deeper] : [])];
  const label = BLOCK_KINDS[block.type].fields.find((one) => one.name === name)?.label;
  return [label ? uncapitalized(label) : (SHARED[name] ?? name)];
}
