import { type Answered, ApiFailure } from '../api.ts';
import type { Given } from '../command.ts';
import { Failure, UsageFailure } from '../failure.ts';
import {
  completedBy,
  plainSequence,
  readSequence,
  type SequenceModel,
  sequenceKeys,
  sequencePath,
  sequenceWarnings,
  writeSequence,
} from '../files/sequence-files.ts';
import { placedInSequence } from '../files/sequence-places.ts';
import { yamlText } from '../files/yaml-text.ts';
import { counted } from '../output.ts';
import type { Kind, RunsUnderWay, There, Work } from './content-work.ts';

interface SequenceThere extends There {
  readonly model: SequenceModel;
  readonly version: number;
}

/** Sequences as files. */
export function sequenceKinds({ given, api, folder }: Work): Kind {
  return {
    name: 'sequences',
    keysHere: sequenceKeys,
    warnings: sequenceWarnings,
    emptyFile: async () => undefined,
    withLeft: (here) => here,
    async keysThere() {
      const { sequences } = await api.call('sequences.list');
      return sequences.map(({ key }: { key: string }) => key).toSorted();
    },
    async there(key): Promise<SequenceThere | undefined> {
      sequencePath(key);
      const found = await api.call('sequences.get', { path: [key] }).catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 404) return undefined;
        throw error;
      });
      if (!found) return undefined;
      const { ok: _, key: _key, version, ...graph } = found;
      return { model: plainSequence(graph), version, notes: [] };
    },
    forget: () => undefined,
    async here(from, key, there) {
      const model = await readSequence(from, key);
      return model && completedBy(model, (there as SequenceThere | undefined)?.model);
    },
    shown: yamlText,
    write: (to, key, model) => writeSequence(to, key, model as SequenceModel, api.url),
    async plan(key, local, there, coming) {
      const known = there as SequenceThere | undefined;
      const migrate = migrateOf(migrationsOf(given), key);
      const call = (dryRun: '1' | undefined): Promise<Answered> =>
        api.call('sequences.replace', {
          path: [key],
          query: { ifVersion: known?.version ?? 0, dryRun },
          body: { ...(local as SequenceModel), ...(migrate && { migrate }) },
        });
      const steps = [{ said: known ? 'put the next version' : 'make the sequence', run: () => call(undefined) }];
      try {
        const [tried, versions] = await Promise.all([call('1'), known ? versionsInUse(key) : []]);
        const { warnings = [], version, changes = [], migrated = {} } = tried;
        if (!known) return { notes: [], warnings, refused: undefined, steps };
        const active = versions.reduce((sum, one) => sum + one.active, 0);
        const status = statusOf(local as SequenceModel);
        const runs: RunsUnderWay = {
          active,
          versions,
          changes,
          outcome: outcomeOf(status),
          migrated: status === 'archived' ? {} : migrated,
        };
        return { notes: runNotes(runs, { was: statusOf(known.model), status, version }), warnings, runs, refused: undefined, steps };
      } catch (error) {
        if (!(error instanceof Failure) || (error instanceof ApiFailure && error.isUnanswered)) throw error;
        if (lacksOnly(error, coming))
          return { notes: ['it is judged when the templates that it names are there'], warnings: [], refused: undefined, steps };
        const refused = error instanceof ApiFailure ? error.at(await placedInSequence(folder, key, error.issues)) : error.message;
        return { notes: [], warnings: [], refused, steps };
      }
    },
  };

  async function versionsInUse(key: string): Promise<RunsUnderWay['versions']> {
    const { versions } = await api.call('sequences.versions', { path: [key], query: { inUse: 'true', limit: 100 } });
    return versions.filter(({ active }) => active > 0).map(({ version, active }) => ({ version, active }));
  }
}

/** Whether all that is wrong with a graph is that templates are not there yet. */
function lacksOnly(error: Failure, coming: ReadonlySet<string>): boolean {
  if (!(error instanceof ApiFailure) || error.code !== 'invalid_graph' || error.issues.length === 0) return false;
  return error.issues.every(({ message }) => coming.has(`templates/${/^unknown template ([^;]+);/.exec(message)?.[1]}`));
}

