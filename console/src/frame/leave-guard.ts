import { useCallback, useEffect, useRef } from 'react';
import { createStore } from '../api/store.ts';
import { consolePath } from '../base.ts';

/** Forms that hold something that is not saved, and whether each has put it aside. */
const unsaved = new Map<symbol, boolean>();

interface Place {
  /** With the parts of the address that make another page of it. */
  readonly path: string;
  /** In the history of the tab; undefined where the browser does not tell. */
  readonly index: number | undefined;
}

/** What has a page of its own below one path: a template, as a brand has it, in a language. */
const PAGE_PARTS = ['brand', 'locale'];

/** Where the page with the forms is. */
let here: Place = currentPlace();
/** Until a step back or forth, which this module makes itself, has been made. */
let isStepping = false;

interface Asked {
  /** What happens when the user says to leave. */
  readonly leave: () => void;
  /** All of it is put aside: nothing is lost. */
  readonly isKept: boolean;
}

/** undefined while nothing is asked. */
export const leaveAsked = createStore<Asked | undefined>(undefined);

/**
 * Asks before input is lost while `isUnsaved`: by a link, by back and forth, by closing the tab or loading it again. Where the program itself goes
 * to another page after saving, nothing is asked. Returns how a dialog is closed by the user: calls `close`, after a question if need be. `isKept`: the
 * page puts its input aside, and offers it when it is opened again.
 */
export function useLeaveGuard(isUnsaved: boolean, isKept = false): (close: () => void) => void {
  const id = useRef(Symbol('form'));
  useEffect(() => {
    if (!isUnsaved) return;
    const form = id.current;
    watch(form, isKept);
    return () => forget(form);
  }, [isUnsaved, isKept]);
  return useCallback((close) => (unsaved.has(id.current) ? ask(close) : close()), []);
}

/** For a button that leads to another page: calls `leave` at once when no form has unsaved input, else when the user says so. */
export function askBeforeLeaving(leave: () => void): void {
  if (unsaved.size > 0) ask(leave);
  else leave();
}

function ask(leave: () => void): void {
  leaveAsked.set({
    leave() {
      leaveAsked.set(undefined);
      leave();
    },
    isKept: [...unsaved.values()].every(Boolean),
  });
}

function watch(form: symbol, isKept: boolean): void {
  unsaved.set(form, isKept);
  if (unsaved.size > 1) return;
  here = currentPlace();
  window.addEventListener('beforeunload', onUnload);
  window.addEventListener('click', onClick, { capture: true });
  // These the router sends.
  window.addEventListener('pushState', onMoved);
  window.addEventListener('replaceState', onMoved);
}

function forget(form: symbol): void {
  unsaved.delete(form);
  if (unsaved.size > 0) return;
  window.removeEventListener('beforeunload', onUnload);
  window.removeEventListener('click', onClick, { capture: true });
  window.removeEventListener('pushState', onMoved);
  window.removeEventListener('replaceState', onMoved);
}

function onUnload(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function onMoved(): void {
  here = currentPlace();
}

/** A link to another page of the console, in this tab. */
function onClick(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link?.href || event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (link.origin !== window.location.origin || (link.target && link.target !== '_self') || link.hasAttribute('download')) return;
  if (!link.pathname.startsWith(`${consolePath}/`) || pageOf(link) === here.path) return;
  event.preventDefault();
  event.stopPropagation();
  ask(() => window.history.pushState(null, '', link.href));
}

/** Back or forth: the browser has gone already, so the page is gone back to while the question stands. */
function onStep(event: PopStateEvent): void {
  if (isStepping) {
    isStepping = false;
    // Back at the page as it was: nothing for the router to do.
    if (pageOf(window.location) === here.path) event.stopImmediatePropagation();
    return;
  }
  if (unsaved.size === 0) return;
  const there = currentPlace();
  if (there.path === here.path) {
    here = there;
    return;
  }
  event.stopImmediatePropagation();
  const steps = there.index === undefined || here.index === undefined ? -1 : there.index - here.index;
  step(-steps);
  ask(() => step(steps));
}

function step(steps: number): void {
  isStepping = true;
  window.history.go(steps);
}

function currentPlace(): Place {
  const entries = 'navigation' in window ? (window.navigation as Navigation | undefined) : undefined;
  return { path: pageOf(window.location), index: entries?.currentEntry?.index };
}

/** Other parts of the address are filters of the same page. */
function pageOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const asked = new URLSearchParams(search);
  return [pathname, ...PAGE_PARTS.map((name) => asked.get(name) ?? '')].join(' ');
}

/** To stay; a dialog below is not closed by the same key. */
function onKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || !leaveAsked.get()) return;
  event.stopImmediatePropagation();
  leaveAsked.set(undefined);
}

// When this file is loaded, so before the router and before any dialog: the window tells its listeners in the order in which they came.
window.addEventListener('popstate', onStep);
window.addEventListener('keydown', onKey, { capture: true });
