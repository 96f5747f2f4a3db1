import { Failure } from '../failure.ts';
import { isObject } from './canonical.ts';
import type { WorkFolder } from './folder.ts';
import type { Parts } from './parts.ts';

const FILE = '.everpost.lock.json';

/** What the server had when this folder was last pulled or pushed, by project. It is of this folder on this machine, and not for git. */
export interface Lock {
  /** The parts of `templates/<key>` or `sequences/<key>`; undefined: it was never pulled. */
  get(name: string): Parts | undefined;
  set(name: string, parts: Parts): void;
  save(): Promise<void>;
}

/** `project`: names the server and the project, so that one folder serves several. */
export async function openLock(folder: WorkFolder, project: string): Promise<Lock> {
  const text = await folder.read(FILE);
  let all: Record<string, Record<string, Parts>>;
  try {
    all = text === undefined ? {} : JSON.parse(text);
    if (!isObject(all)) throw new SyntaxError('no object');
  } catch {
    throw new Failure(`${folder.named(FILE)} is damaged; delete it and pull again`);
  }
  const own = new Map(Object.entries(all[project] ?? {}));
  return {
    get: (name) => own.get(name),
    set: (name, parts) => void own.set(name, parts),
    async save() {
      if (own.size === 0) return;
      const sorted = Object.fromEntries([...own].sort(([one], [other]) => (one < other ? -1 : 1)));
      await folder.write(FILE, `${JSON.stringify({ ...all, [project]: sorted }, null, 2)}\n`);
      if ((await folder.read('.gitignore')) === undefined) await folder.write('.gitignore', `${FILE}\n`);
    },
  };
}
