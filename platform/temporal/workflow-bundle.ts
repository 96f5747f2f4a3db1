import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUNDLER = fileURLToPath(new URL('./bundle-workflows.ts', import.meta.url));
/** Where tools keep what they can make again. */
const CACHE = join(ROOT, 'node_modules/.cache/everpost');
/** All that can be in the bundle: workflows import the domain and packages, and nothing else. */
const SOURCES = ['workflows', 'domain', 'package-lock.json', 'platform/temporal/bundle-workflows.ts'];
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The code of all workflows in one script. Bundling takes two seconds, and memory that a process keeps for good, so a process of its own
 * does it, and what it made is kept until one of the sources changes; where nothing can be kept, it is made at each start.
 */
export async function workflowBundle(): Promise<{ readonly code: string }> {
  const kept = join(CACHE, `workflows-${await fingerprint()}.js`);
  const known = await readFile(kept, 'utf8').catch(() => undefined);
  if (known) return { code: known };
  const { stdout: code } = await promisify(execFile)(process.execPath, [BUNDLER], { maxBuffer: MOST_BYTES });
  await keep(kept, code).catch(() => undefined);
  return { code };
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    const names = (await stat(path)).isDirectory()
      ? (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.ts'))
      : [''];
    for (const name of names.sort()) hash.update(`${source}/${name}\n`).update(await readFile(join(path, name)));
  }
  return hash.digest('hex').slice(0, 32);
}

/** Under its name only when it is whole; those of before go. */
async function keep(path: string, code: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, code);
  await rename(draft, path);
  for (const name of await readdir(CACHE))
    if (name.startsWith('workflows-') && join(CACHE, name) !== path) await rm(join(CACHE, name), { force: true });
}
