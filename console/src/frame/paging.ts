import { useSearchParams } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';

export interface Paging {
  /** undefined at its end. */
  readonly next: (() => void) | undefined;
  readonly previous: (() => void) | undefined;
}

export interface Position {
  readonly cursor?: string;
  /** Absent where a list is read forwards. */
  readonly direction?: 'previous';
}

interface Trail {
  /** Where the pages before this one began, the first page as ''. */
  readonly trail?: readonly string[];
}

/** Where in its list a page begins, from the address; nothing for the first. */
export function usePosition(): Position {
  const [search] = useSearchParams();
  const cursor = search.get('cursor');
  if (!cursor) return {};
  return search.get('direction') === 'previous' ? { cursor, direction: 'previous' } : { cursor };
}

/** The ways to the pages beside this one. Lists that cannot be read backwards go back the way one came, and else to the first page. */
export function usePaging(page: { readonly nextCursor: string | null; readonly previousCursor?: string | null } | undefined): Paging {
  const [, setSearch] = useSearchParams();
  const { cursor } = usePosition();
  const trail = useHistoryState<Trail | null>()?.trail ?? [];
  const go = (position: { readonly cursor: string; readonly direction?: 'previous' }, walked: readonly string[]): void => {
    const change = (before: URLSearchParams): URLSearchParams => {
      const search = new URLSearchParams(before);
      for (const name of ['cursor', 'direction'] as const) {
        if (position[name]) search.set(name, position[name]);
        else search.delete(name);
      }
      return search;
    };
    setSearch(change, { state: { trail: walked } satisfies Trail });
    window.scrollTo({ top: 0 });
  };
  const { nextCursor, previousCursor } = page ?? {};
  const readsBackwards = previousCursor !== undefined;
  const back = (): void => go({ cursor: trail.at(-1) ?? '' }, trail.slice(0, -1));
  return {
    next: nextCursor ? () => go({ cursor: nextCursor }, readsBackwards ? [] : [...trail, cursor ?? '']) : undefined,
    previous: previousCursor
      ? () => go({ cursor: previousCursor, direction: 'previous' }, [])
      : !readsBackwards && cursor
        ? back
        : undefined,
  };
}

/** Rows of one page, of a list that the API gives as a whole. */
const PAGE_ROWS = 50;

/** The page of a whole list that the address names by its number. */
export function usePages<Row>(all: readonly Row[] | undefined): { readonly rows: readonly Row[] | undefined; readonly paging: Paging } {
  const [search, setSearch] = useSearchParams();
  const last = Math.max(1, Math.ceil((all?.length ?? 0) / PAGE_ROWS));
  const page = Math.min(last, Math.max(1, Number(search.get('page')) || 1));
  const go = (to: number) => (): void => {
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (to > 1) next.set('page', String(to));
      else next.delete('page');
      return next;
    });
    window.scrollTo({ top: 0 });
  };
  return {
    rows: all?.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS),
    paging: { next: page < last ? go(page + 1) : undefined, previous: page > 1 ? go(page - 1) : undefined },
  };
}
