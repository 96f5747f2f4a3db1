import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { insteadOf } from '../domain/nearest-name.ts';
import { type CompileEntry, type RegistryEntry, readRegistryEntry } from '../domain/template/registry-entry.ts';
import { ConfigError } from './config.ts';

const SHIPPED = fileURLToPath(new URL('../templates', import.meta.url));

/** The templates of this installation, compiled. Fixed while the process runs. */
export class TemplateRegistry {
  readonly #entries: ReadonlyMap<string, RegistryEntry>;

  constructor(entries: Iterable<RegistryEntry>) {
    this.#entries = new Map([...entries].map((entry) => [entry.key, entry]));
  }

  get(key: string): RegistryEntry | undefined {
    return this.#entries.get(key);
  }

  /** The entry of this key, if it is for the project. */
  find(key: string, projectSlug: string): RegistryEntry | undefined {
    const entry = this.#entries.get(key);
    return entry && this.isFor(entry, projectSlug) ? entry : undefined;
  }

  /** The entries for a project, by key. */
  list(projectSlug: string): RegistryEntry[] {
    return [...this.#entries.values()].filter((entry) => this.isFor(entry, projectSlug)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** What to say of a key that no template for the project has. */
  noSuchTemplate(key: string, projectSlug: string): string {
    const keys = this.list(projectSlug).map((entry) => entry.key);
    return `no template has the key ${key}; ${insteadOf(key, keys)}`;
  }

  isFor(entry: RegistryEntry, projectSlug: string): boolean {
    return entry.projects === undefined || entry.projects.includes(projectSlug);
  }
}

/**
 * Reads the templates that ship and those of `templatesDir`. Throws ConfigError naming file and field of the first bad entry. `compile`:
 * in this thread when omitted.
 */
export async function loadTemplateRegistry(templatesDir?: string, compile?: CompileEntry): Promise<TemplateRegistry> {
  const files = [...(await jsonFiles(SHIPPED)), ...(templatesDir ? await jsonFiles(templatesDir) : [])];
  const entries = new Map<string, RegistryEntry>();
  const origins = new Map<string, string>();
  for (const file of files) {
    const entry = await readEntry(file, compile);
    const other = origins.get(entry.key);
    if (other) throw new ConfigError(`${file}: key: "${entry.key}" is already the key of ${other}`);
    entries.set(entry.key, entry);
    origins.set(entry.key, file);
  }
  return new TemplateRegistry(entries.values());
}

async function jsonFiles(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(directory, name));
  } catch (error) {
    throw new ConfigError(`TEMPLATES_DIR: ${directory} should be a folder that can be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function readEntry(file: string, compile: CompileEntry | undefined): Promise<RegistryEntry> {
  const read = await readRegistryEntry(parseJson(await readFile(file, 'utf8'), file), compile);
  if ('entry' in read) return read.entry;
  throw new ConfigError(read.issues.map(({ path, message }) => [file, path, message].filter(Boolean).join(': ')).join('\n'));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${file}: not valid JSON: ${(error as Error).message}`);
  }
}
