import { ApiFailure } from '../api.ts';
import type { Given } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { isEqual } from '../files/canonical.ts';
import { commitsSince, type Folder, folderOfCommit } from '../files/folder.ts';
import type { Lock } from '../files/lock.ts';
import { type Parts, partsOf } from '../files/parts.ts';
import type { PlacedIssue } from '../files/places.ts';
import { SEQUENCES, sequenceKeys } from '../files/sequence-files.ts';
import {
  begin,
  type Compared,
  compareContent,
  differenceOf,
  folderOf,
  type Plan,
  type RunsUnderWay,
  type State,
  type Which,
  type Work,
  wordsOfFailure,
} from './content-work.ts';
import { type Before, conflictOf } from './push-conflict.ts';
import { migrationsOf, refuseUnusedMigrations } from './sequence-kind.ts';

/** What becomes of one file. */
interface Pushed {
  readonly name: string;
  readonly state: State | 'conflict' | 'refused' | 'failed' | 'pushed';
  /** What was done; in `planned` what would be. */
  readonly done: readonly string[];
  readonly difference: readonly string[];
  readonly notes: readonly string[];
  readonly warnings: readonly PlacedIssue[];
  readonly runs?: RunsUnderWay;
  readonly error?: string;
  /** What the server found wrong with it, by file and line. */
  readonly issues?: readonly PlacedIssue[];
}

/** Makes the server have what the files say. What can be judged without writing is judged before anything is done. */
export async function push(given: Given, which: Which): Promise<number | undefined> {
  const migrations = which === 'templates' ? [] : migrationsOf(given);
  const keys = migrations.length > 0 ? await sequenceKeys(folderOf(given)) : [];
  refuseUnusedMigrations(
    migrations,
    keys.filter((key) => given.positionals.length === 0 || given.positionals.includes(key)),
  );
  const work = await begin(given);
  const { folder, lock } = work;
  const { out } = given;
  const isDry = given.flag('dry-run');
  const commit = given.text('base');
  const base = commit === undefined ? undefined : await foldersFrom(folder.root, commit);
  const { all, warnings } = await compareContent(work, which, { withThere: false });
  for (const { here, name } of all) if (here === undefined) out.note(`${name} has no file, and is left as it is`);
  const files = all.filter(({ here }) => here !== undefined);
  if (files.length === 0) throw new Failure(`there are no files in ${folder.root}; pull some first, or say where they are: --dir`);
  for (const { text, key } of migrations) {
    const about = files.filter((one) => one.kind.name === SEQUENCES && (key === undefined || one.key === key));
    if (about.every(({ state }) => state === 'same'))
      out.note(`--migrate ${text}: nothing is migrated, since ${about.map(({ name }) => name).join(', ')} would not change`);
  }

  const coming = new Set(files.filter(({ state }) => state === 'new').map(({ name }) => name));
  const refused: Pushed[] = [];
  const left: Pushed[] = [];
  const planned: { readonly one: Compared; readonly plan: Plan; readonly mine: object; readonly told: Pushed }[] = [];
  const differing = files.filter(({ state }) => state !== 'same');
  await out.each(differing, 'judging', async (one) => {
    const { kind, key, name, state, here, there } = one;
    if (here === undefined) return;
    const mine = there && !given.flag('prune') ? kind.withLeft(here, there) : here;
    const plan = await kind.plan(key, here, there, coming);
    const mayUndo = plan.steps.length > 0 && !given.flag('force');
    const conflict = mayUndo ? await conflictOf(name, mine, there, await beforeOf(one, lock, base), plan.endangered) : undefined;
    const error = conflict ?? (plan.refused instanceof ApiFailure ? refusalWords(plan.refused) : plan.refused);
    const issues = conflict === undefined && plan.refused instanceof ApiFailure ? plan.refused.issues : [];
    const { notes, runs } = plan;
    const told: Pushed = {
      ...{ name, state, done: plan.steps.map(({ said }) => said), difference: differenceOf(one), notes, warnings: plan.warnings },
      ...(runs && { runs }),
    };
    if (!out.isJson) {
      out.line(out.paint('bold', `${name}: ${state}`));
      for (const line of differenceOf(one, out.paint)) out.line(`  ${line}`);
      for (const note of notes) out.line(`  ${note}`);
      for (const { path, message } of plan.warnings) out.line(`  warning: ${path}: ${message}`);
    }
    if (error !== undefined)
      refused.push({ ...told, state: conflict ? 'conflict' : 'refused', done: [], error, ...(issues.length > 0 && { issues }) });
    else if (plan.steps.length > 0) planned.push({ one, plan, mine, told });
    else left.push(told);
  });
  if (refused.length > 0 || isDry) {
    out.data({ dryRun: isDry, pushed: [], planned: [...refused, ...planned.map(({ told }) => told)], left, warnings }, () => {
      for (const { told } of planned) out.line(`would ${told.done.join(', ')}: ${told.name}`);
      if (planned.length === 0 && refused.length === 0) out.line('nothing to push');
    });
    for (const { name, error } of refused) out.note(`${name}: ${error}`);
    if (refused.length > 0 && !isDry) out.note('nothing was pushed');
    return refused.length > 0 ? EXIT.refused : undefined;
  }
  for (const { name, state, there } of files) if (state === 'same' && there) lock.set(name, partsOf(there.model));
  const called: { readonly one: Compared; readonly told: Pushed & Done }[] = [];
  await out.each(planned, 'pushing', async ({ one, plan, mine, told }) => {
    const done = await pushOne(plan);
    called.push({ one, told: { ...told, ...done } });
    // Whatever becomes of the next one, and of reading this one again.
    if (done.error === undefined) lock.set(one.name, partsOf(mine));
    await lock.save();
  });
  for (const { one } of called) one.kind.forget();
  const results: Pushed[] = [];
  await out.each(called, 'reading again', async ({ one, told }) => {
    results.push({ ...told, ...(await readAgain(work, one, told, lock)) });
  });
  await lock.save();
  out.data({ dryRun: false, pushed: results, left, warnings }, () => {
    for (const { name, done, error } of results) if (!error) out.line(`${out.paint('green', 'pushed')} ${name}: ${done.join(', ')}`);
    if (results.length === 0) out.line('nothing to push');
  });
  for (const { name, warnings: own } of results) for (const { path, message } of own) out.note(`${name}: warning: ${path}: ${message}`);
  for (const { name, error, done } of results)
    if (error) out.note(`${name}: ${error}${done.length > 0 ? `\n  done before that: ${done.join(', ')}` : '\n  nothing of it was done'}`);
  return results.some(({ error }) => error) ? EXIT.refused : undefined;
}

