import { resolve } from 'node:path';
import { type Answered, type Api, ApiFailure } from '../api.ts';
import type { Given } from '../command.ts';
import { Failure, FileFailure } from '../failure.ts';
import { isEqual, orderedAs } from '../files/canonical.ts';
import { demandFolder, type FileWarning, type Folder, type WorkFolder, workFolder } from '../files/folder.ts';
import { shownDifference } from '../files/lines.ts';
import { type Lock, openLock } from '../files/lock.ts';
import type { PlacedIssue } from '../files/places.ts';
import type { Output } from '../output.ts';
import { sequenceKinds } from './sequence-kind.ts';
import { templateKinds } from './template-kind.ts';

/** One kind of content as files: what it is called, where it comes from, how it is pushed. */
export interface Kind {
  /** `templates` or `sequences`: its command, and the folder of its files. */
  readonly name: string;
  keysHere(folder: Folder): Promise<readonly string[]>;
  /** What stands in its folder and is read by nobody, or says what no email has. */
  warnings(folder: Folder): Promise<readonly FileWarning[]>;
  /** What a pull without keys takes: everything that the project has made or changed; `all`: everything. */
  keysThere(all: boolean): Promise<readonly string[]>;
  /** Undefined: the server has none. */
  there(key: string): Promise<There | undefined>;
  /** Has `there` say what the server has by now. */
  forget(): void;
  /** Undefined: there is no file. Where the file leaves something to the server, as the server has it. */
  here(folder: Folder, key: string, there: There | undefined): Promise<object | undefined>;
  /** The file that says nothing where the server says something; undefined: there is none. */
  emptyFile(folder: Folder, key: string, here: object, there: There | undefined): Promise<string | undefined>;
  /** The model of a file with what the server has beyond it and a push leaves there. */
  withLeft(here: object, there: There): object;
  /** As readable text, for differences. */
  shown(model: object): string;
  write(folder: WorkFolder, key: string, model: object): Promise<readonly string[]>;
  /** `coming`: names like `templates/welcome` that the same push makes before it. */
  plan(key: string, local: object, there: There | undefined, coming: ReadonlySet<string>): Promise<Plan>;
}

/** What the server has. */
export interface There {
  readonly model: object;
  /** What a pull tells of it. */
  readonly notes: readonly string[];
}

/** What a push would do. */
export interface Plan {
  /** What is told before anything is done. */
  readonly notes: readonly string[];
  readonly warnings: readonly PlacedIssue[];
  /** Of a sequence that is there: who is under way. */
  readonly runs?: RunsUnderWay;
  /** What it would undo on the server though no file says so. */
  readonly endangered?: string | undefined;
  /** Why it cannot be done; of what the server refuses with the places in the files. */
  readonly refused: string | ApiFailure | undefined;
  readonly steps: readonly { readonly said: string; run(): Promise<Answered> }[];
}

/** Who is under way in a sequence that is pushed. */
export interface RunsUnderWay {
  readonly active: number;
  readonly versions: readonly { readonly version: number; readonly active: number }[];
  /** Steps at which some of them stand, and that the file changes or removes. */
  readonly changes: readonly Answered[];
  /** What becomes of those that are not migrated, by the status that is pushed: archiving ends them, and only an active sequence sends. */
  readonly outcome: 'go on' | 'wait' | 'end';
  /** By the step that `--migrate` names: how many it moves or ends. */
  readonly migrated: Readonly<Record<string, number>>;
}

/** What the commands of content share while they run. */
export interface Work {
  readonly given: Given;
  readonly api: Api;
  readonly folder: WorkFolder;
  readonly brand: string | undefined;
}

/** Which kinds a command is about; undefined: all. */
export type Which = 'templates' | 'sequences' | undefined;

export function kindsOf(work: Work, which: Which): Kind[] {
  const all = [templateKinds(work), sequenceKinds(work)];
  return which === undefined ? all : all.filter(({ name }) => name === which);
}

/** Where the files are. */
export function folderOf(given: Given): WorkFolder {
  return workFolder(resolve(given.cwd, given.text('dir') ?? 'everpost'), given.cwd);
}

/** Opens the folder and what is noted of it, for the project of the key. */
export async function begin(given: Given): Promise<Work & { readonly lock: Lock }> {
  const { api } = given;
  const folder = folderOf(given);
  await demandFolder(folder);
  const { project } = await api.call('me');
  const brand = given.text('brand');
  // One folder may serve a trial and what is live.
  const lock = await openLock(folder, `${new URL(api.url).host}/${project.slug}${brand === undefined ? '' : `/${brand}`}`);
  return { given, api, folder, brand, lock };
}

