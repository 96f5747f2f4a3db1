import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../domain/errors.ts';
import { onDisk, type SpooledFile } from './object-store.ts';

/** Far longer than any file takes to come and to be kept: what is older was left by a process that died. */
const LEFT_AFTER_MS = 6 * 3_600_000;

/** Writes what comes to a file of its own, a piece at a time. Refuses past `most` bytes, and leaves nothing then, nor when the source fails. */
export async function spoolTo(folder: string, source: AsyncIterable<Uint8Array>, most: number): Promise<SpooledFile> {
  await onDisk(mkdir(folder, { recursive: true, mode: 0o700 }));
  const path = join(folder, randomUUID());
  const remove = (): Promise<void> => rm(path, { force: true });
  const file = await onDisk(open(path, 'wx', 0o600));
  try {
    const written = await write(file, source, most).finally(() => file.close());
    return { path, ...written, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function write(file: FileHandle, source: AsyncIterable<Uint8Array>, most: number): Promise<Pick<SpooledFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > most) throw new Refusal('payload_too_large', `the file is larger than ${shown(most)}`);
    hash.update(chunk);
    await onDisk(file.writeFile(chunk));
  }
  return { size, sha256: hash.digest('hex') };
}

/** What processes may have left in a folder. */
export interface LeftFiles {
  /** An older one was left. */
  readonly afterMs?: number;
  /** Whether a file of this name may be one. */
  readonly isOne?: (name: string) => boolean;
}

/**
 * Removes what processes left that died, and answers with the bytes of those files that may be left and are too young. Several may do so at once, and
 * machines may share the folder, which need not be there.
 */
export async function removeLeft(
  folder: string,
  now: Date,
  { afterMs = LEFT_AFTER_MS, isOne = () => true }: LeftFiles = {},
): Promise<number> {
  let bytes = 0;
  for (const name of (await namesIn(folder)).filter(isOne)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (!found) continue;
    if (found.mtimeMs < now.getTime() - afterMs) await rm(path, { force: true, recursive: true });
    else bytes += found.size;
  }
  return bytes;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

function shown(bytes: number): string {
  const mb = bytes / (1024 * 1024);
  return Number.isInteger(mb) ? `${mb} MB` : `${bytes} bytes`;
}
