import { useSearchParams } from 'wouter';
import type { EmptyProps } from '../show/empty.tsx';

export interface Filters {
  /** '' when it is not set. */
  get(name: string): string;
  /** '' takes it out; the list begins at its first page again. */
  set(name: string, value: string): void;
  clear(): void;
  /** Whether any is set. */
  readonly any: boolean;
  /** What a list says of such things when it has none because of them; undefined while none is set. */
  noneMatch(thing: string): EmptyProps | undefined;
  /** Those that are set, for a query of the API. */
  readonly given: Readonly<Record<string, string>>;
}

const CHANGE_FILTER = 'Change or clear the filter.';
const CHANGE_FILTERS = 'Change or clear the filters.';

/** The filters of a list, kept in the address: a link shows the same list. */
export function useFilters(names: readonly string[]): Filters {
  const [search, setSearch] = useSearchParams();
  const given = Object.fromEntries(names.flatMap((name) => (search.get(name) ? [[name, search.get(name) as string]] : [])));
  const any = Object.keys(given).length > 0;
  return {
    given,
    any,
    noneMatch: (thing) => (any ? { title: `No matching ${thing}`, text: names.length > 1 ? CHANGE_FILTERS : CHANGE_FILTER } : undefined),
    get: (name) => given[name] ?? '',
    set: (name, value) =>
      setSearch(
        (before) => {
          const next = withoutPage(before);
          if (value) next.set(name, value);
          else next.delete(name);
          return next;
        },
        { replace: true },
      ),
    clear: () =>
      setSearch((before) => {
        const next = withoutPage(before);
        for (const name of names) next.delete(name);
        return next;
      }),
  };
}

/** What is given with the filters `from` and `to` as the API asks for them. Days are the reader's own, the last one included. */
export function withMoments({ from, to, ...rest }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [begin, end] = [from && startOfDay(from), to && startOfDay(to, 1)];
  return { ...rest, ...(begin ? { from: begin } : {}), ...(end ? { to: end } : {}) };
}

/** When a day like `2026-06-01` begins here, or one so many days later; undefined when the text is none. A moment that a link names is that moment. */
function startOfDay(text: string, later = 0): string | undefined {
  if (text.includes('T')) return text;
  const [year = Number.NaN, month = 1, day = 1] = text.split('-').map(Number);
  const date = new Date(year, month - 1, day + later);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Cursors belong to the filters that they were given for. */
function withoutPage(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.delete('cursor');
  next.delete('direction');
  next.delete('page');
  return next;
}
