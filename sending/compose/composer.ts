import type { ReturnPath } from '../../domain/sends/return-path.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OutgoingMail } from '../../platform/mail/mail.ts';
import type { ThreadUse } from '../../platform/metrics/watch-threads.ts';
import { type Authoring, MAIL_MS } from './authoring.ts';
import { createBufferPool } from './buffer-pool.ts';
import type { Composed, ComposeRequest } from './compose-request.ts';
import type { MailsThreadData } from './mails-thread.ts';
import { type PackedAnswer, type PackedBatch, packBatch, type SharedTemplate, unpackAnswer } from './packed-batch.ts';
import { createTemplateStore } from './template-store.ts';
import { createThreadPool, type ThreadPool } from './thread-pool.ts';

/** Renders mails and writes their messages in threads that can be ended; one mail's fault is that mail's alone. */
export interface Composer {
  /** One answer for each request, in their order. */
  compose(batch: readonly ComposeRequest[]): Promise<readonly Composed[]>;
  /**
   * Gives the memory of mails back for the next ones: their contents, and those of all the mails of the same batch, are empty from now on.
   * Nobody has to; to collect it as garbage takes more time than all else that this thread does for a mail.
   */
  recycle(batch: readonly OutgoingMail[]): void;
  threads(): ThreadUse;
  close(): Promise<void>;
}

export interface ComposerOptions {
  /** The 32 bytes of SECRET_KEY: it signs counted links. */
  readonly secretKey: Uint8Array;
  readonly publicUrl: string;
  /** Where bounces of messages come back; undefined: to their senders. */
  readonly returnPath?: ReturnPath | undefined;
  /** Compiles again what was stored in a form of before. */
  readonly authoring: Pick<Authoring, 'compile'>;
  readonly log: Pick<Logger, 'error'>;
  /** At most. Default 2. */
  readonly threads?: number;
  /** Of running, for one mail. Default 250. */
  readonly mailMs?: number;
  /** What each thread may have in memory while it is long at a mail. Default 256. */
  readonly heapMb?: number;
}

/** So many mails cross to a thread at once: enough to make the way there cheap, few enough that a single mail never waits for long. */
const MAILS_AT_ONCE = 64;
const HEAP_MB = 256;
/** A thread takes some 40 MB: one that keeps up with its line is enough. */
const LAG_MS = 50;
const POOLED_BYTES = 32 * 1024 * 1024;

export function createComposer(options: ComposerOptions): Composer {
  const { log } = options;
  const pool = startMailThreads(options);
  const templates = createTemplateStore(options.authoring);
  const buffers = createBufferPool(POOLED_BYTES);

  /** Composes some mails, turn by turn. A mail at which its thread was ended is given up; the others go to another thread. */
  const composeSome = async (requests: readonly ComposeRequest[], line: string): Promise<Composed[]> => {
    const composed: Composed[] = [];
    let left = [...requests.keys()];
    while (left.length > 0) {
      const asked = left.map((index) => requests[index]!);
      const memory = asked.length > 1 ? buffers.take() : undefined;
      const outcome = await pool.run(packBatch(asked, templateOf, memory), line, memory && [memory]);
      if ('answer' in outcome) {
        const { answer } = outcome;
        if (answer.isSlow) pool.slow(line);
        for (const { fault } of answer.failures.values()) if (fault) log.error('compose.fault', { fault });
        for (const [at, one] of unpackAnswer(answer, asked).entries()) composed[left[at]!] = one;
        left = left.slice(answer.ends.length);
      } else if (outcome.ended === 'too large' && left.length > 1) {
        // Which of them is, is found one by one.
        for (const index of left) [composed[index]] = (await composeSome([requests[index]!], line)) as [Composed];
        left = [];
      } else {
        const { ended, item = 0 } = outcome;
        composed[left[item]!] = { ok: false, message: `${ended} to render` };
        left = left.toSpliced(item, 1);
      }
    }
    return composed;
  };
  const templateOf = ({ template }: ComposeRequest): SharedTemplate => templates.get(template);

  return {
    async compose(batch) {
      const faults = await templates.prepare(batch.map(({ template }) => template));
      const good = faults.size === 0 ? batch : batch.filter(({ template }) => !faults.has(template.id));
      // Batches of one template wait for each other and for no others.
      const line = batch[0]?.template.line ?? batch[0]?.template.id ?? '';
      const parts: Promise<Composed[]>[] = [];
      for (let start = 0; start < good.length; start += MAILS_AT_ONCE)
        parts.push(composeSome(good.slice(start, start + MAILS_AT_ONCE), line));
      const composed = (await Promise.all(parts)).flat();
      return faults.size === 0 ? composed : withFaults(batch, composed, faults);
    },
    recycle(batch) {
      for (const { content } of batch) buffers.give(content.buffer);
    },
    threads: () => pool.use(),
    close: () => pool.close(),
  };
}

function startMailThreads(options: ComposerOptions): ThreadPool<PackedBatch, PackedAnswer> {
  const { secretKey, publicUrl, returnPath, threads = 2, mailMs = MAIL_MS, heapMb = HEAP_MB, log } = options;
  return createThreadPool({
    file: new URL('./mails-thread.ts', import.meta.url),
    data: { secretKey: new Uint8Array(secretKey), publicUrl, returnPath } satisfies MailsThreadData,
    // The others start when they are needed: most processes compose a mail at a time, and a thread takes a tenth of a second of a core to start.
    minThreads: 1,
    maxThreads: threads,
    lagMs: LAG_MS,
    itemMs: mailMs,
    heapMb,
    log,
  });
}

/** Answers for the whole batch, in its order: those that were composed, and the faults of templates that could not be used. */
function withFaults(batch: readonly ComposeRequest[], composed: readonly Composed[], faults: ReadonlyMap<string, string>): Composed[] {
  let next = 0;
  return batch.map(({ template }) => {
    const fault = faults.get(template.id);
    return fault === undefined ? composed[next++]! : { ok: false, message: fault };
  });
}
