import { resolve } from 'node:path';
import { type Answered, type Api, ApiFailure } from '../api.ts';
import type { Command, Given, Options } from '../command.ts';
import { EXIT, Failure, UsageFailure } from '../failure.ts';
import { fingerprint, isEqual } from '../files/canonical.ts';
import { FORMATS, type Format } from '../files/content-files.ts';
import { type Folder, folderOfCommit, type WorkFolder, workFolder } from '../files/folder.ts';
import { shownDifference } from '../files/lines.ts';
import { type Lock, openLock } from '../files/lock.ts';
import { counted, type Output } from '../output.ts';
import { sequenceKinds } from './sequence-kind.ts';
import { templateKinds } from './template-kind.ts';

/** One kind of content as files: what it is called, where it comes from, how it is pushed. */
export interface Kind {
  /** `templates` or `sequences`: its command, and the folder of its files. */
  readonly name: string;
  keysHere(folder: Folder): Promise<readonly string[]>;
  /** What a pull without keys takes: everything that the project has made or changed; `all`: everything. */
  keysThere(all: boolean): Promise<readonly string[]>;
  /** Undefined: the server has none. */
  there(key: string): Promise<There | undefined>;
  /** Undefined: there is no file. Where the file leaves something to the server, as the server has it. */
  here(folder: Folder, key: string, there: There | undefined): Promise<unknown>;
  /** As readable text, for differences. */
  shown(model: unknown): string;
  write(folder: WorkFolder, key: string, model: unknown): Promise<readonly string[]>;
  /** `coming`: names like `templates/welcome` that the same push makes before it. */
  plan(key: string, local: unknown, there: There | undefined, coming: ReadonlySet<string>): Promise<Plan>;
}

export interface There {
  readonly model: unknown;
  /** What a pull tells of it. */
  readonly notes: readonly string[];
  /** What a push would undo though no file says so; undefined: nothing. */
  readonly endangered: string | undefined;
}

/** What a push would do. */
export interface Plan {
  /** What is told before anything is done. */
  readonly notes: readonly string[];
  /** Why it cannot be done. */
  readonly refused: string | undefined;
  readonly steps: readonly { readonly said: string; run(): Promise<Answered> }[];
}

const PLACE: Options = {
  dir: { type: 'string', value: '<folder>', description: 'where the files are (everpost)' },
  brand: {
    type: 'string',
    value: '<slug>',
    description: "whose settings and contents of templates; the project's default brand when omitted",
  },
};

const PULL: Options = {
  ...PLACE,
  all: { type: 'boolean', description: 'templates of the installation too that nobody has changed' },
  format: {
    type: 'string',
    value: '<format>',
    description: 'yaml, json or md: of blocks that have no file yet (yaml); MJML is written as content.mjml',
  },
  force: { type: 'boolean', description: 'write over files that were changed since the last pull' },
};

const DIFF: Options = {
  ...PLACE,
};

const PUSH: Options = {
  ...PLACE,
  'dry-run': { type: 'boolean', description: 'say what would be done, and change nothing' },
  force: { type: 'boolean', description: 'write over what somebody has changed on the server' },
  base: { type: 'string', value: '<commit>', description: 'what the server had when these files were changed, by git: for CI' },
  prune: { type: 'boolean', description: 'take languages of a template away that have no file' },
  migrate: {
    type: 'string',
    value: '<node>=<node>',
    multiple: true,
    description: 'sequences: whoever stands at the first goes on at the second, or ends with <node>=end; <key>:<node>=… for one of several',
  },
};

/** What the commands of content share while they run. */
export interface Work {
  readonly given: Given;
  readonly api: Api;
  readonly folder: WorkFolder;
  readonly brand: string | undefined;
}

function kindsOf(work: Work, which: string | undefined): Kind[] {
  const all = [templateKinds(work), sequenceKinds(work)];
  return which === undefined ? all : all.filter(({ name }) => name === which);
}

