import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { openSpool } from '../../smtp/spool.ts';
import { afterFile } from '../support/after-file.ts';
import { testEnvironment } from '../support/environment.ts';

const log = createLogger('silent', {});

async function* message(bytes: number): AsyncIterable<Uint8Array> {
  for (let left = bytes; left > 0; left -= 1000) yield randomBytes(Math.min(left, 1000));
}

test('what killed processes left is removed once it is old, and counts as long as it stays', async () => {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'smtp-spool-'));
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of ['old.eml', 'old.part', 'young.eml', 'young.part', 'of somebody else'])
    await writeFile(join(folder, name), randomBytes(20_000));
  for (const name of ['old.eml', 'old.part', 'of somebody else']) await utimes(join(folder, name), hourAgo, hourAgo);
  const spool = await openSpool({ folder, log, inMemory: 1000, onDisk: 60_000 });
  afterFile(() => spool.close());
  expect((await readdir(folder)).sort()).toEqual(['of somebody else', 'young.eml', 'young.part']);
  const first = await spool.take(message(15_000), 100_000);
  expect(first).toMatchObject({ size: 15_000 });
  expect(await spool.take(message(15_000), 100_000)).toBe('no room');
  if (typeof first !== 'string') await first[Symbol.asyncDispose]();
  expect(await spool.take(message(15_000), 100_000)).toMatchObject({ size: 15_000 });
});
