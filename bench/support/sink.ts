import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { eventually } from '../../test/support/eventually.ts';
import { buildGoProgram } from './go-program.ts';

/** What the sink counts; its own names. */
export interface SinkStats {
  readonly messages: number;
  readonly distinct_recipients: number;
  readonly duplicates: number;
  readonly bytes: number;
  /** Epoch seconds; 0 while nothing has come. */
  readonly first_unix: number;
  readonly last_unix: number;
  readonly connections_opened: number;
  readonly sink_cpu_seconds: number;
}

export interface BenchSink {
  readonly smtpUrl: string;
  readonly process: GuardedProcess;
  stats(): Promise<SinkStats>;
  /** How many have come, which costs the sink less to tell. */
  messages(): Promise<number>;
  /** Every address that something came for, and how many. */
  addresses(): Promise<ReadonlyMap<string, number>>;
  /** Waits until so many have come, or until nothing came for `quietSeconds`; answers with how many have. */
  received(messages: number, quietSeconds?: number): Promise<number>;
  reset(): Promise<void>;
}

const POLL_MS = 100;

/** Builds the sink with the Go toolchain and starts it: it takes mail many times faster than any server written for Node. */
export async function startSink(folder: string, latencyMs = 0): Promise<BenchSink> {
  const command = await buildGoProgram('smtp-sink');
  const [smtp, http] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const server = startGuarded({
    name: 'smtp-sink',
    command,
    args: ['-smtp', smtp, '-http', http, ...(latencyMs > 0 ? ['-latency', `${latencyMs}ms`] : [])],
    logFile: join(folder, 'sink.log'),
    pidFile: join(folder, 'sink.pid'),
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 2,
  });
  const stats = async (): Promise<SinkStats> => (await (await fetch(`http://${http}/stats`)).json()) as SinkStats;
  await eventually(stats);
  const messages = async (): Promise<number> =>
    ((await (await fetch(`http://${http}/stats?brief`)).json()) as Pick<SinkStats, 'messages'>).messages;
  return {
    smtpUrl: `smtp://${smtp}`,
    process: server,
    stats,
    messages,
    async addresses() {
      const lines = (await (await fetch(`http://${http}/recipients`)).text()).split('\n').filter((line) => line !== '');
      return new Map(lines.map((line) => [line.slice(line.indexOf(' ') + 1), Number(line.slice(0, line.indexOf(' ')))]));
    },
    async received(expected, quietSeconds = 30) {
      let count = await messages();
      for (let since = performance.now(); count < expected && performance.now() - since < quietSeconds * 1000; ) {
        await sleep(POLL_MS);
        const now = await messages();
        if (now !== count) since = performance.now();
        count = now;
      }
      return count;
    },
    async reset() {
      await fetch(`http://${http}/reset`, { method: 'POST' });
    },
  };
}
