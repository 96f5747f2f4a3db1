import { readFile } from 'node:fs/promises';
import { inThread } from '../sending/compose/thread-task.ts';
import { type ReadMessage, readMessage, UnreadableMessage } from './read-message.ts';

/** A message as it came, and whom its envelope names. */
export interface MessageTask {
  readonly content: { readonly bytes: Uint8Array } | { readonly path: string };
  readonly recipients: readonly string[];
}

export type MessageRead = { readonly message: ReadMessage } | { readonly unreadable: string };

/** Reads one message. */
export default inThread<MessageTask, MessageRead>(async ({ content, recipients }, at) => {
  const bytes = 'bytes' in content ? content.bytes : await readFile(content.path);
  at(0);
  try {
    return { value: { message: await readMessage(bytes, recipients) }, transfer: [] };
  } catch (error) {
    if (error instanceof UnreadableMessage) return { value: { unreadable: error.message }, transfer: [] };
    // A text longer than V8 can hold.
    if (error instanceof RangeError) return { value: { unreadable: 'too large' }, transfer: [] };
    throw error;
  }
});