/** Each place on a line of its own, where editors and CI look for it. */
function refusalWords({ isPlaced, code, message }: ApiFailure): string {
  return isPlaced ? `${code}:\n${message}` : message;
}

/** The folder as a commit has it, and as those after it do. */
interface Base {
  readonly folder: Folder;
  /** Read when it is asked for. */
  after(): Promise<readonly Folder[]>;
}

async function foldersFrom(root: string, commit: string): Promise<Base> {
  let after: Promise<Folder[]> | undefined;
  return {
    folder: await folderOfCommit(root, commit),
    async after() {
      after ??= commitsSince(root, commit).then((commits) => Promise.all(commits.map((one) => folderOfCommit(root, one))));
      return after;
    },
  };
}

/** What the server had when these files were changed: by git where a base is given, else by the last pull or push. */
async function beforeOf({ kind, key, name, there }: Compared, lock: Lock, base: Base | undefined): Promise<Before> {
  if (!base) return { from: 'pull', parts: lock.get(name), after: async () => [] };
  const partsIn = async (folder: Folder): Promise<Parts | undefined> => {
    const model = await kind.here(folder, key, there);
    return model && partsOf(model);
  };
  // A commit whose files were written wrong has put nothing anywhere.
  const partsIfRead = (folder: Folder): Promise<Parts | undefined> => partsIn(folder).catch((error) => void wordsOfFailure(error));
  return {
    from: 'base',
    parts: await partsIn(base.folder),
    after: async () => (await Promise.all((await base.after()).map(partsIfRead))).filter((parts) => parts !== undefined),
  };
}

/** What became of the calls of one file. */
type Done = Pick<Pushed, 'done' | 'warnings' | 'error'>;

/** Its calls one after the other; what was done before one fails stays done. */
async function pushOne({ steps }: Plan): Promise<Done> {
  const done: string[] = [];
  const warnings: PlacedIssue[] = [];
  for (const { said, run } of steps) {
    try {
      const answer = await run();
      done.push(said);
      warnings.push(...(answer?.warnings ?? []));
    } catch (problem) {
      return { done, warnings, error: `${said}: ${wordsOfFailure(problem)}` };
    }
  }
  return { done, warnings };
}

/** Notes what the server has of it now, also where only a part was done: the next push goes on from there. */
async function readAgain(
  { folder }: Work,
  { kind, key, name }: Compared,
  { done, error }: Done,
  lock: Lock,
): Promise<Pick<Pushed, 'state' | 'error'>> {
  const failed = (words: string) => ({ state: 'failed', error: words }) as const;
  if (error !== undefined && done.length === 0) return failed(error);
  try {
    const now = await kind.there(key);
    if (now) lock.set(name, partsOf(now.model));
    const here = now && (await kind.here(folder, key, now));
    if (error !== undefined) return failed(error);
    const isAsPushed = !now || !here || isEqual(kind.withLeft(here, now), now.model);
    return isAsPushed ? { state: 'pushed' } : failed('it was pushed, but the server says it differently now; diff shows how');
  } catch (problem) {
    return failed(error ?? `it was pushed, but cannot be read again: ${wordsOfFailure(problem)}`);
  }
}
