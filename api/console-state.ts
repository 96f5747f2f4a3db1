import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where builds of the console lie, each in a folder named by its hash. */
export const CONSOLE_DIST = fileURLToPath(new URL('../console/dist', import.meta.url));

/** How far the console is; other processes read it from a file. */
export type ConsoleState =
  | { readonly state: 'missing'; readonly build?: undefined }
  | { readonly state: 'building'; readonly build?: undefined }
  | { readonly state: 'failed'; readonly message: string; readonly build?: undefined }
  | { readonly state: 'ready'; readonly build: string };

const FILE = 'state.json';

/** `missing` when nothing was ever built, or what was written cannot be read. */
export async function readConsoleState(dist: string = CONSOLE_DIST): Promise<ConsoleState> {
  try {
    return JSON.parse(await readFile(join(dist, FILE), 'utf8')) as ConsoleState;
  } catch {
    return { state: 'missing' };
  }
}

/** In one step, so that nobody reads half of it. */
export async function writeConsoleState(state: ConsoleState, dist: string = CONSOLE_DIST): Promise<void> {
  await mkdir(dist, { recursive: true });
  const draft = join(dist, `${FILE}.${process.pid}`);
  await writeFile(draft, `${JSON.stringify(state)}\n`);
  await rename(draft, join(dist, FILE));
}