async function begin(given: Given): Promise<Work & { readonly lock: Lock }> {
  const { api } = given;
  const folder = workFolder(resolve(given.cwd, given.text('dir') ?? 'everpost'));
  const { project } = await api.call('me');
  const brand = given.text('brand');
  // One folder may serve a trial and what is live.
  const lock = await openLock(folder, `${new URL(api.url).host}/${project.slug}${brand === undefined ? '' : `/${brand}`}`);
  return { given, api, folder, brand, lock };
}

async function pull(given: Given, which: string | undefined): Promise<number | undefined> {
  const format = given.text('format') ?? 'yaml';
  if (!FORMATS.includes(format as Format)) throw new UsageFailure(`--format is one of ${FORMATS.join(', ')}`);
  const work = await begin(given);
  const { folder, lock } = work;
  const { out } = given;
  const pulled: { readonly name: string; readonly files: readonly string[] }[] = [];
  const kept: string[] = [];
  for (const kind of kindsOf(work, which)) {
    const keys = given.positionals.length > 0 ? given.positionals : await kind.keysThere(given.flag('all'));
    for (const key of keys) {
      const name = `${kind.name}/${key}`;
      const there = await kind.there(key);
      if (!there) throw new Failure(`the server has no ${name}`);
      const here = await kind.here(folder, key, there).catch((error: unknown) => {
        if (given.flag('force')) return undefined;
        throw error;
      });
      const base = lock.get(name);
      const isChangedHere = here !== undefined && !isEqual(here, there.model) && fingerprint(here) !== base;
      if (isChangedHere && !given.flag('force')) {
        kept.push(name);
        continue;
      }
      const files = await kind.write(folder, key, there.model);
      lock.set(name, fingerprint(there.model));
      pulled.push({ name, files });
      for (const note of there.notes) out.note(`${name}: ${note}`);
    }
  }
  await lock.save();
  out.data({ pulled, kept }, () => {
    for (const { name, files } of pulled) out.line(files.length === 0 ? `${name} is up to date` : `${name}: wrote ${files.join(', ')}`);
    if (pulled.length === 0 && kept.length === 0) out.line('there is nothing to pull');
  });
  if (kept.length === 0) return undefined;
  out.note(`kept, since these files have changes that were not pushed: ${kept.join(', ')}; push them, or pull with --force to lose them`);
  return EXIT.refused;
}

type State = 'same' | 'new' | 'changed' | 'only on the server';

interface Compared {
  readonly kind: Kind;
  readonly key: string;
  readonly name: string;
  readonly state: State;
  readonly here: unknown;
  readonly there: There | undefined;
}

async function compared(work: Work, which: string | undefined, { withThere }: { readonly withThere: boolean }): Promise<Compared[]> {
  const { given, folder } = work;
  const found: Compared[] = [];
  for (const kind of kindsOf(work, which)) {
    const here = await kind.keysHere(folder);
    const asked = given.positionals;
    const there = withThere && asked.length === 0 ? await kind.keysThere(false) : [];
    for (const key of asked.length > 0 ? asked : [...new Set([...here, ...there])].sort()) {
      const onServer = await kind.there(key);
      const local = await kind.here(folder, key, onServer);
      if (local === undefined && onServer === undefined)
        throw new Failure(`there is no ${kind.name}/${key}, neither here nor on the server`);
      const state: State =
        local === undefined ? 'only on the server' : !onServer ? 'new' : isEqual(local, onServer.model) ? 'same' : 'changed';
      found.push({ kind, key, name: `${kind.name}/${key}`, state, here: local, there: onServer });
    }
  }
  return found;
}

/** From the server to the files. */
function showDifference({ kind, here, there }: Compared, out: Output): void {
  for (const line of shownDifference(there ? kind.shown(there.model) : '', here === undefined ? '' : kind.shown(here), out))
    out.line(`  ${line}`);
}

