import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where tools keep what they can make again. */
const CACHE = join(ROOT, 'node_modules/.cache/everpost');

/** What is made from sources of this build, and kept until one of them changes. */
export interface KeptFile {
  /** undefined when it has to be made. */
  read(): Promise<string | undefined>;
  /** Those of other sources go. Where nothing can be kept, this does nothing, and it is made at each start. */
  keep(text: string): Promise<void>;
}

/** `sources`: all that it is made from, files and folders of TypeScript, below the root. */
export async function keptFile(name: string, extension: 'js' | 'json', sources: readonly string[]): Promise<KeptFile> {
  const path = join(CACHE, `${name}-${await fingerprint(sources)}.${extension}`);
  return {
    read: () => readFile(path, 'utf8').catch(() => undefined),
    keep: (text) => write(path, `${name}-`, text).catch(() => undefined),
  };
}

async function fingerprint(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources) {
    const digest = digests.get(source) ?? digestOf(source);
    digests.set(source, digest);
    hash.update(await digest);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Of each source, read once a process: what is kept is made from much the same. */
const digests = new Map<string, Promise<Buffer>>();

async function digestOf(source: string): Promise<Buffer> {
  const hash = createHash('sha256');
  const path = join(ROOT, source);
  const names = (await stat(path)).isDirectory() ? (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.ts')) : [''];
  for (const name of names.sort()) hash.update(`${source}/${name}\n`).update(await readFile(join(path, name)));
  return hash.digest();
}

/** Under its name only when it is whole; those of before go. */
async function write(path: string, prefix: string, text: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, text);
  await rename(draft, path);
  for (const name of await readdir(CACHE))
    if (name.startsWith(prefix) && join(CACHE, name) !== path) await rm(join(CACHE, name), { force: true });
}
