import { type RefObject, useEffect } from 'react';

interface Given {
  /** Its inputs have no undoing of their own. */
  readonly fields: RefObject<HTMLElement | null>;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}

/** Whether it is Ctrl+Z, or ⌘Z; `forward` with Shift, or Ctrl+Y. */
export function undoKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 'back' | 'forward' | undefined {
  if (!(ctrlKey || metaKey) || altKey) return undefined;
  if (key.toLowerCase() === 'z') return shiftKey ? 'forward' : 'back';
  return key.toLowerCase() === 'y' && !shiftKey ? 'forward' : undefined;
}

/** Ctrl+Z takes the last change back, wherever the keyboard is but in inputs of something else: these have what their browser does. */
export function useUndoKeys({ fields, onUndo, onRedo }: Given): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const way = undoKey(event);
      const { target } = event;
      if (!way || !(target instanceof Element) || isOfOthers(target, fields.current)) return;
      event.preventDefault();
      if (way === 'back') onUndo();
      else onRedo();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [fields, onUndo, onRedo]);
}

function isOfOthers(target: Element, fields: HTMLElement | null): boolean {
  if (target.closest('[role="dialog"]')) return true;
  return target.matches('input, textarea, [contenteditable]') && !fields?.contains(target);
}
