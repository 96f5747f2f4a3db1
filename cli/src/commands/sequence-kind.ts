import { type Answered, ApiFailure } from '../api.ts';
import { Failure, UsageFailure } from '../failure.ts';
import {
  completedBy,
  plainSequence,
  readSequence,
  type SequenceModel,
  sequenceFile,
  sequenceKeys,
  writeSequence,
} from '../files/sequence-files.ts';
import { yamlText } from '../files/yaml-text.ts';
import { counted } from '../output.ts';
import type { Kind, There, Work } from './content.ts';

interface SequenceThere extends There {
  readonly model: SequenceModel;
  readonly version: number;
}

/** Sequences as files. */
export function sequenceKinds({ given, api }: Work): Kind {
  return {
    name: 'sequences',
    keysHere: sequenceKeys,
    async keysThere() {
      const { sequences } = await api.call('sequences.list');
      return sequences.map(({ key }: { key: string }) => key).toSorted();
    },
    async there(key): Promise<SequenceThere | undefined> {
      sequenceFile(key);
      const found = await api.call('sequences.get', { path: [key] }).catch((error: unknown) => {
        if (error instanceof ApiFailure && error.status === 404) return undefined;
        throw error;
      });
      if (!found) return undefined;
      const { ok: _, key: _key, version, ...graph } = found;
      return { model: plainSequence(graph), version, notes: [], endangered: undefined };
    },
    async here(folder, key, there) {
      const model = await readSequence(folder, key);
      return model && completedBy(model, (there as SequenceThere | undefined)?.model);
    },
    shown: yamlText,
    write: (folder, key, model) => writeSequence(folder, key, model as SequenceModel, api.url),
    async plan(key, local, there, coming) {
      const known = there as SequenceThere | undefined;
      const migrate = migrateOf(given.texts('migrate'), key);
      const call = (dryRun: '1' | undefined): Promise<Answered> =>
        api.call('sequences.replace', {
          path: [key],
          query: { ifVersion: known?.version ?? 0, dryRun },
          body: { ...(local as SequenceModel), ...(migrate && { migrate }) },
        });
      const steps = [{ said: known ? 'put the next version' : 'make the sequence', run: () => call(undefined) }];
      try {
        const [tried, runs] = await Promise.all([call('1'), known ? runsOf(key) : []]);
        const warned = (tried.warnings ?? []).map(({ path, message }: { path: string; message: string }) => `warning: ${path}: ${message}`);
        return { notes: [...runNotes(runs, tried, known?.version ?? 0), ...warned], refused: undefined, steps };
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (lacksOnly(error, coming))
          return { notes: ['it is judged when the templates that it names are there'], refused: undefined, steps };
        return { notes: [], refused: error.message, steps };
      }
    },
  };

  async function runsOf(key: string): Promise<VersionInUse[]> {
    const { versions } = await api.call('sequences.versions', { path: [key], query: { inUse: 'true', limit: 100 } });
    return versions.filter(({ active }: VersionInUse) => active > 0);
  }
}

/** Whether all that is wrong with a graph is that templates are not there yet. */
function lacksOnly(error: Failure, coming: ReadonlySet<string>): boolean {
  if (!(error instanceof ApiFailure) || error.code !== 'invalid_graph' || error.issues.length === 0) return false;
  return error.issues.every(({ message }) => coming.has(`templates/${/^unknown template ([^;]+);/.exec(message)?.[1]}`));
}

interface VersionInUse {
  readonly version: number;
  readonly active: number;
}

/** Who is under way, and what becomes of them. */
function runNotes(runs: readonly VersionInUse[], { version, changes = [], migrated = {} }: Answered, now: number): string[] {
  const all = runs.reduce((sum, { active }) => sum + active, 0);
  if (all === 0) return now > 0 ? ['no runs are under way'] : [];
  const byVersion = runs.map((run) => `${run.active} on version ${run.version}`).join(', ');
  const moved = Object.values(migrated as Record<string, number>).reduce((sum, people) => sum + people, 0);
  return [
    `${counted(all, 'run')} under way (${byVersion}): ${moved > 0 ? `${moved} of them are moved or ended, the others stay` : 'they stay'} on their version to its end; who enters from now on gets version ${version}`,
    ...changes.map(({ nodeId, change, people }: { nodeId: string; change: string; people: number }) => {
      const asked = migrated[nodeId] === undefined ? `; --migrate ${nodeId}=<node> moves them, --migrate ${nodeId}=end ends them` : '';
      return `${counted(people, 'run')} at ${nodeId}, which is ${change}${asked}`;
    }),
  ];
}

/** `<node>=<node>` or `<node>=end`, of this sequence where a key stands before it. */
function migrateOf(given: readonly string[], key: string): Record<string, string | null> | undefined {
  const own: Record<string, string | null> = Object.create(null);
  for (const text of given) {
    const [, ofKey, from, to] = /^(?:([a-z0-9][a-z0-9_-]*):)?([A-Za-z0-9_-]+)=([A-Za-z0-9_-]+)$/.exec(text) ?? [];
    if (from === undefined || to === undefined)
      throw new UsageFailure(`--migrate ${text}: write <node>=<node>, <node>=end, or <key>:<node>=<node>`);
    if (ofKey === undefined || ofKey === key) own[from] = to === 'end' ? null : to;
  }
  return Object.keys(own).length > 0 ? { ...own } : undefined;
}
