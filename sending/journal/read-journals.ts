import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SubmissionState } from '../../domain/sends/outcome-unknown.ts';
import { bootId, type JournalContent, NOT_SUBMITTED, readIfThere, readJournal } from './format.ts';

/** What a process wrote of its mails. */
export type JournalReading = (sendId: string) => SubmissionState;

/** The journals that can be read from here: those of this machine, since it was started. */
export interface Journals {
  /** undefined: how far the mails of that process came cannot be known here. */
  read(id: string | null): Promise<JournalReading | undefined>;
  /** Removes the journals that nobody wrote to for a while and no intent needs. `needed`: of these, those that some intent still names. */
  prune(needed: (ids: readonly string[]) => Promise<readonly string[]>): Promise<void>;
}

/** Where there are none. */
export const NO_JOURNALS: Journals = { read: async () => undefined, prune: async () => undefined };

const FILE = /^([0-9a-f-]{36})\.(\d+)\.log$/;
/** A living process may have a journal to which it has nothing to write. */
const UNTOUCHED_MS = 24 * 3_600_000;

/** The journals in this folder. */
export function journalsIn(folder: string): Journals {
  let boot: string | undefined;
  const bootOnce = async (): Promise<string> => (boot ??= await bootId());
  /** Of the journal that was read last: the batches of one process come together. */
  let last: { readonly files: string; readonly states: ReadonlyMap<string, SubmissionState> } | undefined;
  const filesOf = async (id: string): Promise<JournalFile[]> => {
    const names = await readdir(folder).catch(() => []);
    const own = names.flatMap((name) => {
      const [, of, number] = FILE.exec(name) ?? [];
      return of === id ? [{ path: join(folder, name), number: Number(number) }] : [];
    });
    return own.toSorted((a, b) => a.number - b.number);
  };
  return {
    async read(id) {
      const files = id === null ? [] : await filesOf(id);
      if (files.length === 0) return undefined;
      const sizes = await Promise.all(
        files.map(({ path }) =>
          stat(path).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      const version = files.map(({ path }, index) => `${path} ${sizes[index]}`).join();
      if (last?.files !== version) {
        const states = await bootOnce()
          .then((now) => statesIn(files, now))
          .catch(() => undefined);
        if (!states) return undefined;
        last = { files: version, states };
      }
      const { states } = last;
      return (sendId) => states.get(sendId) ?? NOT_SUBMITTED;
    },
    async prune(needed) {
      const names = await readdir(folder).catch(() => []);
      const old = new Map<string, string[]>();
      for (const name of names) {
        const id = FILE.exec(name)?.[1];
        if (id !== undefined) old.set(id, [...(old.get(id) ?? []), join(folder, name)]);
      }
      for (const [id, files] of old) {
        const times = await Promise.all(
          files.map((file) => stat(file).then((found) => found.mtimeMs)).map((at) => at.catch(() => Date.now())),
        );
        if (Math.max(...times) > Date.now() - UNTOUCHED_MS) old.delete(id);
      }
      const kept = new Set(old.size > 0 ? await needed([...old.keys()]) : []);
      for (const [id, files] of old) if (!kept.has(id)) for (const file of files) await unlink(file).catch(() => undefined);
    },
  };
}

interface JournalFile {
  readonly path: string;
  readonly number: number;
}

/** What a journal says of its mails. Undefined, or a failure: of others it is not known that they were not submitted. */
async function statesIn(files: readonly JournalFile[], boot: string): Promise<JournalContent['states'] | undefined> {
  const content: JournalContent = { states: new Map(), needed: new Set() };
  const found = new Set<number>();
  for (const { path, number } of files) {
    const text = await readIfThere(path);
    if (text === undefined) continue;
    if (!readJournal(text, boot, content)) return undefined;
    found.add(number);
  }
  // One that is gone by now had only mails that are recorded: those after it say so.
  const isWhole = found.has(files.at(-1)?.number ?? -1) && [...content.needed].every((number) => found.has(number));
  return isWhole ? content.states : undefined;
}
