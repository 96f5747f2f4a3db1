import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** A response with everything that goes over the wire but its length. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How long a caller may still send what nobody reads, so that the answer reaches it before its connection breaks. */
const LINGER_MS = 2_000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What was asked over one connection and is not answered yet, in the order of asking. */
export class HttpConnection {
  readonly #socket: Duplex;
  readonly #open = new Set<Exchange>();
  #isClosing = false;

  constructor(socket: Duplex & { destroySoon?: () => void }) {
    this.#socket = socket;
    const destroySoon = socket.destroySoon?.bind(socket);
    // Node calls it after an answer with `Connection: close`; it would break the connection under a caller that still sends.
    socket.destroySoon = () => (this.#unread() && !this.#isClosing ? this.#closeAfter('') : destroySoon?.());
  }

  /** false: the connection ends, and what comes over it is not answered any more. */
  begin(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#isClosing) return false;
    const exchange = { request, response };
    this.#open.add(exchange);
    response.once('close', () => this.#open.delete(exchange));
    return true;
  }

  /** Ends with this answer to what could not be read, after everything that was asked before has been answered. */
  async refuse(answer: WholeAnswer): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const unread = this.#unread();
    const before = [...this.#open].filter((exchange) => exchange !== unread);
    await Promise.all(before.map(({ response }) => new Promise((resolve) => response.once('close', resolve))));
    if (unread?.response.headersSent) this.#socket.destroy();
    else this.#closeAfter(textOf(answer));
  }

  /** The request whose body is still to come, if any: the last one. */
  #unread(): Exchange | undefined {
    const last = [...this.#open].at(-1);
    return last && !last.request.complete ? last : undefined;
  }

  #closeAfter(text: string): void {
    this.#isClosing = true;
    const socket = this.#socket;
    socket.end(text);
    const linger = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(linger));
  }
}

function textOf({ status, headers, body }: WholeAnswer): string {
  const lines = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' });
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines.map((line) => line.join(': ')), '', body].join('\r\n');
}
