import { expect, test } from 'vitest';
import { fittingPage } from '../../../api/mcp/tools/shared.ts';

const ROWS = Array.from({ length: 100 }, (_, at) => ({
  at,
  note: 'x'.repeat(150),
  also: Array.from({ length: 10 }, () => 'y'.repeat(at)),
}));

/** A list of which a page ends where its cursor says; `reads`: the limits that it was asked with. */
function list(): { readonly reads: number[]; read(from: number, limit: number): Promise<Page> } {
  const reads: number[] = [];
  return {
    reads,
    async read(from, limit) {
      reads.push(limit);
      const end = from + limit;
      return { ok: true, rows: ROWS.slice(from, end), nextCursor: end < ROWS.length ? String(end) : null };
    },
  };
}
interface Page {
  readonly ok: boolean;
  readonly rows: readonly { readonly at: number }[];
  readonly nextCursor: string | null;
}

test('a page that is too long for an answer is read twice, with as many rows as fit, and its cursor passes over none', async () => {
  const seen: number[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { reads, read } = list();
    const from: number = Number(cursor);
    const { rows, nextCursor }: Page = await fittingPage(100, (limit) => read(from, limit));
    seen.push(...rows.map(({ at }) => at));
    expect(reads.length).toBeLessThanOrEqual(2);
    // One more would have been too many.
    if (nextCursor !== null) expect(await fittingPage(rows.length + 1, (limit) => list().read(from, limit))).toMatchObject({ nextCursor });
    cursor = nextCursor;
  }
  expect(seen).toEqual(ROWS.map(({ at }) => at));
});

test('what fits is read once', async () => {
  const { reads, read } = list();
  expect((await fittingPage(20, (limit) => read(0, limit))).rows).toHaveLength(20);
  expect(reads).toEqual([20]);
});
