import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONSOLE_DIST, readConsoleState } from '../../api/console-state.ts';

/** Beyond this somebody on a phone waits to be asked for a key. */
const MOST_KB = 180;

test('the page that asks for a key names no more than 180 kB of scripts and styles, compressed by gzip', async () => {
  const state = await readConsoleState();
  if (state.state !== 'ready') throw new Error(`the console is ${state.state}`);
  const folder = join(CONSOLE_DIST, state.build);
  const document = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...document.matchAll(/"\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path as string);
  expect(named.some((path) => path.endsWith('.js')) && named.some((path) => path.endsWith('.css'))).toBe(true);
  const sizes = await Promise.all(named.map(async (path) => (await stat(join(folder, `${path}.gz`))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0) / 1000).toBeLessThan(MOST_KB);
});
