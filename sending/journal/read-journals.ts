import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SubmissionState } from '../../domain/sends/outcome-unknown.ts';
import { bootId, NOT_SUBMITTED, readJournal } from './format.ts';

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
  let boot: Promise<string> | undefined;
  /** Of the journal that was read last: the batches of one process come together. */
  let last: { readonly files: string; readonly states: ReadonlyMap<string, SubmissionState> } | undefined;
  const filesOf = async (id: string): Promise<string[]> => {
    const names = await readdir(folder).catch(() => []);
    const own = names.flatMap((name) => {
      const [, of, number] = FILE.exec(name) ?? [];
      return of === id ? [{ name, number: Number(number) }] : [];
    });
    return own.toSorted((a, b) => a.number - b.number).map(({ name }) => join(folder, name));
  };
  return {
    async read(id) {
      const files = id === null ? [] : await filesOf(id);
      if (files.length === 0) return undefined;
      boot ??= bootId();
      const sizes = await Promise.all(
        files.map((file) =>
          stat(file).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      const version = files.map((file, index) => `${file} ${sizes[index]}`).join();
      if (last?.files !== version) {
        const states = new Map<string, SubmissionState>();
        for (const file of files) {
          // One that is gone by now had only mails that are recorded.
          const text = await readFile(file, 'utf8').catch(() => undefined);
          if (text !== undefined && !readJournal(text, await boot, states)) return undefined;
        }
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
