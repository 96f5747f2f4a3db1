import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { CONSOLE_DIST, type ConsoleState, readConsoleState, writeConsoleState } from '../api/console-state.ts';
import { apiDocument, writeConsoleTypes } from './console-types.ts';
import { processIdentity } from './process-identity.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'console');
const LOCK = join(CONSOLE_DIST, 'lock');
const LOOK_AGAIN_MS = 200;
/** Made from the sources, so no part of them. */
const MADE = ['dist', 'generated'];
/** Worth compressing; all else is so already. */
const TEXT = /\.(js|css|svg|html|json|map)$/;

/** Builds the page at /console when there is none of these sources, packages and routes. Throws with what is wrong in words. */
export async function buildConsole(): Promise<'built' | 'fresh'> {
  const document = apiDocument();
  const build = await hashOf(document);
  if (await isBuilt(build)) return 'fresh';
  const release = await takeLock();
  try {
    // Another process may have built it while this one waited.
    if (await isBuilt(build)) return 'fresh';
    await writeConsoleState({ state: 'building' });
    await make(build, document);
    await writeConsoleState({ state: 'ready', build });
    return 'built';
  } catch (error) {
    const failed: ConsoleState = { state: 'failed', message: (error as Error).message };
    await writeConsoleState(failed).catch(() => {});
    throw error;
  } finally {
    await release();
  }
}

async function isBuilt(build: string): Promise<boolean> {
  const { state, build: standing } = await readConsoleState();
  return state === 'ready' && standing === build;
}

/** Removes what was built before; a page that is open reloads itself when it misses a file. */
async function make(build: string, document: string): Promise<void> {
  await writeConsoleTypes(document);
  await run('the types of the console do not fit the API', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'console']);
  for (const name of await readdir(CONSOLE_DIST)) if (/^[0-9a-f]{16}$/.test(name)) await rm(join(CONSOLE_DIST, name), { recursive: true });
  const folder = join(CONSOLE_DIST, build);
  await run('vite could not build the console', ['node_modules/vite/bin/vite.js', 'build', 'console', '--outDir', folder, '--emptyOutDir']);
  await compress(join(folder, 'assets'));
}

/** One build at a time in these sources, also among processes. The lock of one that has died counts for nothing. */
async function takeLock(): Promise<() => Promise<void>> {
  await mkdir(CONSOLE_DIST, { recursive: true });
  const mine = `${process.pid} ${await processIdentity(process.pid)}`;
  for (;;) {
    try {
      await writeFile(LOCK, mine, { flag: 'wx' });
      return () => rm(LOCK, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readFile(LOCK, 'utf8').catch(() => '');
    const [pid = '', ...identity] = holder.split(' ');
    const lives = identity.join(' ') !== '' && (await processIdentity(Number(pid))) === identity.join(' ');
    if (holder && !lives) await rm(LOCK, { force: true });
    else await sleep(LOOK_AGAIN_MS);
  }
}

/** Of everything that a build is made of. */
async function hashOf(document: string): Promise<string> {
  const hash = createHash('sha256').update(document);
  const names = await readdir(SOURCES, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sources = files.filter((file) => !MADE.some((folder) => file.startsWith(join(SOURCES, folder, '/'))));
  for (const file of [...sources.sort(), join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    hash.update(`\0${file.slice(ROOT.length)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Runs a tool of the packages, and fails with what it wrote. React is built as users get it, also where NODE_ENV says something else. */
async function run(problem: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => written.push(text));
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${problem}:\n${written.join('').trim()}`);
}

/** Beside each file a smaller one for each encoding, made once. */
async function compress(folder: string): Promise<void> {
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
  for (const name of (await readdir(folder)).filter((file) => TEXT.test(file))) {
    const plain = await readFile(join(folder, name));
    await writeFile(join(folder, `${name}.gz`), (await promisify(gzip)(plain, { level: 9 })) as Buffer);
    await writeFile(join(folder, `${name}.br`), (await promisify(brotliCompress)(plain, brotli)) as Buffer);
  }
}
