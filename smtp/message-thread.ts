import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inThread } from '../sending/compose/thread-task.ts';
import { UnknownCharset } from './charsets.ts';
import { openMessage } from './message-source.ts';
import { NotAsEncoded } from './part-content.ts';
import { type MessagePart, type ReadMessage, readMessage, UnreadableMessage, unreadable } from './read-message.ts';

/** A message as it came, whom its envelope names, and the folder for files of it. */
export interface MessageTask {
  readonly content: { readonly bytes: Uint8Array } | { readonly path: string };
  readonly recipients: readonly string[];
  readonly folder: string;
}

/** An attachment of a message, whose bytes are in a file of its own. */
export interface SpooledPart extends Omit<MessagePart, 'pieces'> {
  readonly path: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export type MessageRead = { readonly message: ReadMessage; readonly parts: readonly SpooledPart[] } | { readonly unreadable: string };

/** Reads one message. */
export default inThread<MessageTask, MessageRead>(async ({ content, recipients, folder }, at) => {
  at(0);
  const source = openMessage(content);
  const spooledParts: SpooledPart[] = [];
  try {
    const { message, parts } = await readMessage(source, recipients);
    for (const part of parts) spooledParts.push(spooled(part, folder));
    return { value: { message, parts: spooledParts }, transfer: [] };
  } catch (error) {
    for (const { path } of spooledParts) rmSync(path, { force: true });
    const known = asUnreadable(error);
    if (known) return { value: { unreadable: known.message }, transfer: [] };
    throw error;
  } finally {
    source.close();
  }
});

function asUnreadable(error: unknown): UnreadableMessage | undefined {
  if (error instanceof UnreadableMessage) return error;
  if (error instanceof NotAsEncoded || error instanceof UnknownCharset) return unreadable(error.message);
  // A text longer than V8 can hold.
  return error instanceof RangeError ? unreadable('too large') : undefined;
}

function spooled({ pieces, ...part }: MessagePart, folder: string): SpooledPart {
  const path = join(folder, `${randomUUID()}.part`);
  const hash = createHash('sha256');
  let size = 0;
  const file = openSync(path, 'wx', 0o600);
  try {
    for (const piece of pieces()) {
      for (let written = 0; written < piece.length; ) written += writeSync(file, piece, written);
      hash.update(piece);
      size += piece.length;
    }
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return { ...part, path, size, sha256: hash.digest('hex') };
}
