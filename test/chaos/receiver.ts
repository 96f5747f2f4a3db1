import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Hook } from './observed.ts';
import type { Random } from './random.ts';

/** What takes the calls of webhooks, and how it treats those to a path. */
export interface ChaosReceiver {
  readonly url: string;
  readonly hooks: readonly Hook[];
  /** With what calls to the path are signed. */
  expects(path: string, secret: string): void;
  /** From now on what fails at random answers well; what is dead stays so. */
  heal(): void;
  close(): Promise<void>;
}

/** Longer than an attempt. */
const HANGS_MS = 17_000;

/** Paths with `flaky` in them fail in every way now and then, those with `dead` always. */
export async function startChaosReceiver(random: Random): Promise<ChaosReceiver> {
  const hooks: Hook[] = [];
  const secrets = new Map<string, Webhook>();
  let isHealed = false;
  const server = createServer(async (request, response) => {
    const [at, path, id] = [Date.now(), request.url ?? '', String(request.headers['webhook-id'])];
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Its sender was killed before it had said everything.
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const note = (status: number | null): void =>
      void hooks.push({ path, id, isSigned: isSigned(path, body, request.headers), body, at, status });
    if (path.includes('dead')) {
      note(503);
      return void response.writeHead(503).end();
    }
    const isFlaky = path.includes('flaky') && !isHealed;
    const roll = isFlaky ? random.next() : 1;
    if (roll < 0.15) {
      note(500);
      response.writeHead(500).end();
    } else if (roll < 0.2) {
      note(503);
      response.writeHead(503, { 'retry-after': '3' }).end();
    } else if (roll < 0.25) {
      note(null);
      request.socket.destroy();
    } else if (roll < 0.27) {
      note(null);
      await sleep(HANGS_MS);
      // An answer, however late, would count for a sender that was frozen so long.
      request.socket.destroy();
    } else {
      if (isFlaky) await sleep(random.between(0, 600));
      note(200);
      response.writeHead(200).end();
    }
  });
  const isSigned = (path: string, body: string, headers: object): boolean => {
    try {
      secrets.get(path)?.verify(body, headers as Record<string, string>);
      return secrets.has(path);
    } catch {
      return false;
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hooks,
    expects: (path, secret) => void secrets.set(path, new Webhook(secret)),
    heal() {
      isHealed = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
