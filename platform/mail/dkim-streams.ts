import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Filling, OpenSignatures } from './dkim.ts';
import { bodyOf } from './dkim.ts';
import type { OutgoingMail, StreamedPart } from './mail.ts';
import { UnreadPart } from './mail-octets.ts';

/** A mail on its way to the thread, without its header, which is signed already. */
export interface StreamTask {
  readonly port: MessagePort;
  readonly content: Uint8Array;
  readonly parts: readonly Omit<StreamedPart, 'open'>[];
  readonly signatures: OpenSignatures;
}

/** What the thread says of a mail: a part is to be opened, by its index, or the next octets of it are wanted, until it has an end. */
export type StreamSaid =
  | { readonly open: number }
  | 'next'
  | { readonly fillings: readonly Filling[] }
  | { readonly unread: Pick<UnreadPart, 'message' | 'isGone'> };

/** What it hears of a part: it is open or not kept, its next octets or its end, or it cannot be read. */
export type StreamHeard = 'open' | 'gone' | Uint8Array | 'end' | 'broken';

/**
 * Signs mails with parts, in a thread of its own: to hash 25 MB takes it some hundred milliseconds. The parts are read here, a chunk at a time, since the
 * files are where only this thread can read them.
 */
export interface StreamSigner {
  /**
   * What is to be written into the content, whose parts are read for it; nothing of a mail without signatures, and of one that is not wanted any more before
   * all of it is read. Throws UnreadPart.
   */
  fillings(mail: OutgoingMail, isWanted: () => boolean): Promise<readonly Filling[]>;
  close(): Promise<void>;
}

const NOTHING: readonly Filling[] = [];
/** The thread ends when it has had nothing to sign for so long. */
const IDLE_MS = 60_000;

export function createStreamSigner(): StreamSigner {
  let thread: Worker | undefined;
  let underWay = 0;
  let idle: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  };

  const running = (): Worker => {
    if (thread) return thread;
    // What is preloaded into a worker's process is for that process.
    const started = new Worker(new URL('./dkim-thread.ts', import.meta.url), { execArgv: [] });
    started.unref();
    const gone = (): void => {
      if (thread === started) thread = undefined;
    };
    // Its ports are closed with it, by which each mail hears of it.
    started.on('error', gone).on('exit', gone);
    thread = started;
    return started;
  };

  return {
    async fillings(mail, isWanted) {
      const { content, parts = [], signatures } = mail;
      if (!signatures) return NOTHING;
      clearTimeout(idle);
      underWay++;
      const { port1, port2 } = new MessageChannel();
      // A copy: of a view all memory behind it would cross, which is that of a batch.
      const body = new Uint8Array(bodyOf(content));
      const before = content.length - body.length;
      const described = parts.map(({ at, filename, size, sha256 }) => ({ at: at - before, filename, size, sha256 }));
      running().postMessage({ port: port2, content: body, parts: described, signatures } satisfies StreamTask, [port2, body.buffer]);
      try {
        return await served(port1, parts, isWanted);
      } finally {
        if (--underWay === 0) idle = setTimeout(() => void end(), IDLE_MS).unref();
      }
    },
    close: end,
  };
}

/** Gives the thread what it asks for, until it says what came of it. */
function served(port: MessagePort, parts: readonly StreamedPart[], isWanted: () => boolean): Promise<readonly Filling[]> {
  const files = new OpenFiles(parts);
  return new Promise<readonly Filling[]>((resolve, reject) => {
    port.on('message', (said: StreamSaid) => {
      if (said !== 'next' && 'fillings' in said) resolve(said.fillings);
      else if (said !== 'next' && 'unread' in said) reject(new UnreadPart(said.unread.message, said.unread.isGone));
      else if (!isWanted()) resolve(NOTHING);
      else void (said === 'next' ? files.next() : files.open(said.open)).then(answer);
    });
    port.on('close', () => reject(new UnreadPart('not submitted: it could not be signed', false)));
    const answer = (heard: StreamHeard): void => port.postMessage(heard, typeof heard === 'string' ? [] : [heard.buffer as ArrayBuffer]);
  }).finally(() => {
    port.close();
    return files.close();
  });
}

/** The parts of a mail as they are read, one after the other. */
class OpenFiles {
  readonly #parts: readonly StreamedPart[];
  #chunks: AsyncIterator<Uint8Array> | undefined;

  constructor(parts: readonly StreamedPart[]) {
    this.#parts = parts;
  }

  async open(index: number): Promise<StreamHeard> {
    try {
      const source = await this.#parts[index]!.open();
      this.#chunks = source?.[Symbol.asyncIterator]();
      return source ? 'open' : 'gone';
    } catch {
      return 'broken';
    }
  }

  async next(): Promise<StreamHeard> {
    try {
      const { done, value } = await this.#chunks!.next();
      // A copy: what was read into may be read into again, and may be a part of larger memory.
      return done ? 'end' : new Uint8Array(value);
    } catch {
      return 'broken';
    }
  }

  /** What was not read to its end is closed. */
  async close(): Promise<void> {
    await this.#chunks?.return?.().catch(() => undefined);
  }
}
