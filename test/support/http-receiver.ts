import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A status, or one with headers and a body. */
export type ScriptedAnswer =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: string | Buffer };

export interface HttpReceiver {
  readonly url: string;
  /** Calls whose path begins so, oldest first. */
  calls(path: string): ReceivedCall[];
  /** How many calls to paths that begin so have had no answer at the same time, at most. */
  mostAtOnce(path: string): number;
  /** What calls to paths that begin so are answered, one after the other; 200 when there is no more. */
  answer(path: string, ...answers: ScriptedAnswer[]): void;
  /** Calls to paths that begin so have no answer before this promise is fulfilled, or the one that this makes for each. */
  holdUp(path: string, until: Promise<unknown> | (() => Promise<unknown>)): void;
  close(): Promise<void>;
}

/** Keeps every call in memory. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: ReceivedCall[] = [];
  const answers = new Map<string, ScriptedAnswer[]>();
  const heldUp = new Map<string, Promise<unknown> | (() => Promise<unknown>)>();
  /** Of whole paths: now, and at most. */
  const open = new Map<string, { now: number; most: number }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const path = request.url ?? '';
    const count = open.get(path) ?? { now: 0, most: 1 };
    open.set(path, count);
    count.now++;
    // Two turns later the end of a call is known whose caller had gone before it made this one.
    const look = (): void => {
      count.most = Math.max(count.most, count.now);
    };
    setImmediate(() => setImmediate(look));
    response.on('close', () => void count.now--);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      received.push({ method: request.method ?? '', path, headers: request.headers as never, body: Buffer.concat(chunks).toString() });
      const [, scripted] = [...answers].find(([start]) => path.startsWith(start)) ?? [];
      const [, until] = [...heldUp].find(([start]) => path.startsWith(start)) ?? [];
      await (typeof until === 'function' ? until() : until);
      const answer = scripted?.shift() ?? 200;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: (path) => received.filter((call) => call.path.startsWith(path)),
    mostAtOnce: (path) => Math.max(0, ...[...open].filter(([at]) => at.startsWith(path)).map(([, { most }]) => most)),
    answer: (path, ...scripted) => void answers.set(path, scripted),
    holdUp: (path, until) => void heldUp.set(path, until),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
