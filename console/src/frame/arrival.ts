import { useEffect, useRef } from 'react';
import { isSamePage } from './same-page.ts';

/** Whether the address was changed last by a step back or forth, where the browser scrolls to where one was. */
let isStep = false;
window.addEventListener('popstate', () => {
  isStep = true;
});
/** The link that was followed last on each path, by its address: there the focus is when one steps back. */
const followed = new Map<string, string>();
let shownPath = '';
// The router sends it.
window.addEventListener('pushState', () => {
  isStep = false;
  const link = document.activeElement?.closest('#content a')?.getAttribute('href');
  if (link) followed.set(shownPath, link);
});

/**
 * Another page begins at its top, and with the focus in it where the element that had the focus is gone with the page before: after a step back
 * on the link that led away from it, as on the row of a list that was opened.
 */
export function useArrival(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    shownPath = path;
    if (shown.current === path) return;
    shown.current = path;
    if (isSamePage()) return;
    if (!isStep) window.scrollTo({ top: 0 });
    const { activeElement } = document;
    const content = document.getElementById('content');
    if (activeElement && activeElement !== document.body && activeElement !== content) return;
    const link = isStep ? followed.get(path) : undefined;
    const last = link ? content?.querySelector<HTMLElement>(`a[href="${CSS.escape(link)}"]`) : undefined;
    (last ?? content)?.focus({ preventScroll: true });
  }, [path]);
}
