import type { Readable } from 'node:stream';

/** Where bytes of files are kept. Keys are ours: [a-z0-9/-], never what a tenant wrote. */
export interface ObjectStore {
  /** For the log. */
  readonly name: 'folder' | 's3';
  /** Whole or not at all, and durable after its promise; the same key again replaces it with the same bytes. */
  put(key: string, file: SpooledFile): Promise<void>;
  /** From so many bytes on, fewer than there are; undefined: there is none. */
  open(key: string, from?: number): Promise<Readable | undefined>;
  has(key: string): Promise<boolean>;
  /** One that is not there is no error. */
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

/** Bytes on this machine's disk, counted and hashed as they came; disposed of by whoever asked for them. */
export interface SpooledFile {
  readonly path: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What keeps bytes is away, full, or does not let us: it may pass. The message is for operators. */
export class ObjectStoreFailure extends Error {
  override readonly name = 'ObjectStoreFailure';
}

/** Waits for work on a disk, whose failures are those of the store. */
export async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ObjectStoreFailure(`the disk: ${(error as Error).message}`, { cause: error });
  }
}

const KEY = /^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/;

/** A key as it was given, which leads nowhere else: no dots, no other separators. */
export function checkedKey(key: string): string {
  if (!KEY.test(key)) throw new Error(`"${key}" is no key of an object`);
  return key;
}
