import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../../platform/logger.ts';
import { compileRegistry } from '../../../sending/compose/compile-registry.ts';
import { testEnvironment } from '../../support/environment.ts';

let templatesDir: string;
/** What one start has kept for the next. */
let kept: string | undefined;
let timesKept: number;

beforeAll(async () => {
  templatesDir = await mkdtemp(join(testEnvironment().scratchDir, 'templates-'));
});
beforeEach(() => {
  [kept, timesKept] = [undefined, 0];
});

async function write(text: string): Promise<void> {
  const content = { blocks: [{ type: 'text', text }] };
  const entry = { key: 'own', type: 'transactional', name: 'Own', description: '', subject: 'Own', dataSchema: [], content };
  await writeFile(join(templatesDir, 'own.json'), JSON.stringify(entry));
}

async function start() {
  const file = {
    read: async () => kept,
    async keep(text: string) {
      [kept, timesKept] = [text, timesKept + 1];
    },
  };
  const registry = await compileRegistry({ templatesDir }, createLogger('silent', {}), file);
  return registry.list('any').map(({ key, compiled }) => ({ key, compiled }));
}

const ownText = (entries: Awaited<ReturnType<typeof start>>) => entries.find(({ key }) => key === 'own')?.compiled.text;

test('what a start has compiled, the next has without compiling it', async () => {
  await write('As it was');
  const first = await start();
  expect(ownText(first)).toContain('As it was');
  expect(await start()).toEqual(first);
  expect(timesKept).toBe(1);
  kept = kept!.replaceAll('As it was', 'As it is kept');
  expect(ownText(await start())).toContain('As it is kept');
});

test('a template that has changed since is compiled, and those that have not are kept with it', async () => {
  await write('As it was');
  const first = await start();
  await write('As it is now');
  const second = await start();
  expect(ownText(second)).toContain('As it is now');
  expect(second.filter(({ key }) => key !== 'own')).toEqual(first.filter(({ key }) => key !== 'own'));
  expect(await start()).toEqual(second);
  expect(timesKept).toBe(2);
});

test('kept text that is not whole is made again', async () => {
  await write('As it was');
  const first = await start();
  kept = kept!.slice(0, -100);
  expect(await start()).toEqual(first);
  expect(timesKept).toBe(2);
});