async function diff(given: Given, which: string | undefined): Promise<number | undefined> {
  const work = await begin(given);
  const all = await compared(work, which, { withThere: true });
  const { out } = given;
  const differing = all.filter(({ state }) => state !== 'same');
  out.data(
    all.map(({ name, state }) => ({ name, state })),
    () => {
      for (const one of differing) {
        out.line(out.paint('bold', `${one.name}: ${one.state}`));
        if (one.state === 'changed') showDifference(one, out);
      }
      out.line(differing.length === 0 ? `${counted(all.length, 'file')} as on the server` : `${differing.length} of ${all.length} differ`);
    },
  );
  return differing.length === 0 ? undefined : EXIT.refused;
}

interface Pushed {
  readonly name: string;
  readonly state: State | 'conflict' | 'refused' | 'failed' | 'pushed';
  readonly done: readonly string[];
  readonly error?: string;
  readonly warnings?: readonly Answered[];
}

async function push(given: Given, which: string | undefined): Promise<number | undefined> {
  const work = await begin(given);
  const { folder, lock } = work;
  const { out } = given;
  const isDry = given.flag('dry-run');
  const commit = given.text('base');
  const base = commit === undefined ? undefined : await folderOfCommit(folder.root, commit);
  const all = (await compared(work, which, { withThere: false })).filter(({ here, name }) => {
    if (here !== undefined) return true;
    out.note(`${name} has no file, and is left as it is`);
    return false;
  });
  if (all.length === 0) throw new Failure(`there are no files in ${folder.root}; pull some first, or say where they are: --dir`);

  // Everything is judged before anything is done.
  const coming = new Set(all.filter(({ state }) => state === 'new').map(({ name }) => name));
  const conflicts: Pushed[] = [];
  const planned: { readonly one: Compared; readonly plan: Plan }[] = [];
  for (const one of all) {
    if (one.state === 'same') continue;
    const conflict = given.flag('force') ? undefined : await conflictOf(one, lock, base);
    const plan = await one.kind.plan(one.key, one.here, one.there, coming);
    const problem = conflict ?? plan.refused;
    if (!out.isJson) {
      out.line(out.paint('bold', `${one.name}: ${one.state}`));
      showDifference(one, out);
      for (const note of plan.notes) out.line(`  ${note}`);
    }
    if (problem !== undefined) conflicts.push({ name: one.name, state: conflict ? 'conflict' : 'refused', done: [], error: problem });
    // What differs, and is left as it is: the notes say so.
    else if (plan.steps.length > 0) planned.push({ one, plan });
  }
  if (conflicts.length > 0 || isDry) {
    const shown: Pushed[] = [
      ...conflicts,
      ...planned.map(({ one, plan }) => ({ name: one.name, state: one.state, done: plan.steps.map(({ said }) => said) })),
    ];
    out.data({ dryRun: isDry, pushed: [], planned: shown }, () => {
      for (const { one, plan } of planned) out.line(`would ${plan.steps.map(({ said }) => said).join(', ')}: ${one.name}`);
      if (planned.length === 0 && conflicts.length === 0) out.line('nothing to push');
    });
    for (const { name, error } of conflicts) out.note(`${name}: ${error}`);
    if (conflicts.length > 0 && !isDry) out.note('nothing was pushed');
    return conflicts.length > 0 ? EXIT.refused : undefined;
  }
  const results: Pushed[] = [];
  for (const { one, plan } of planned) results.push(await pushOne(work, one, plan, lock));
  for (const { name, state, there } of all) if (state === 'same' && there) lock.set(name, fingerprint(there.model));
  await lock.save();
  out.data({ dryRun: false, pushed: results }, () => {
    for (const { name, done, error } of results) if (!error) out.line(`${out.paint('green', 'pushed')} ${name}: ${done.join(', ')}`);
    if (results.length === 0) out.line('nothing to push');
  });
  for (const { name, warnings = [] } of results)
    for (const { path, message } of warnings) out.note(`${name}: warning: ${path}: ${message}`);
  for (const { name, error, done } of results)
    if (error) out.note(`${name}: ${error}${done.length > 0 ? `\n  done before that: ${done.join(', ')}` : '\n  nothing of it was done'}`);
  return results.some(({ error }) => error) ? EXIT.refused : undefined;
}

