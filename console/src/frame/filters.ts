import { useSearchParams } from 'wouter';

export interface Filters {
  /** '' when it is not set. */
  get(name: string): string;
  /** '' takes it out; the list begins at its first page again. */
  set(name: string, value: string): void;
  clear(): void;
  /** Whether any is set. */
  readonly any: boolean;
  /** Those that are set, for a query of the API. */
  readonly given: Readonly<Record<string, string>>;
}

/** The filters of a list, kept in the address: a link shows the same list. */
export function useFilters(names: readonly string[]): Filters {
  const [search, setSearch] = useSearchParams();
  const given = Object.fromEntries(names.flatMap((name) => (search.get(name) ? [[name, search.get(name) as string]] : [])));
  return {
    given,
    any: Object.keys(given).length > 0,
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

/** Cursors belong to the filters that they were given for. */
function withoutPage(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.delete('cursor');
  next.delete('direction');
  next.delete('page');
  return next;
}
