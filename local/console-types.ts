import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openapiDocument } from '../api/openapi.ts';
import { routes } from '../api/routes/index.ts';
import { version } from '../api/version.ts';

const FILE = fileURLToPath(new URL('../console/generated/api.d.ts', import.meta.url));

/** The OpenAPI document of these sources, as GET /openapi.json answers it. */
export function apiDocument(): string {
  return JSON.stringify(openapiDocument(routes, { version }));
}

/** Writes the document as the TypeScript types of the console's client; a file that says the same is left alone. */
export async function writeConsoleTypes(document: string): Promise<void> {
  const text = await typesOf(document);
  if ((await readFile(FILE, 'utf8').catch(() => '')) === text) return;
  await mkdir(dirname(FILE), { recursive: true });
  const draft = `${FILE}.${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, FILE);
}

/** The types that openapi-fetch takes, as a file. */
export async function typesOf(document: string): Promise<string> {
  await import('./typescript-api.ts');
  const { default: transform, astToString } = await import('openapi-typescript');
  return astToString(await transform(document));
}
