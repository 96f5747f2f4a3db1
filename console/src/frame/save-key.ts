import { useWindowEvent } from '@mantine/hooks';

/** Of the button that the key presses. */
export const SAVE_KEY = { 'aria-keyshortcuts': 'Control+S Meta+S', title: 'Ctrl+S' } as const;

/** Ctrl+S, or ⌘S, saves what is edited, wherever on the page the keyboard is. undefined: there is nothing that it would save. */
export function useSaveKey(save: (() => void) | undefined): void {
  useWindowEvent('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, repeat } = event;
    if (!save || key.toLowerCase() !== 's' || !(ctrlKey || metaKey) || shiftKey || altKey) return;
    // The browser would save the page.
    event.preventDefault();
    // A dialog is answered first.
    if (!repeat && !document.querySelector('[role="dialog"]')) save();
  });
}