/** How a file stands to the server. `more on the server`: all that differs is what a push leaves there. */
export type State = 'same' | 'new' | 'changed' | 'more on the server' | 'only on the server' | 'unreadable';

export interface Compared {
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  readonly state: State;
  readonly here: object | undefined;
  readonly there: There | undefined;
  /** What is wrong with a file that cannot be read, or says nothing: it is unreadable then. */
  readonly error?: string;
}

/**
 * The files beside what the server has. What is no file of content, and what cannot be read of one, is told. `withThere`: what has no file, too.
 * Throws a Failure where there are no files at all.
 */
export async function compareContent(
  work: Work,
  which: Which,
  { withThere }: { readonly withThere: boolean },
): Promise<{ readonly all: readonly Compared[]; readonly warnings: readonly FileWarning[] }> {
  const { given, folder } = work;
  const asked = given.positionals;
  const all: Compared[] = [];
  const warnings: FileWarning[] = [];
  for (const kind of kindsOf(work, which)) {
    const found = await readWarnings(kind.warnings(folder));
    const ofAsked = found.filter(({ path }) => asked.length === 0 || asked.some((key) => path.startsWith(`${kind.name}/${key}/`)));
    warnings.push(...ofAsked.map((one) => ({ ...one, path: folder.named(one.path) })));
    const here = await kind.keysHere(folder);
    const there = withThere && asked.length === 0 ? await kind.keysThere(false) : [];
    const keys = asked.length > 0 ? asked : [...new Set([...here, ...there])].sort();
    await given.out.each(keys, `comparing ${kind.name}`, async (key) => {
      const onServer = await kind.there(key);
      const name = `${kind.name}/${key}`;
      const local = await readHere(kind, folder, key, onServer);
      if (local instanceof Failure) {
        all.push({ kind, key, name, state: 'unreadable', here: undefined, there: onServer, error: local.message });
        return;
      }
      if (local === undefined && onServer === undefined) throw new Failure(`there is no ${name}, neither here nor on the server`);
      all.push({ kind, key, name, state: stateOf(kind, local, onServer), here: local, there: onServer });
    });
  }
  for (const warning of warnings) given.out.note(`warning: ${warningWords(warning)}`);
  for (const { error } of all) if (error !== undefined) given.out.note(error);
  if (all.every(({ here, error }) => here === undefined && error === undefined))
    throw new Failure(`there are no files in ${folder.root}; pull some first, or say where they are: --dir`);
  return { all, warnings };
}

/** The model of a file, or why there is none though there is a file. */
async function readHere(kind: Kind, folder: Folder, key: string, there: There | undefined): Promise<object | Failure | undefined> {
  try {
    const here = await kind.here(folder, key, there);
    const empty = here && (await kind.emptyFile(folder, key, here, there));
    return empty === undefined ? here : new FileFailure(empty, 1, 'the content says nothing');
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** What is doubtful about files; nothing where one cannot be read, which is told where that one is. */
export function readWarnings(found: Promise<readonly FileWarning[]>): Promise<readonly FileWarning[]> {
  return found.catch((error: unknown) => {
    if (error instanceof Failure) return [];
    throw error;
  });
}

/** `path:line: what`. */
export function warningWords({ path, line, message }: FileWarning): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${message}`;
}

function stateOf(kind: Kind, here: object | undefined, there: There | undefined): State {
  if (here === undefined) return 'only on the server';
  if (there === undefined) return 'new';
  if (isEqual(here, there.model)) return 'same';
  return isEqual(kind.withLeft(here, there), there.model) ? 'more on the server' : 'changed';
}

/** From the server to the files, line by line; both in the order of the files, since that of members says nothing. */
export function differenceOf({ kind, here, there, error }: Compared, paint?: Output['paint']): string[] {
  if (error !== undefined) return [];
  return shownDifference(
    there ? kind.shown(orderedAs(there.model, here) as object) : '',
    here === undefined ? '' : kind.shown(here),
    paint,
  );
}

/** What a failure says; any other error is thrown on. */
export function wordsOfFailure(error: unknown): string {
  if (!(error instanceof Failure)) throw error;
  // It was not there when it was compared, or of another version.
  const isStale = error instanceof ApiFailure && ['version_conflict', 'duplicate_key'].includes(error.code);
  if (!isStale) return error.message;
  const did = error.code === 'duplicate_key' ? 'made' : 'changed';
  return `somebody has ${did} it at this moment; push again to see it`;
}
