import type { KeyboardEvent } from 'react';

/** What is new is drawn a few frames later, and shown once its size is known. */
const MOST_FRAMES = 30;

/** Leads the keyboard to a node, once it is drawn. */
export function focusNode(id: string | undefined, frames = MOST_FRAMES): void {
  if (id === undefined || frames === 0) return;
  requestAnimationFrame(() => {
    const drawn = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
    // The canvas moves by itself; scrolled by the browser, it would be where nobody put it.
    drawn?.focus({ preventScroll: true });
    // What is hidden takes no focus.
    if (!drawn || document.activeElement !== drawn) focusNode(id, frames - 1);
  });
}

/** The node that the keyboard is at; undefined where it is at something else, within a node too. */
export function nodeAt(target: EventTarget): string | undefined {
  return target instanceof HTMLElement && target.classList.contains('react-flow__node') ? target.dataset.id : undefined;
}

/** By the key Tab from a node to the buttons at its ways, from one of them to the next, and from the last of them to what follows the canvas; likewise back. */
export function tabToWays(event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement)) return;
  const id = nodeAt(event.target);
  const from = id ?? event.target.closest<HTMLElement>('[data-ways-of]')?.dataset.waysOf;
  if (from === undefined || (id !== undefined && event.shiftKey)) return;
  const node = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(from)}"]`);
  const left = (button: HTMLElement): number => button.getBoundingClientRect().left;
  // As they are seen, rather than as they came to be.
  const buttons = [...document.querySelectorAll<HTMLElement>(`[data-ways-of="${CSS.escape(from)}"] button`)].toSorted(
    (a, b) => left(a) - left(b),
  );
  const place = buttons.indexOf(event.target) + (event.shiftKey ? -1 : 1);
  const next = place < 0 ? node : buttons[place];
  // Else the browser goes on from the node, which comes after its ways.
  (next ?? node)?.focus({ preventScroll: true });
  if (next) event.preventDefault();
}
