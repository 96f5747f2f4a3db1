/**
 * A list, page by page. Awaited it is the first page; in `for await` it is every item of every page, each page asked for when the one before
 * it has been read.
 */
export interface Pages<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  /** The pages themselves. */
  pages(): AsyncIterable<Page>;
}

type Query = Readonly<Record<string, unknown>>;
type Page = Readonly<Record<string, unknown>>;

/** How a list goes on: the way to its items, dotted, and by what the next page is asked for. */
export interface Paging {
  readonly items: string;
  /** `cursor`: by the cursor of the answer. `before`: by the version of the last item. */
  readonly by: 'cursor' | 'before';
}

export function pagesOf(
  first: Promise<Page>,
  query: Query,
  { items, by }: Paging,
  load: (query: Query) => Promise<Page>,
): Pages<Page, unknown> {
  // It is asked for before anyone listens, and an error that nobody hears yet would end the process: whoever reads the list still gets it.
  first.catch(() => {});
  const itemsOf = (page: Page) =>
    (items.split('.').reduce<unknown>((at, name) => (at as Page | undefined)?.[name], page) ?? []) as readonly unknown[];
  async function* pages(): AsyncGenerator<Page> {
    for (let page = await first; ; ) {
      yield page;
      const next = by === 'cursor' ? page.nextCursor : (itemsOf(page).at(-1) as { version?: number } | undefined)?.version;
      if (next === null || next === undefined) return;
      // A direction says on which side of a cursor the page is; the next one is always behind.
      const { direction: _, ...same } = query;
      page = await load({ ...same, [by]: next });
    }
  }
  async function* each(): AsyncGenerator<unknown> {
    for await (const page of pages()) yield* itemsOf(page);
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: each });
}
