import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Far {
  readonly host: string;
  readonly port: number;
  readonly roundTripMs: number;
}

/** The server at `url` as it is from far away: what is written to it, and what it answers, is half of a round trip under way. */
export async function startDistance(url: URL, roundTripMs: number): Promise<{ readonly url: string; close(): Promise<void> }> {
  const far: Far = { host: url.hostname, port: Number(url.port), roundTripMs };
  const thread = new Worker(new URL(import.meta.url), { workerData: { far } });
  const [port] = await once(thread, 'message');
  return { url: `${url.protocol}//127.0.0.1:${port}`, close: async () => void (await thread.terminate()) };
}

function pass(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay(true);
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on('end', () => setTimeout(() => to.end(), delayMs));
  from.on('error', () => to.destroy());
}

function serve({ host, port, roundTripMs }: Far): void {
  const server = createServer((near) => {
    const server = connect(port, host);
    pass(near, server, roundTripMs / 2);
    pass(server, near, roundTripMs / 2);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    parentPort!.postMessage(typeof address === 'object' && address ? address.port : 0);
  });
}

if (!isMainThread && workerData?.far) serve(workerData.far);
