import { chmod, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstThatWorks, temporalBinary, type Way } from '../../local/temporal-binary.ts';
import { testEnvironment } from '../support/environment.ts';

const silent = (): void => {};
const scratch = (): Promise<string> => mkdtemp(join(testEnvironment().scratchDir, 'binary-'));

/** A program that answers to --version as the real one does. */
async function fakeServer(path: string, server: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\necho "temporal version 1.0.0 (Server ${server}, UI 2.0.0)"\n`);
  await chmod(path, 0o755);
  return path;
}

test('the first way that works is taken and the later ones are not tried', async () => {
  const tried: string[] = [];
  const way = (name: string, found: { path: string } | { reason: string }): Way => ({
    name,
    find: async () => {
      tried.push(name);
      return found;
    },
  });
  const path = await firstThatWorks([way('a', { reason: 'no' }), way('b', { path: '/b' }), way('c', { path: '/c' })]);
  expect(path).toBe('/b');
  expect(tried).toEqual(['a', 'b']);
});

test('when no way works, the error lists every one with its reason and what to do', async () => {
  const way = (name: string): Way => ({ name, find: async () => ({ reason: `${name} failed` }) });
  await expect(firstThatWorks([way('one'), way('two')])).rejects.toThrow(
    /1\. one: one failed\n {2}2\. two: two failed\nSet TEMPORAL_CLI_PATH/,
  );
});

test('TEMPORAL_CLI_PATH comes before the PATH, the PATH before the cache', async () => {
  const folder = await scratch();
  const bin = join(folder, 'bin');
  const cache = join(folder, 'cache');
  await Promise.all([mkdir(bin), mkdir(cache)]);
  const named = await fakeServer(join(folder, 'mine'), '1.31.2');
  const onPath = await fakeServer(join(bin, 'temporal'), '1.31.2');
  const platform = `${process.platform}-${process.arch}`;
  await fakeServer(join(cache, `temporal-server-1.29.9-${platform}`), '1.29.9');
  const newest = await fakeServer(join(cache, `temporal-server-1.31.2-${platform}`), '1.31.2');
  const env = { PATH: `${bin}:${process.env.PATH}` };
  expect(await temporalBinary({ temporalCliPath: named, userCacheDir: cache }, silent, env)).toBe(named);
  expect(await temporalBinary({ temporalCliPath: undefined, userCacheDir: cache }, silent, env)).toBe(onPath);
  expect(await temporalBinary({ temporalCliPath: undefined, userCacheDir: cache }, silent, { PATH: '/nowhere' })).toBe(newest);
});

test('a TEMPORAL_CLI_PATH that does not work stops the start', async () => {
  const folder = await scratch();
  const old = await fakeServer(join(folder, 'old'), '1.24.0');
  const find = (temporalCliPath: string) => temporalBinary({ temporalCliPath, userCacheDir: folder }, silent, { PATH: '' });
  await expect(find(join(folder, 'missing'))).rejects.toThrow(/TEMPORAL_CLI_PATH is ".*missing", which does not work: no such file/);
  await expect(find(old)).rejects.toThrow(/its server is 1\.24\.0, 1\.29\.0 or newer is needed/);
});

test('a damaged file in the cache is removed and passed over', async () => {
  const cache = await scratch();
  const platform = `${process.platform}-${process.arch}`;
  await writeFile(join(cache, `temporal-server-1.31.9-${platform}`), 'half a file');
  const works = await fakeServer(join(cache, `temporal-server-1.31.2-${platform}`), '1.31.2');
  expect(await temporalBinary({ temporalCliPath: undefined, userCacheDir: cache }, silent, { PATH: '' })).toBe(works);
  expect(await readdir(cache)).toEqual([`temporal-server-1.31.2-${platform}`]);
});
