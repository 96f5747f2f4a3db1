import { readFile, rename, writeFile } from 'node:fs/promises';

/** Writes a generated file whole. One that says the same is left alone, so that nothing is made of it again. */
export async function replaceFile(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return;
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, path);
}