/** What a sequence is when nothing says so: a draft. */
function statusOf({ status }: SequenceModel): string {
  return typeof status === 'string' ? status : 'draft';
}

function outcomeOf(status: string): RunsUnderWay['outcome'] {
  if (status === 'archived') return 'end';
  return status === 'active' ? 'go on' : 'wait';
}

/** Who is under way, and what becomes of them by the status before and after. */
function runNotes(
  { active, versions, changes, outcome, migrated }: RunsUnderWay,
  { was, status, version }: { readonly was: string; readonly status: string; readonly version: number },
): string[] {
  if (active === 0) return ['no runs are under way'];
  const byVersion = versions.map((one) => `${one.active} on version ${one.version}`).join(', ');
  const underWay = `${counted(active, 'run')} under way (${byVersion})`;
  if (outcome === 'end') return [`${underWay}: archiving ends ${active === 1 ? 'it' : 'them all'}, for good`];
  const moved = Object.values(migrated).reduce((sum, people) => sum + people, 0);
  const stay = active === 1 ? 'it stays on its version to its end' : 'they stay on their version to its end';
  const rest = `${moved} of them are moved or ended, the others stay on their version to its end`;
  const all = active === 1 ? 'it is moved or ended' : 'all of them are moved or ended';
  const runs = moved === 0 ? stay : moved < active ? rest : all;
  return [
    `${underWay}: ${runs}; who enters ${outcome === 'wait' ? 'once it is active' : 'from now on'} gets version ${version}`,
    ...(outcome === 'wait' ? [`status ${status}: nobody enters, and what falls due waits until the sequence is active`] : []),
    ...(outcome === 'go on' && was !== 'active' ? [`status active: what fell due while it was ${was} is sent now`] : []),
    ...changes.map(({ nodeId, change, people }: { nodeId: string; change: string; people: number }) => {
      const asked = migrated[nodeId] === undefined ? `; --migrate ${nodeId}=<node> moves them, --migrate ${nodeId}=end ends them` : '';
      return `${counted(people, 'run')} at ${nodeId}, which is ${change}${asked}`;
    }),
  ];
}

/** One `--migrate`. */
export interface Migration {
  /** As it was written. */
  readonly text: string;
  /** Undefined: of every sequence. */
  readonly key: string | undefined;
  readonly from: string;
  /** Null: whoever stands there ends. */
  readonly to: string | null;
}

/** What every `--migrate` says. Throws a UsageFailure for one that is written wrong. */
export function migrationsOf(given: Given): Migration[] {
  return given.texts('migrate').map((text) => {
    const [, key, from, to] = /^(?:([a-z0-9][a-z0-9_-]*):)?([A-Za-z0-9_-]+)=([A-Za-z0-9_-]+)$/.exec(text) ?? [];
    if (from === undefined || to === undefined)
      throw new UsageFailure(`--migrate ${text}: write <node>=<node>, <node>=end, or <key>:<node>=<node>`);
    return { text, key, from, to: to === 'end' ? null : to };
  });
}

/** Throws a UsageFailure for a `--migrate` that is about none of these sequences. */
export function refuseUnusedMigrations(migrations: readonly Migration[], keys: readonly string[]): void {
  for (const { text, key } of migrations) {
    if (keys.length === 0) throw new UsageFailure(`--migrate ${text}: this push has no sequence`);
    if (key !== undefined && !keys.includes(key))
      throw new UsageFailure(`--migrate ${text}: this push has no sequence ${key}; its sequences are ${keys.join(', ')}`);
  }
}

/** By the node at which they stand: where the runs of this sequence go on. */
function migrateOf(migrations: readonly Migration[], key: string): Record<string, string | null> | undefined {
  const own = migrations.filter((one) => one.key === undefined || one.key === key);
  return own.length > 0 ? Object.fromEntries(own.map(({ from, to }) => [from, to])) : undefined;
}
