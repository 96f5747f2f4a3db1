import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { eventually } from '../../test/support/eventually.ts';

/** What came to one path. Instants are epoch milliseconds. */
export interface Received {
  readonly calls: number;
  /** Different `webhook-id`. */
  readonly distinct: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** The most at the same time. */
  readonly atOnce: number;
  /** Of paths below /keep. */
  readonly arrivals?: readonly { readonly atMs: number; readonly body: string }[];
}

export interface BenchReceiver {
  /** Paths below /hang are answered after 15 s, every other at once; those below /refuse with 503. */
  readonly url: string;
  readonly process: GuardedProcess;
  received(path: string): Promise<Received>;
}

/** A Node server, as receivers of webhooks are: what sends to it, ours or the bare loop, shares the machine with it. */
export async function startReceiver(folder: string): Promise<BenchReceiver> {
  const port = await freePort();
  const server = startGuarded({
    name: 'webhook-receiver',
    command: process.execPath,
    args: [fileURLToPath(new URL('./webhook-receiver.ts', import.meta.url)), String(port)],
    logFile: join(folder, 'receiver.log'),
    pidFile: join(folder, 'receiver.pid'),
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 2,
  });
  const url = `http://127.0.0.1:${port}`;
  const received = async (path: string): Promise<Received> =>
    (await (await fetch(`${url}/stats?path=${encodeURIComponent(path)}`)).json()) as Received;
  await eventually(() => received('/'));
  return { url, process: server, received };
}
