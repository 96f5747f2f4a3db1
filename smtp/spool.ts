import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { every } from '../platform/every.ts';
import type { Logger } from '../platform/logger.ts';
import { removeLeft } from '../platform/objects/spool.ts';

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
  close(): Promise<void>;
}

export interface SpoolOptions {
  readonly folder: string;
  /** A message of more is written to disk. */
  readonly inMemory?: number;
  /** Of all files together. */
  readonly onDisk?: number;
  readonly log: Pick<Logger, 'warn'>;
}

const IN_MEMORY_BYTES = 256 * 1024;
const ON_DISK_BYTES = 2 ** 30;
/** A client that goes on so far was told the limit, and does not mind it. */
const ENDLESS_FACTOR = 2;
/** Longer than a message may take to come and to be answered: a file that is older is of a process that was killed. */
const LEFT_AFTER_MS = 900_000;
const LOOK_FOR_LEFT_MS = 300_000;

/** Makes the folder. What killed processes have left there counts until it is removed. */
export async function openSpool({ folder, log, inMemory = IN_MEMORY_BYTES, onDisk = ON_DISK_BYTES }: SpoolOptions): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  /** Of messages that come here. */
  let used = 0;
  const own = new Set<string>();
  const removeOthers = () =>
    removeLeft(folder, new Date(), { afterMs: LEFT_AFTER_MS, isOne: (name) => /\.(?:eml|part)$/.test(name) && !own.has(name) });
  /** Of all other files: what was left, and attachments that were taken out of messages. */
  let others = await removeOthers();
  const tidying = every(
    LOOK_FOR_LEFT_MS,
    async () => {
      others = await removeOthers();
    },
    (error) => log.warn('smtp.left_not_removed', { error }),
  );
  return {
    close: () => tidying.stop(),
    async take(source, most) {
      const name = `${randomUUID()}.eml`;
      const path = join(folder, name);
      const chunks: Uint8Array[] = [];
      let size = 0;
      let written = 0;
      let refused: NotSpooled | undefined;
      let file: FileHandle | undefined;
      const remove = async (): Promise<void> => {
        if (!file) return;
        used -= written;
        written = 0;
        own.delete(name);
        await file.close().catch(() => {});
        // One that stays is removed by a later start: it is no reason to answer otherwise.
        await rm(path, { force: true }).catch(() => {});
      };
      const write = async (bytes: Uint8Array): Promise<void> => {
        own.add(name);
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
          else if (size > inMemory && used + others + chunk.length > onDisk) refused ??= 'no room';
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
