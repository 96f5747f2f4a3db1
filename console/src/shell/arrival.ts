import { useEffect, useRef } from 'react';

/** Whether the address was changed last by a step back or forth, where the browser scrolls to where one was. */
let isStep = false;
window.addEventListener('popstate', () => {
  isStep = true;
});
// The router sends it.
window.addEventListener('pushState', () => {
  isStep = false;
});

/** Another page begins at its top, and with the focus in it where the element that had the focus is gone with the page before. */
export function useArrival(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (!isStep) window.scrollTo({ top: 0 });
    const { activeElement } = document;
    if (!activeElement || activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}
