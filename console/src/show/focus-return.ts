import { useRef } from 'react';

/**
 * Gives the focus back to what opened a dialog, when it is called at the dialog's end. That is the button of the menu where it was one of the
 * menu's items, which is gone by then. Where the dialog's deed has taken it from its list, the same button of the next row gets it, else of the
 * row before, else what a dialog around it is for, else the page's title. It stays where it is when it is elsewhere on the page already.
 */
export function useFocusReturn(opened: boolean): () => void {
  const wasOpened = useRef(false);
  const openers = useRef<readonly HTMLElement[]>([]);
  const around = useRef<Element | null>(undefined);
  // Already while it is rendered: an item of a menu is gone from the page with what is rendered then.
  if (opened && !wasOpened.current) {
    openers.current = openersOf(document.activeElement);
    around.current = document.activeElement?.closest('[role="dialog"]');
  }
  wasOpened.current = opened;
  return () => {
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && !activeElement.closest('[role="dialog"]')) return;
    giveFocus(openers.current, around.current);
  };
}

function giveFocus(openers: readonly HTMLElement[], around: Element | null | undefined): void {
  const opener = openers.find(({ isConnected }) => isConnected);
  const deed = around?.isConnected ? around.querySelector<HTMLElement>('[type="submit"]') : null;
  const given = opener ?? deed ?? pageTitle();
  given?.focus();
  if (given !== opener || !opener) return;
  // What the deed has changed may come after the dialog has gone, and take the opener from the page.
  const watch = new MutationObserver(() => {
    if (document.activeElement === opener) return;
    watch.disconnect();
    if (document.activeElement === document.body && !opener.isConnected) giveFocus(openers, around);
  });
  watch.observe(document.body, { childList: true, subtree: true });
}

/** What opened it, and then its likes in other rows. */
function openersOf(active: Element | null): readonly HTMLElement[] {
  const opener = openerOf(active);
  const row = opener?.closest('tr');
  if (!opener || !row?.parentElement) return opener ? [opener] : [];
  const rows = [...row.parentElement.children];
  const place = rows.indexOf(row);
  const cell = [...row.children].findIndex((one) => one.contains(opener));
  const others = [...rows.slice(place + 1), ...rows.slice(0, place).reverse()];
  return [opener, ...others.flatMap((other) => other.children[cell]?.querySelector<HTMLElement>(opener.tagName) ?? [])];
}

/** Made to take the focus, as a title does not by itself. */
function pageTitle(): HTMLElement | null {
  const title = document.querySelector<HTMLElement>('main h1');
  title?.setAttribute('tabindex', '-1');
  return title;
}

function openerOf(active: Element | null): HTMLElement | null {
  const menu = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return menu ? document.getElementById(menu) : (active as HTMLElement | null);
}
