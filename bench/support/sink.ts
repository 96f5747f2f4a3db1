import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { eventually } from '../../test/support/eventually.ts';

/** What the sink counts; its own names. */
export interface SinkStats {
  readonly messages: number;
  readonly distinct_recipients: number;
  readonly duplicates: number;
  readonly bytes: number;
  readonly connections_opened: number;
  readonly sink_cpu_seconds: number;
}

export interface BenchSink {
  readonly smtpUrl: string;
  readonly process: GuardedProcess;
  stats(): Promise<SinkStats>;
  reset(): Promise<void>;
}

const SOURCE = fileURLToPath(new URL('../smtp-sink', import.meta.url));
const BINARY = fileURLToPath(new URL('../../.cache/smtp-sink', import.meta.url));

/** Builds the sink with the Go toolchain and starts it: it takes mail many times faster than any server written for Node. */
export async function startSink(folder: string): Promise<BenchSink> {
  await mkdir(join(BINARY, '..'), { recursive: true });
  await promisify(execFile)('go', ['build', '-o', BINARY, '.'], { cwd: SOURCE, env: { ...process.env, CGO_ENABLED: '0' } });
  const [smtp, http] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const server = startGuarded({
    name: 'smtp-sink',
    command: BINARY,
    args: ['-smtp', smtp, '-http', http],
    logFile: join(folder, 'sink.log'),
    pidFile: join(folder, 'sink.pid'),
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 2,
  });
  const stats = async (): Promise<SinkStats> => (await (await fetch(`http://${http}/stats`)).json()) as SinkStats;
  await eventually(stats);
  return {
    smtpUrl: `smtp://${smtp}`,
    process: server,
    stats,
    async reset() {
      await fetch(`http://${http}/reset`, { method: 'POST' });
    },
  };
}
