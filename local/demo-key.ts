import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of the demo project. */
export const DEMO_SLUG = 'demo';

/** The key of the demo project that was made on this folder; undefined when none was. */
export async function keptDemoKey(dataDir: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(keyFile(dataDir), 'utf8')) as { key?: string }).key;
  } catch {
    return undefined;
  }
}

/** In one step, readable by its owner only. */
export async function keepDemoKey(dataDir: string, key: string): Promise<void> {
  const file = keyFile(dataDir);
  await writeFile(`${file}.draft`, `${JSON.stringify({ project: DEMO_SLUG, key }, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.draft`, file);
}

function keyFile(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
