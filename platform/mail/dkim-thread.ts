import { type MessagePort, parentPort } from 'node:worker_threads';
import { DkimSigner } from './dkim.ts';
import { RelaxedBodyHash } from './dkim-relaxed.ts';
import type { StreamHeard, StreamSaid, StreamTask } from './dkim-streams.ts';
import { mailOctets, UnreadPart } from './mail-octets.ts';

const signer = new DkimSigner();

parentPort!.on('message', (task: StreamTask) => void answer(task));

/** Hashes the body of a mail with its parts, each octet of which is that which will be submitted, and signs it. */
async function answer({ port, content, parts, signatures }: StreamTask): Promise<void> {
  const source = new Source(port);
  const opened = parts.map((part, index) => ({ ...part, open: () => source.open(index) }));
  const body = new RelaxedBodyHash();
  try {
    for await (const octets of mailOctets({ content, parts: opened }, 'lines')) body.update(octets);
    source.say({ fillings: signer.fillings(signatures, body.digest()) });
  } catch (error) {
    // Any other ends this thread, and whoever waits for it hears that.
    if (!(error instanceof UnreadPart)) throw error;
    source.say({ unread: { message: error.message, isGone: error.isGone } });
  }
}

/** The parts of a mail, which another thread reads. */
class Source {
  readonly #port: MessagePort;
  #heard: (heard: StreamHeard) => void = () => {};
  #isClosed = false;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (heard: StreamHeard) => this.#heard(heard));
    // Nobody wants the mail any more.
    port.on('close', () => {
      this.#isClosed = true;
      this.#heard('broken');
    });
  }

  async open(index: number): Promise<AsyncIterable<Uint8Array> | undefined> {
    const heard = await this.#ask({ open: index });
    if (heard === 'broken') throw new Error('it cannot be opened');
    return heard === 'gone' ? undefined : this.#chunks();
  }

  say(said: StreamSaid): void {
    this.#port.postMessage(said);
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const heard = await this.#ask('next');
      if (heard === 'end') return;
      if (typeof heard === 'string') throw new Error('it cannot be read');
      yield heard;
    }
  }

  #ask(question: StreamSaid): Promise<StreamHeard> {
    if (this.#isClosed) return Promise.resolve('broken');
    return new Promise((resolve) => {
      this.#heard = resolve;
      this.say(question);
    });
  }
}
