import { useEffect } from 'react';

interface Given {
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}

/** Whether it is Ctrl+Z, or ⌘Z; `forward` with Shift, or Ctrl+Y. */
function undoKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 'back' | 'forward' | undefined {
  if (!(ctrlKey || metaKey) || altKey) return undefined;
  if (key.toLowerCase() === 'z') return shiftKey ? 'forward' : 'back';
  return key.toLowerCase() === 'y' && !shiftKey ? 'forward' : undefined;
}

/**
 * Ctrl+Z takes the last change of the content back, wherever the keyboard is but in inputs of something else, outside of `data-content`: these have
 * what their browser does.
 */
export function useUndoKeys({ onUndo, onRedo }: Given): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const way = undoKey(event);
      const { target } = event;
      if (!way || !(target instanceof Element) || isOfOthers(target)) return;
      event.preventDefault();
      if (way === 'back') onUndo();
      else onRedo();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [onUndo, onRedo]);
}

function isOfOthers(target: Element): boolean {
  if (target.closest('[role="dialog"]')) return true;
  return target.matches('input, textarea, [contenteditable]') && !target.closest('[data-content]');
}
