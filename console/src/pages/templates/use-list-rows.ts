import { type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type Item, jsonOfItems, type Member, newItem } from './list-items.ts';

interface Given {
  readonly members: readonly Member[];
  readonly items: readonly Item[];
  /** As JSON; '' when there are none. */
  readonly onChange: (json: string) => void;
}

interface ListRows {
  /** Of the element that holds them: the focus goes on within it. */
  readonly list: RefObject<HTMLDivElement | null>;
  /** What was done last, for screen readers. */
  readonly said: string;
  readonly set: (changed: readonly Item[]) => void;
  readonly add: () => void;
  readonly move: (index: number, by: -1 | 1) => void;
  readonly remove: (index: number) => void;
}

/** The rows of a list, as they are added, moved and removed: each is told, and leaves the focus where it goes on. */
export function useListRows({ members, items, onChange }: Given): ListRows {
  const list = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState('');
  const set = (changed: readonly Item[]): void => onChange(jsonOfItems(changed));
  const change = (changed: readonly Item[], words: string, selector: string): void => {
    flushSync(() => {
      set(changed);
      setSaid(words);
    });
    list.current?.querySelector<HTMLElement>(selector)?.focus();
  };
  return {
    list,
    said,
    set,
    add() {
      const row = `[data-row="${items.length}"]`;
      change([...items, newItem(members)], `Row ${items.length + 1} added`, `${row} input, ${row} textarea`);
    },
    move(index, by) {
      const item = items[index] as Item;
      const to = index + by;
      // At the end of its way a button is disabled: the one beside it has the focus then.
      const isAtEnd = to === (by < 0 ? 0 : items.length - 1);
      const words = `Row ${index + 1} moved to position ${to + 1} of ${items.length}`;
      change(items.toSpliced(index, 1).toSpliced(to, 0, item), words, `[data-row="${to}"] [data-move="${isAtEnd ? -by : by}"]`);
    },
    remove(index) {
      const next = Math.min(index, items.length - 2);
      const selector = next < 0 ? '[data-add]' : `[data-row="${next}"] [data-remove]`;
      change(items.toSpliced(index, 1), `Row ${index + 1} removed`, selector);
    },
  };
}
