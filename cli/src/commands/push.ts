import { ApiFailure } from '../api.ts';
import type { Given } from '../command.ts';
import { EXIT, UsageFailure } from '../failure.ts';
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
  /** It was pushed; how the server has it could not be read again. */
  readonly isUnread?: boolean;
  /** What the server found wrong with it, by file and line. */
  readonly issues?: readonly PlacedIssue[];
}

/** Makes the server have what the files say. What can be judged without writing is judged before anything is done. */
export async function push(given: Given, which: Which): Promise<number | undefined> {
  const commit = given.text('base');
  if (commit?.trim() === '') throw new UsageFailure('--base is empty: name a commit, or leave it out');
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
  const base = commit === undefined ? undefined : await foldersFrom(folder.root, commit);
  const { all, warnings } = await compareContent(work, which, { withThere: false });
  for (const { state, name } of all) if (state === 'only on the server') out.note(`${name} has no file, and is left as it is`);
  const files = all.filter(({ state }) => state !== 'only on the server');
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
    const { kind, key, name, state, here, there, error: unreadable } = one;
    if (unreadable !== undefined) refused.push({ name, state, done: [], difference: [], notes: [], warnings: [], error: unreadable });
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
    // What cannot be read is told already.
    for (const { name, error, state } of refused) if (state !== 'unreadable') out.note(`${name}: ${error}`);
    if (refused.length > 0 && !isDry) out.note('nothing was pushed');
    return refused.length > 0 ? EXIT.refused : undefined;
  }
  for (const { name, state, there } of files) if (state === 'same' && there) lock.set(name, partsOf(there.model));
  const called: { readonly one: Compared; readonly told: Pushed; readonly isLost: boolean }[] = [];
  let isLost = false;
  const whyOver = (): string | undefined =>
    isLost ? 'the server stopped answering' : given.ending.aborted ? 'stopped by a signal' : undefined;
  await out.each(
    planned,
    'pushing',
    async ({ one, plan, mine, told }) => {
      const { isLost: isLostHere, ...done } = await pushOne(plan);
      isLost = isLostHere;
      called.push({ one, told: { ...told, ...done }, isLost });
      // Whatever becomes of the next one, and of reading this one again.
      if (done.error === undefined) lock.set(one.name, partsOf(mine));
      await lock.save();
    },
    () => whyOver() !== undefined,
  );
  for (const { one } of called) one.kind.forget();
  const results: Pushed[] = [];
  await out.each(called, 'reading again', async ({ one, told }) => {
    try {
      const why = whyOver();
      results.push(why === undefined ? await readAgain(work, one, told, lock) : unread(told, why));
    } catch (problem) {
      isLost ||= isUnanswered(problem);
      results.push(unread(told, wordsOfFailure(problem)));
    }
  });
  await lock.save();
  const unbegun = planned.slice(called.length).map(({ told }) => told);
  out.data({ dryRun: false, pushed: results, planned: unbegun, left, warnings }, () => {
    for (const { name, done, error, isUnread } of results)
      if (!error) out.line(`${out.paint('green', 'pushed')} ${name}: ${done.join(', ')}${isUnread ? '; it could not be read again' : ''}`);
    if (planned.length === 0) out.line('nothing to push');
  });
  for (const { name, warnings: own } of results) for (const { path, message } of own) out.note(`${name}: warning: ${path}: ${message}`);
  for (const [at, { name, error, done }] of results.entries()) {
    if (!error) continue;
    const before = done.length > 0 ? `done before that: ${done.join(', ')}` : 'nothing of it was done';
    const unknown = done.length > 0 ? `${before}; whether that was done, too, is not known` : 'whether that was done is not known';
    out.note(`${name}: ${error}\n  ${called[at]?.isLost ? unknown : before}`);
  }
  const pushed = results.filter(({ state }) => state === 'pushed').length;
  const why = whyOver();
  if (why !== undefined && planned.length > 0)
    out.note(
      pushed < planned.length
        ? `pushed ${pushed} of ${planned.length}; ${why}: push again goes on from there`
        : `pushed all of ${planned.length}; ${why}: diff says whether the server has it so`,
    );
  return isLost || results.some(({ error }) => error) ? EXIT.refused : undefined;
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
interface Done extends Pick<Pushed, 'done' | 'warnings' | 'error'> {
  /** The last of them got no answer. */
  readonly isLost: boolean;
}

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
      return { done, warnings, error: `${said}: ${wordsOfFailure(problem)}`, isLost: isUnanswered(problem) };
    }
  }
  return { done, warnings, isLost: false };
}

function isUnanswered(problem: unknown): boolean {
  return problem instanceof ApiFailure && problem.isUnanswered;
}

/** Notes what the server has of it now, also where only a part was done: the next push goes on from there. */
async function readAgain({ folder }: Work, { kind, key, name }: Compared, told: Pushed, lock: Lock): Promise<Pushed> {
  if (told.error !== undefined && told.done.length === 0) return { ...told, state: 'failed' };
  const now = await kind.there(key);
  if (now) lock.set(name, partsOf(now.model));
  const here = now && (await kind.here(folder, key, now));
  if (told.error !== undefined) return { ...told, state: 'failed' };
  if (!now || !here || isEqual(kind.withLeft(here, now), now.model)) return { ...told, state: 'pushed' };
  return { ...told, state: 'failed', error: 'it was pushed, but the server says it differently now; diff shows how' };
}

/** What cannot be read again is pushed all the same, or has failed. */
function unread(told: Pushed, why: string): Pushed {
  if (told.error !== undefined) return { ...told, state: 'failed' };
  return { ...told, state: 'pushed', notes: [...told.notes, `it could not be read again: ${why}`], isUnread: true };
}