/** Why a push would undo what somebody did on the server; undefined where it would not. */
async function conflictOf({ kind, key, name, there, here }: Compared, lock: Lock, base: Folder | undefined): Promise<string | undefined> {
  if (!there) return undefined;
  if (there.endangered !== undefined) return `${there.endangered}; publish or replace that first, or push with --force`;
  if (isEqual(here, there.model)) return undefined;
  if (base) {
    const before = await kind.here(base, key, there);
    if (before === undefined) return `the server has a ${name} and the base has none: pull it, or push with --force`;
    return isEqual(before, there.model)
      ? undefined
      : 'somebody has changed it on the server since the base; pull it into git, or push with --force';
  }
  const known = lock.get(name);
  if (known === undefined)
    return `the server has a ${name} that was never pulled into this folder: pull it, or push with --force (in CI: --base)`;
  return known === fingerprint(there.model)
    ? undefined
    : 'somebody has changed it on the server since the last pull; pull it to another folder and join both, or push with --force';
}

/** Its calls one after the other; what was done before one fails stays done, and is told. */
async function pushOne({ folder }: Work, one: Compared, { steps }: Plan, lock: Lock): Promise<Pushed> {
  const done: string[] = [];
  const warnings: Answered[] = [];
  let error: string | undefined;
  for (const { said, run } of steps) {
    try {
      const answer = await run();
      done.push(said);
      warnings.push(...(answer?.warnings ?? []));
    } catch (problem) {
      if (!(problem instanceof Failure)) throw problem;
      const isStale = problem instanceof ApiFailure && problem.code === 'version_conflict';
      error = `${said}: ${isStale ? 'somebody has changed it at this moment; push again to see it' : problem.message}`;
      break;
    }
  }
  // What it is now, also where only a part was done: the next push goes on from there.
  const now = done.length > 0 ? await one.kind.there(one.key) : undefined;
  if (now) lock.set(one.name, fingerprint(now.model));
  if (!error && now) {
    const here = await one.kind.here(folder, one.key, now);
    if (!isEqual(here, now.model)) error = 'it was pushed, but the server says it differently now; diff shows how';
  }
  return { name: one.name, state: error ? 'failed' : 'pushed', done, warnings, ...(error ? { error } : {}) };
}

function commandsOf(which: 'templates' | 'sequences' | undefined): Command[] {
  const prefix = which === undefined ? '' : `${which} `;
  const what = which ?? 'templates and sequences';
  const keys = which === undefined ? {} : { usage: '[<key>…]', takes: [0, 200] as const };
  return [
    {
      name: `${prefix}pull`,
      summary: `Write the project's ${what} to files`,
      ...keys,
      options: PULL,
      details: 'Files that say the same already are left as they are. Exit code 1: a file has changes that were not pushed.',
      run: (given) => pull(given, which),
    },
    {
      name: `${prefix}diff`,
      summary: `Show how the files of ${what} differ from the server`,
      ...keys,
      options: DIFF,
      details: 'Lines with - are on the server, lines with + in the files. Exit code 1: there is a difference.',
      run: (given) => diff(given, which),
    },
    {
      name: `${prefix}push`,
      summary: `Make the server have what the files of ${what} say`,
      ...keys,
      options: PUSH,
      details:
        'Everything is judged first: where somebody has changed something on the server since the last pull, nothing is pushed.\n' +
        'Contents are published. What has no file is left as it is. Exit code 1: a conflict, or a refusal of the API.',
      run: (given) => push(given, which),
    },
  ];
}

export const contentCommands: readonly Command[] = [...commandsOf(undefined), ...commandsOf('templates'), ...commandsOf('sequences')];
