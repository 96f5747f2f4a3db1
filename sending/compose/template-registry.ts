import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import type { EntityManager } from '../../db/orm.ts';
import {
  findProjectTemplate,
  listProjectTemplates,
  type ProjectTemplateAt,
  projectTemplatesAt,
} from '../../db/queries/templates/project-templates.ts';
import { insteadOf } from '../../domain/nearest-name.ts';
import { type CompileEntry, type RegistryEntry, readRegistryEntry } from '../../domain/templates/registry-entry.ts';
import { ConfigError } from '../../platform/config-error.ts';

const SHIPPED = fileURLToPath(new URL('../../templates', import.meta.url));

/** Whose templates are asked for. */
export interface TemplateProject {
  readonly id: string;
  readonly slug: string;
}

export interface ListedTemplate extends Pick<RegistryEntry, 'key' | 'type' | 'name' | 'description'> {
  /** Made by the project itself. */
  readonly isOwn: boolean;
}

const KEPT_BYTES = 16 * 1024 * 1024;

/**
 * The templates of this installation, compiled and fixed while the process runs; and through it those that a project has made by itself.
 * Where both have a key, which can only be when the installation got it later, that of the installation counts.
 */
export class TemplateRegistry {
  readonly #entries: ReadonlyMap<string, RegistryEntry>;
  /** Of projects, by id and version of the schema; one never changes. */
  readonly #own = new LRUCache<string, RegistryEntry>({ maxSize: KEPT_BYTES });

  constructor(entries: Iterable<RegistryEntry>) {
    this.#entries = new Map([...entries].map((entry) => [entry.key, entry]));
  }

  /** Of the installation, whatever projects it is for. */
  get(key: string): RegistryEntry | undefined {
    return this.#entries.get(key);
  }

  /** The template of this key as a project sees it: of the installation, or its own. */
  async find(em: EntityManager, project: TemplateProject, key: string): Promise<RegistryEntry | undefined> {
    return this.installed(project, key) ?? this.#findOwn(em, project.id, key);
  }

  /** The same for several keys, by key. */
  async findAll(em: EntityManager, project: TemplateProject, keys: readonly string[]): Promise<ReadonlyMap<string, RegistryEntry>> {
    const unique = [...new Set(keys)];
    const own = await this.#findAllOwn(
      em,
      project.id,
      unique.filter((key) => !this.installed(project, key)),
    );
    return new Map(
      unique.flatMap((key) => {
        const entry = this.installed(project, key) ?? own.get(key);
        return entry ? [[key, entry]] : [];
      }),
    );
  }

  /** The template of the installation that has this key for the project. */
  installed(project: TemplateProject, key: string): RegistryEntry | undefined {
    const entry = this.#entries.get(key);
    return entry && this.isFor(entry, project.slug) ? entry : undefined;
  }

  /**
   * As `find` does, for work that began when the project had it, whatever the installation has changed since. `begunAt`: with the variables
   * that were declared then; those of now when omitted.
   */
  async findBegun(em: EntityManager, projectId: string, key: string, begunAt?: Date): Promise<RegistryEntry | undefined> {
    const entry = this.#entries.get(key);
    return entry && !entry.projects ? entry : ((await this.#findOwn(em, projectId, key, begunAt)) ?? entry);
  }

  /** All that a project sees, its own among them, by key. */
  async listAll(em: EntityManager, project: TemplateProject): Promise<ListedTemplate[]> {
    const ofInstallation = this.list(project.slug).map(({ key, type, name, description }) => ({
      key,
      type,
      name,
      description,
      isOwn: false,
    }));
    const own = (await listProjectTemplates(em, project.id)).filter(({ key }) => !this.installed(project, key));
    return [...ofInstallation, ...own.map((one) => ({ ...one, isOwn: true }))].sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async #findOwn(em: EntityManager, projectId: string, key: string, at?: Date): Promise<RegistryEntry | undefined> {
    return (await this.#findAllOwn(em, projectId, [key], at)).get(key);
  }

  async #findAllOwn(em: EntityManager, projectId: string, keys: readonly string[], at?: Date): Promise<Map<string, RegistryEntry>> {
    const entries = new Map<string, RegistryEntry>();
    for (const found of keys.length > 0 ? await projectTemplatesAt(em, projectId, keys, at) : []) {
      const entry = this.#own.get(nameOf(found)) ?? (await this.#readOwn(em, found));
      if (entry) entries.set(found.key, entry);
    }
    return entries;
  }

  async #readOwn(em: EntityManager, at: ProjectTemplateAt): Promise<RegistryEntry | undefined> {
    const found = await findProjectTemplate(em, at);
    if (!found) return undefined;
    const { id, key, type, name, description, subject, data_schema: dataSchema, content, compiled, created_at: madeAt } = found;
    const entry = {
      key,
      type,
      name,
      description,
      subject,
      dataSchema,
      content,
      compiled,
      own: { id, madeAt, schemaVersion: at.schema_version },
    };
    // Two bytes a character at most.
    this.#own.set(nameOf(at), entry, { size: JSON.stringify(entry).length * 2 });
    return entry;
  }

  /** The entries of the installation for a project, by key. */
  list(projectSlug: string): RegistryEntry[] {
    return [...this.#entries.values()].filter((entry) => this.isFor(entry, projectSlug)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** What to say of a key that no template for the project has. */
  async noSuchTemplate(em: EntityManager, project: TemplateProject, key: string): Promise<string> {
    const keys = (await this.listAll(em, project)).map((template) => template.key);
    return noSuchTemplate(key, keys);
  }

  isFor(entry: RegistryEntry, projectSlug: string): boolean {
    return entry.projects === undefined || entry.projects.includes(projectSlug);
  }
}

function nameOf({ id, schema_version }: ProjectTemplateAt): string {
  return `${id} ${schema_version}`;
}

/** What is said of a key that is none of these. */
export function noSuchTemplate(key: string, keys: readonly string[]): string {
  return `no template has the key ${key}; ${insteadOf(key, keys)}`;
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
