import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpReceiver {
  readonly url: string;
  /** Calls whose path begins so, oldest first. */
  calls(path: string): ReceivedCall[];
  /** What calls to paths that begin so are answered, one after the other; 200 when there is no more. */
  answer(path: string, ...statuses: number[]): void;
  /** Calls to paths that begin so have no answer before this promise is fulfilled. */
  holdUp(path: string, until: Promise<unknown>): void;
  close(): Promise<void>;
}

/** Keeps every call in memory. */
export async function startHttpReceiver(): Promise<HttpReceiver> {
  const received: ReceivedCall[] = [];
  const answers = new Map<string, number[]>();
  const heldUp = new Map<string, Promise<unknown>>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const path = request.url ?? '';
      received.push({ method: request.method ?? '', path, headers: request.headers as never, body: Buffer.concat(chunks).toString() });
      const [, statuses] = [...answers].find(([start]) => path.startsWith(start)) ?? [];
      await [...heldUp].find(([start]) => path.startsWith(start))?.[1];
      response.writeHead(statuses?.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: (path) => received.filter((call) => call.path.startsWith(path)),
    answer: (path, ...statuses) => void answers.set(path, statuses),
    holdUp: (path, until) => void heldUp.set(path, until),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
