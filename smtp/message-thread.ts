import { createHash, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inThread } from '../sending/compose/thread-task.ts';
import { type MessagePart, type ReadMessage, readMessage, UnreadableMessage } from './read-message.ts';

/** A message as it came, whom its envelope names, and the folder for files of it. */
export interface MessageTask {
  readonly content: { readonly bytes: Uint8Array } | { readonly path: string };
  readonly recipients: readonly string[];
  readonly folder: string;
}

/** An attachment of a message, whose bytes are in a file of its own. */
export interface SpooledPart extends Omit<MessagePart, 'content'> {
  readonly path: string;
  readonly size: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

export type MessageRead = { readonly message: ReadMessage; readonly parts: readonly SpooledPart[] } | { readonly unreadable: string };

/** Reads one message. */
export default inThread<MessageTask, MessageRead>(async ({ content, recipients, folder }, at) => {
  const bytes = 'bytes' in content ? content.bytes : await readFile(content.path);
  at(0);
  try {
    const { message, parts } = await readMessage(bytes, recipients);
    return { value: { message, parts: parts.map((part) => spooled(part, folder)) }, transfer: [] };
  } catch (error) {
    if (error instanceof UnreadableMessage) return { value: { unreadable: error.message }, transfer: [] };
    // A text longer than V8 can hold.
    if (error instanceof RangeError) return { value: { unreadable: 'too large' }, transfer: [] };
    throw error;
  }
});

function spooled({ content, ...part }: MessagePart, folder: string): SpooledPart {
  const path = join(folder, `${randomUUID()}.part`);
  writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
  return { ...part, path, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}
