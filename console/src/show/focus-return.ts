import { useRef } from 'react';

/**
 * Gives the focus back to what opened a dialog, when it is called at the dialog's end. That is the button of the menu where it was one of the
 * menu's items, which is gone by then. It stays where it is when it is elsewhere on the page already.
 */
export function useFocusReturn(opened: boolean): () => void {
  const wasOpened = useRef(false);
  const opener = useRef<HTMLElement>(null);
  // Already while it is rendered: an item of a menu is gone from the page with what is rendered then.
  if (opened && !wasOpened.current) opener.current = openerOf(document.activeElement);
  wasOpened.current = opened;
  return () => {
    const { activeElement } = document;
    if (!activeElement || activeElement === document.body || activeElement.closest('[role="dialog"]')) opener.current?.focus();
  };
}

function openerOf(active: Element | null): HTMLElement | null {
  const menu = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return menu ? document.getElementById(menu) : (active as HTMLElement | null);
}
