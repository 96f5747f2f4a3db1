import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../../../cli/package.json' with { type: 'json' };
import { testEnvironment } from '../../support/environment.ts';
import { newProject } from '../../support/project.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

test('what is published is whole: it runs with the packages that it names and nothing else', async () => {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'packed-'));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: join(ROOT, 'cli') });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', folder]);
  const installed = join(folder, 'package');
  expect((await readdir(installed)).toSorted()).toEqual(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']);
  // A page of the registry has no other file to lead to.
  const links = [...(await readFile(join(installed, 'README.md'), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to);
  expect(links.filter((to) => !to?.startsWith('http'))).toEqual([]);
  await mkdir(join(installed, 'node_modules'));
  for (const name of Object.keys(manifest.dependencies))
    await symlink(join(ROOT, 'node_modules', name), join(installed, 'node_modules', name));
  const bin = join(installed, manifest.bin.everpost);
  const project = await newProject();
  const env = { PATH: process.env.PATH, HOME: folder, EVERPOST_API_KEY: project.key, EVERPOST_URL: testEnvironment().apiUrl };
  expect((await run(process.execPath, [bin, '--version'], { env })).stdout).toBe(`${manifest.version}\n`);
  expect((await run(process.execPath, [bin, 'contacts', 'list', '--json'], { env })).stdout).toBe('[]\n');
  expect((await run(process.execPath, [bin, 'mcp', '--help'], { env })).stdout).toContain('--allow-send');
});
