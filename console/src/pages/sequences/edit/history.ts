import { useCallback, useReducer } from 'react';

interface Past<T> {
  readonly before: readonly T[];
  readonly now: T;
  readonly after: readonly T[];
  /** What was changed last: one that goes on, like typing, is undone at once. */
  readonly last: string | undefined;
}

type Action<T> =
  | { readonly do: 'change'; readonly to: T; readonly what: string | undefined }
  | { readonly do: 'undo' }
  | { readonly do: 'redo' }
  | { readonly do: 'reset'; readonly to: T };

const MOST_KEPT = 200;

function next<T>(past: Past<T>, action: Action<T>): Past<T> {
  const { before, now, after, last } = past;
  switch (action.do) {
    case 'change':
      if (action.what !== undefined && action.what === last) return { before, now: action.to, after: [], last };
      return { before: [...before, now].slice(-MOST_KEPT), now: action.to, after: [], last: action.what };
    case 'undo': {
      const to = before.at(-1);
      return to === undefined ? past : { before: before.slice(0, -1), now: to, after: [now, ...after], last: undefined };
    }
    case 'redo': {
      const [to, ...rest] = after;
      return to === undefined ? past : { before: [...before, now], now: to, after: rest, last: undefined };
    }
    case 'reset':
      return { before: [], now: action.to, after: [], last: undefined };
    default:
      return action satisfies never;
  }
}

export interface History<T> {
  readonly now: T;
  /** `what`: changes of the same, one after the other, are one step of undo. */
  change(to: T, what?: string): void;
  /** Answers what is there then, and likewise `redo`; undefined: there is nothing to undo. */
  readonly undo: (() => T) | undefined;
  readonly redo: (() => T) | undefined;
  /** Forgets all steps. */
  reset(to: T): void;
}

/** A value whose changes can be undone. */
export function useHistory<T>(first: T): History<T> {
  const [{ before, now, after }, dispatch] = useReducer(next<T>, { before: [], now: first, after: [], last: undefined });
  const change = useCallback((to: T, what?: string) => dispatch({ do: 'change', to, what }), []);
  const reset = useCallback((to: T) => dispatch({ do: 'reset', to }), []);
  const by = (what: 'undo' | 'redo', to: T | undefined): (() => T) | undefined =>
    to === undefined
      ? undefined
      : () => {
          dispatch({ do: what });
          return to;
        };
  return { now, change, reset, undo: by('undo', before.at(-1)), redo: by('redo', after[0]) };
}
