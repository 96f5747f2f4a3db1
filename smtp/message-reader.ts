import type { Logger } from '../platform/logger.ts';
import type { ThreadUse } from '../platform/metrics/watch-threads.ts';
import { createThreadPool } from '../sending/compose/thread-pool.ts';
import type { MessageRead, MessageTask } from './message-thread.ts';
import type { Spooled } from './spool.ts';

/** Reads messages in threads that can be ended: what is too slow or too large holds up nobody but its own project. */
export interface MessageReader {
  read(content: Spooled, recipients: readonly string[], projectId: string): Promise<MessageRead>;
  use(): ThreadUse;
  close(): Promise<void>;
}

const THREADS = 2;
/** Of running, for a message. One of 26 MB takes a second. */
const MESSAGE_MS = 5_000;
const HEAP_MB = 256;
const IDLE_MS = 60_000;

/** `folder`: for files of attachments, which whoever asked for them removes. */
export function createMessageReader({ log, folder }: { readonly log: Pick<Logger, 'error'>; readonly folder: string }): MessageReader {
  const pool = createThreadPool<MessageTask, MessageRead>({
    file: new URL('./message-thread.ts', import.meta.url),
    data: undefined,
    minThreads: 1,
    maxThreads: THREADS,
    itemMs: MESSAGE_MS,
    heapMb: HEAP_MB,
    idleMs: IDLE_MS,
    log,
  });
  return {
    async read(content, recipients, projectId) {
      const outcome = await pool.run(
        { content: 'bytes' in content ? { bytes: content.bytes } : { path: content.path }, recipients, folder },
        projectId,
      );
      return 'answer' in outcome ? outcome.answer : { unreadable: `the message is ${outcome.ended} to read` };
    },
    use: () => pool.use(),
    close: () => pool.close(),
  };
}
