import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openapiDocument } from '../../api/openapi.ts';
import { routes } from '../../api/routes/index.ts';

const ROOT = join(import.meta.dirname, '../..');
const SUPPORT = join(ROOT, 'test/support/typed-client');
const run = promisify(execFile);

test('openapi-typescript makes types of it, with which a program that reads a graph and puts it back needs no cast', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'everpost-types-'));
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(openapiDocument(routes, { version: '1.0.0' })));
    await copyFile(join(SUPPORT, 'program.ts.txt'), join(folder, 'program.ts'));
    const generator = ['--import', join(ROOT, 'local/typescript-api.ts'), join(ROOT, 'node_modules/openapi-typescript/bin/cli.js')];
    await run(process.execPath, [...generator, 'openapi.json', '-o', 'everpost.d.ts'], { cwd: folder });
    const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--module', 'nodenext'];
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, '--target', 'es2023', '--lib', 'es2023,dom', '--types', ''];
    const { stdout } = await run(process.execPath, [...tsc, 'program.ts', 'everpost.d.ts'], { cwd: folder }).catch((error) => error);
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});
