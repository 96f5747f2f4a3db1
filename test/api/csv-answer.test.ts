import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { csvAnswer } from '../../api/csv-answer.ts';
import type { KeyContext } from '../../api/route.ts';

const project = { id: 'csv-answer' } as KeyContext['project'];

test('pages are read as the caller takes them, and the next one is not read before', async () => {
  let read = 0;
  async function* pages() {
    for (;;) {
      read++;
      yield [['x'.repeat(100_000)]];
    }
  }
  const answer = csvAnswer({ project }, { filename: 'people.csv', columns: ['note'], pages: pages() });
  const body = answer.body as Readable;
  await once(body, 'readable');
  for (let nth = 0; nth < 20; nth++) await turn();
  expect(read).toBeLessThanOrEqual(2);
  for (let taken = 0; taken < 1_000_000; ) taken += (await nextOf(body)).length;
  for (let nth = 0; nth < 20; nth++) await turn();
  expect(read).toBeGreaterThanOrEqual(10);
  expect(read).toBeLessThanOrEqual(13);
  body.destroy();
});

/** The next piece of a stream, once there is one. */
async function nextOf(body: Readable): Promise<string> {
  for (;;) {
    const piece = body.read();
    if (piece !== null) return piece;
    await once(body, 'readable');
  }
}
