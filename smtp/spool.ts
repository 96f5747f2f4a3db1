import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A whole message: a small one in memory, a large one in a file that its disposal removes. */
export type Spooled = ({ readonly bytes: Uint8Array } | { readonly path: string }) & {
  readonly size: number;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Why a message was not taken. `endless`: it went on far beyond its limit. */
export type NotSpooled = 'too large' | 'endless' | 'no room';

export interface Spool {
  /** Takes a message of at most so many bytes; reads on to its end also when it cannot be taken. Throws what the stream throws. */
  take(source: AsyncIterable<Uint8Array>, most: number): Promise<Spooled | NotSpooled>;
}

export interface SpoolOptions {
  readonly folder: string;
  /** A message of more is written to disk. */
  readonly inMemory?: number;
  /** Of all files together. */
  readonly onDisk?: number;
}

const IN_MEMORY_BYTES = 256 * 1024;
const ON_DISK_BYTES = 2 ** 30;
/** A client that goes on so far was told the limit, and does not mind it. */
const ENDLESS_FACTOR = 2;
/** A file that is older is of a process that was killed. */
const LEFT_AFTER_MS = 3_600_000;

/** Makes the folder, and removes what killed processes have left there. */
export async function openSpool({ folder, inMemory = IN_MEMORY_BYTES, onDisk = ON_DISK_BYTES }: SpoolOptions): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeLeft(folder);
  let used = 0;
  return {
    async take(source, most) {
      const path = join(folder, `${randomUUID()}.eml`);
      const chunks: Uint8Array[] = [];
      let size = 0;
      let written = 0;
      let refused: NotSpooled | undefined;
      let file: FileHandle | undefined;
      const remove = async (): Promise<void> => {
        if (!file) return;
        used -= written;
        written = 0;
        await file.close().catch(() => {});
        // One that stays is removed by a later start: it is no reason to answer otherwise.
        await rm(path, { force: true }).catch(() => {});
      };
      const write = async (bytes: Uint8Array): Promise<void> => {
        file ??= await open(path, 'wx', 0o600);
        used += bytes.length;
        written += bytes.length;
        await file.writeFile(bytes);
      };
      try {
        for await (const chunk of source) {
          size += chunk.length;
          if (size > most * ENDLESS_FACTOR) refused = 'endless';
          if (refused === 'endless') break;
          if (size > most) refused = 'too large';
          else if (size > inMemory && used + chunk.length > onDisk) refused ??= 'no room';
          if (refused) chunks.length = 0;
          else if (size <= inMemory) chunks.push(chunk);
          else await write(Buffer.concat([...chunks.splice(0), chunk]));
        }
      } catch (error) {
        await remove();
        throw error;
      }
      if (refused) {
        await remove();
        return refused;
      }
      if (!file) return { bytes: Buffer.concat(chunks), size, [Symbol.asyncDispose]: remove };
      await file.close();
      return { path, size, [Symbol.asyncDispose]: remove };
    },
  };
}

async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (/\.(?:eml|part)$/.test(name) && Date.now() - mtimeMs > LEFT_AFTER_MS) await rm(path, { force: true });
  }
}
