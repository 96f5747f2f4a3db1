import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';

/** Files that are read: those of now, or as a commit had them. Paths are relative, with slashes. */
export interface Folder {
  /** Names in a folder; none where there is no such folder. */
  list(path: string): Promise<readonly string[]>;
  /** With LF at the ends of lines and no byte order mark, whatever the file has; undefined where there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** How a path in it is told to people, who call it from their working folder. */
  named(path: string): string;
}

/** One that is written, too. */
export interface WorkFolder extends Folder {
  readonly root: string;
  /** Whole or not at all, with the line ends that the file had. Says whether that changed the file. */
  write(path: string, text: string): Promise<boolean>;
  remove(path: string): Promise<void>;
}

/** `cwd`: where whoever reads its paths is. */
export function workFolder(root: string, cwd: string): WorkFolder {
  const fromHere = relative(cwd, root);
  const base = fromHere.startsWith('..') || isAbsolute(fromHere) ? root : fromHere;
  const raw = (path: string): Promise<string | undefined> =>
    readFile(join(root, path), 'utf8').catch((error) => ifMissing(error, undefined));
  return {
    root,
    named: (path) => join(base, path),
    read: async (path) => plainText(await raw(path)),
    list: async (path) => (await readdir(join(root, path)).catch((error) => ifMissing<string[]>(error, []))).sort(),
    async write(path, text) {
      const before = await raw(path);
      if (plainText(before) === text) return false;
      const file = join(root, path);
      await mkdir(dirname(file), { recursive: true });
      const beside = `${file}.${process.pid}.tmp`;
      await writeFile(beside, before?.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text);
      await rename(beside, file);
      return true;
    },
    remove: (path) => rm(join(root, path), { force: true }),
  };
}

/** `<path>.yaml`, or `<path>.yml` where that is there; undefined where neither is. Throws a Failure where both are. */
export async function yamlFileAt(folder: Folder, path: string): Promise<string | undefined> {
  const [yaml, yml] = await Promise.all([folder.read(`${path}.yaml`), folder.read(`${path}.yml`)]);
  if (yaml !== undefined && yml !== undefined)
    throw new Failure(`${folder.named(`${path}.yaml`)} and ${folder.named(`${path}.yml`)} both exist; keep one`);
  return yaml !== undefined ? `${path}.yaml` : yml !== undefined ? `${path}.yml` : undefined;
}

/** What is doubtful about a file or folder, but no failure. */
export interface FileWarning {
  readonly path: string;
  /** Undefined: it is about the whole of it. */
  readonly line?: number;
  readonly message: string;
}

/** The names in a folder that people put there: without those that begin with a dot. */
export async function visibleNames(folder: Folder, path: string): Promise<string[]> {
  return (await folder.list(path)).filter((name) => !name.startsWith('.'));
}

/** Editors on Windows begin a file with a mark, and end its lines otherwise. */
function plainText(text: string | undefined): string | undefined {
  return text?.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

function ifMissing<T>(error: NodeJS.ErrnoException, value: T): T {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value;
  throw new Failure(`${error.path ?? 'a file'} cannot be read: ${error.message}`);
}

const execute = promisify(execFile);
/** Of a first push GitHub says that there was nothing before. */
const NOTHING = /^0{40,}$/;
/** So far back it is looked for what a push may have put there. */
const MOST_COMMITS = 200;

async function git(root: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('git', ['-C', root, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** The commits after this one that changed the folder, newest first. */
export async function commitsSince(root: string, commit: string): Promise<string[]> {
  if (NOTHING.test(commit)) return [];
  return (await git(root, 'rev-list', `--max-count=${MOST_COMMITS}`, `${commit}..HEAD`, '--', '.')).split('\n').filter(Boolean);
}

/** The same folder as a commit of its git repository has it. */
export async function folderOfCommit(root: string, commit: string): Promise<Folder> {
  if (NOTHING.test(commit)) return { list: async () => [], read: async () => undefined, named: (path) => path };
  if (commit.startsWith('-')) throw new Failure(`${commit} is no commit`);
  const ask = (...args: readonly string[]): Promise<string> => git(root, ...args);
  const top = await ask('rev-parse', '--show-prefix').catch(() => {
    throw new Failure(`${root} is in no git repository, so there is no base ${commit}; leave --base out`);
  });
  const listed = await ask('ls-tree', '-r', '-z', '--name-only', '--full-tree', commit, '--', top.trim() || '.').catch(() => {
    throw new Failure(`git does not know the commit ${commit}; a shallow clone lacks it: fetch-depth: 0`);
  });
  const names = listed
    .split('\0')
    .filter(Boolean)
    .map((name) => relative(top.trim() || '.', name).replaceAll('\\', '/'));
  const known = new Set(names);
  return {
    named: (path) => `${commit}:${top.trim()}${path}`,
    list: async (path) => {
      const below = names.filter((name) => name.startsWith(`${path}/`)).map((name) => name.slice(path.length + 1).split('/')[0] ?? '');
      return [...new Set(below)].sort();
    },
    read: async (path) => (known.has(path) ? plainText(await ask('show', `${commit}:${top.trim()}${path}`)) : undefined),
  };
}
