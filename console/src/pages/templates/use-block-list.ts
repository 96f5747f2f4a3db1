import { type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { BLOCK_KINDS } from './block-fields.ts';
import type { BlockDraft } from './content-draft.ts';

/** A menu gives the focus back when it closes, a moment later. */
const AFTER_MENU_MS = 60;

interface Given {
  readonly blocks: readonly BlockDraft[];
  readonly onChange: (blocks: readonly BlockDraft[]) => void;
}

interface BlockList {
  /** Of the element that holds them: the focus goes on within it. */
  readonly list: RefObject<HTMLDivElement | null>;
  /** What was done last, for screen readers. */
  readonly said: string;
  readonly put: (index: number, instead: BlockDraft) => void;
  /** By so many places; the focus stays with it. */
  readonly move: (index: number, by: number) => void;
  readonly remove: (index: number) => void;
  readonly add: (at: number, block: BlockDraft) => void;
}

/** Blocks from top to bottom, as they are added, moved and removed: each is told, and leaves the focus where it goes on. */
export function useBlockList({ blocks, onChange }: Given): BlockList {
  const list = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  /** The first that there is. */
  const focus = (...selectors: readonly string[]): void =>
    selectors
      .map((one) => list.current?.querySelector<HTMLElement>(one))
      .find(Boolean)
      ?.focus();
  const focusAfterMenu = (...selectors: readonly string[]): void => void setTimeout(() => focus(...selectors), AFTER_MENU_MS);
  return {
    list,
    said,
    put: (index, instead) => onChange(blocks.with(index, instead)),
    move(index, by) {
      const block = blocks[index];
      if (!block || by === 0) return;
      const moved = blocks.toSpliced(index, 1).toSpliced(index + by, 0, block);
      // An element that is moved loses the focus.
      flushSync(() => {
        onChange(moved);
        setSaid(`${BLOCK_KINDS[block.block.type].label} moved to position ${index + by + 1} of ${blocks.length}`);
      });
      // At the end of its way a button is disabled: the one beside it has the focus then.
      const isAtEnd = index + by === (by < 0 ? 0 : blocks.length - 1);
      const way = Math.sign(by);
      focus(`#${block.id} [data-move="${isAtEnd ? -way : way}"]`);
    },
    remove(index) {
      onChange(blocks.toSpliced(index, 1));
      const next = blocks[index + 1] ?? blocks[index - 1];
      focusAfterMenu(next ? `#${next.id} [data-menu]` : '[data-add]');
    },
    add(at, block) {
      onChange(blocks.toSpliced(at, 0, block));
      const field = `#${block.id} :is(textarea, [contenteditable], input:not([type="radio"], [type="file"]))`;
      focusAfterMenu(field, `#${block.id} [data-menu]`);
      // What a new block says is there to be typed over.
      setTimeout(() => selectAll(list.current?.querySelector<HTMLElement>(field)), AFTER_MENU_MS);
    },
  };
}

function selectAll(field: HTMLElement | null | undefined): void {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.select();
  else if (field) getSelection()?.selectAllChildren(field);
}
