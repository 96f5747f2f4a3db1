import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openapiDocument } from '../api/openapi.ts';
import { routes } from '../api/routes/index.ts';
import { version } from '../api/version.ts';
import { replaceFile } from './replace-file.ts';

const GENERATED = fileURLToPath(new URL('../console/generated', import.meta.url));
const SCOPE_RULES = fileURLToPath(new URL('../domain/projects/scopes.ts', import.meta.url));

/** The OpenAPI document of these sources, as GET /openapi.json answers it. */
export function apiDocument(): string {
  return JSON.stringify(openapiDocument(routes, { version }));
}

/**
 * Writes what the console has of the API into `folder`: the types of its client from the document, scopes, and the rules of what a key with
 * them may do, as the server has them. A file that says the same is left alone.
 */
export async function writeConsoleTypes(document: string, folder = GENERATED): Promise<void> {
  await mkdir(folder, { recursive: true });
  await replaceFile(join(folder, 'api.d.ts'), await typesOf(document));
  await replaceFile(join(folder, 'operation-scopes.ts'), operationScopes(document));
  await replaceFile(join(folder, 'key-scopes.ts'), await readFile(SCOPE_RULES, 'utf8'));
}

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security: readonly { readonly apiKey: readonly string[] }[] }>>>
  >;
}

/** The scope of each operation that asks for one, as a module. */
function operationScopes(document: string): string {
  const { paths } = JSON.parse(document) as Described;
  const scopes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security }]) =>
      (security[0]?.apiKey ?? []).map((scope) => [`${method.toUpperCase()} ${path}`, scope] as const),
    ),
  );
  return `export const OPERATION_SCOPES = ${JSON.stringify(Object.fromEntries(scopes), null, 2)} as const;\n`;
}

/** The types that openapi-fetch takes, as a file. */
async function typesOf(document: string): Promise<string> {
  await import('./typescript-api.ts');
  const { default: transform, astToString } = await import('openapi-typescript');
  return astToString(await transform(document));
}
