import { type DragEvent, useState } from 'react';

/** What a card does while blocks of its list are dragged. */
export interface DraggedCard {
  /** Where the block would be put: a line is drawn there. */
  readonly 'data-drop': 'before' | 'after' | undefined;
  readonly onDragOver: (event: DragEvent<HTMLElement>) => void;
  readonly onDrop: (event: DragEvent<HTMLElement>) => void;
}

/** What begins and ends with the handle of a card. */
export interface DragHandle {
  readonly onDragStart: (event: DragEvent<HTMLElement>) => void;
  readonly onDragEnd: () => void;
}

interface BlockDrag {
  readonly card: (index: number) => DraggedCard;
  readonly handle: (index: number) => DragHandle;
}

/** Blocks of one list that are dragged to another place in it; the keys and the arrows do the same. */
export function useBlockDrag(move: (index: number, by: number) => void): BlockDrag {
  const [dragged, setDragged] = useState<number>();
  /** The place between two cards, counted from 0. */
  const [gap, setGap] = useState<number>();
  const end = (): void => {
    setDragged(undefined);
    setGap(undefined);
  };
  return {
    card: (index) => ({
      'data-drop': gap === index ? 'before' : gap === index + 1 ? 'after' : undefined,
      onDragOver(event) {
        // A block of another list goes nowhere here.
        if (dragged === undefined) return;
        event.preventDefault();
        const { top, height } = event.currentTarget.getBoundingClientRect();
        const to = event.clientY < top + height / 2 ? index : index + 1;
        setGap(to === dragged || to === dragged + 1 ? undefined : to);
      },
      onDrop(event) {
        if (dragged === undefined) return;
        event.preventDefault();
        if (gap !== undefined) move(dragged, gap > dragged ? gap - 1 - dragged : gap - dragged);
        end();
      },
    }),
    handle: (index) => ({
      onDragStart(event) {
        event.stopPropagation();
        const card = event.currentTarget.closest('[role="group"]');
        event.dataTransfer.effectAllowed = 'move';
        if (card) event.dataTransfer.setDragImage(card, 16, 16);
        setDragged(index);
      },
      onDragEnd: end,
    }),
  };
}
