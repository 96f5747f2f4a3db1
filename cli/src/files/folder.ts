import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';
import { textOfBytes, whyNot } from './read-text.ts';

/** Files that are read: those of now, or as a commit had them. Paths are relative, with slashes. */
export interface Folder {
  /** Names in a folder; none where there is no such folder. */
  list(path: string): Promise<readonly string[]>;
  /**
   * With LF at the ends of lines and no byte order mark, whatever the file has; undefined where there is no such file. Throws a Failure where there
   * is one that cannot be read or, of the files of now, is not UTF-8.
   */
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
  const named = (path: string): string => join(base, path);
  const bytesOf = async (path: string): Promise<Buffer | undefined> => {
    const file = join(root, path);
    try {
      return await readFile(file);
    } catch (error) {
      if (isMissing(error) && !(await isLink(file))) return undefined;
      throw new Failure(`${named(path)} cannot be read: ${isMissing(error) ? 'it is a link to nothing' : whyNot(error as Error)}`);
    }
  };
  return {
    root,
    named,
    async read(path) {
      const bytes = await bytesOf(path);
      return bytes && plainText(textOfBytes(bytes, named(path)));
    },
    async list(path) {
      const names = await readdir(join(root, path)).catch((error: Error) => {
        if (isMissing(error)) return [];
        throw new Failure(`${named(path)} cannot be read: ${whyNot(error)}`);
      });
      return names.sort();
    },
    async write(path, text) {
      const before = (await bytesOf(path))?.toString('utf8');
      if (plainText(before) === text) return false;
      const file = join(root, path);
      const beside = `${file}.${process.pid}.tmp`;
      try {
        await makeFolder(dirname(file));
        await writeFile(beside, before?.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text);
        await rename(beside, file);
      } catch (error) {
        throw new Failure(`${named(path)} cannot be written: ${isMissing(error) ? 'its folder cannot be made' : whyNot(error as Error)}`);
      }
      return true;
    },
    remove: (path) => rm(join(root, path), { force: true }),
  };
}

/** Throws a Failure where a file stands in the place of the folder. One that is not there yet is fine. */
export async function demandFolder(folder: WorkFolder): Promise<void> {
  const found = await stat(folder.root).catch(() => undefined);
  if (found && !found.isDirectory()) throw new Failure(`${folder.named('') || folder.root} is no folder; name one with --dir`);
}

/** As `recursive` does it, which Node tries without end where a system, as that of /proc, says of a name only that it is not there. */
async function makeFolder(path: string): Promise<void> {
  const made = await mkdir(path).catch((error: NodeJS.ErrnoException) => error);
  if (made === undefined || (made.code === 'EEXIST' && (await stat(path)).isDirectory())) return;
  if (made.code !== 'ENOENT' || dirname(path) === path) throw made;
  await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    // Somebody else made it at this moment.
    if (error.code !== 'EEXIST') throw error;
  });
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

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function isLink(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
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
