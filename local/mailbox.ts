import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../platform/config-error.ts';
import { endLeftover, type GuardedProcess, startGuarded } from './guarded-process.ts';
import { freePort } from './ports.ts';
import type { Progress } from './progress.ts';

export interface RunningMailbox {
  readonly smtpUrl: URL;
  readonly process: GuardedProcess;
}

export interface MailboxOptions {
  readonly dataDir: string;
  readonly pagePort: number;
  /** Of 127.0.0.1; any free one unless told. */
  readonly smtpPort?: number;
  readonly progress: Progress;
}

const PROGRAM = fileURLToPath(new URL('mailbox-process.ts', import.meta.url));

/** Starts the mailbox: mail goes in by SMTP, is kept in the data folder, and is read on a page at `pagePort`. */
export async function startMailbox(options: MailboxOptions): Promise<RunningMailbox> {
  const { dataDir, pagePort, progress } = options;
  const folder = join(dataDir, 'mailbox');
  const pidFile = join(dataDir, 'mailbox.pid');
  await endLeftover(pidFile, folder, { stop: 'SIGTERM', hard: 'SIGKILL' });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  progress('starting the mailbox');
  const smtpPort = options.smtpPort ?? (await freePort());
  const server = startGuarded({
    name: 'the mailbox',
    command: process.execPath,
    args: [PROGRAM, folder, String(smtpPort), String(pagePort)],
    logFile: join(dataDir, 'mailbox.log'),
    pidFile,
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 5,
  });
  const deadline = Date.now() + 30_000;
  while (!((await accepts(smtpPort)) && (await accepts(pagePort)))) {
    if (!server.running || Date.now() > deadline) {
      await server.stop();
      throw new ConfigError(`the mailbox did not start:\n${server.lastLines()}`);
    }
    await sleep(50);
  }
  return { smtpUrl: new URL(`smtp://127.0.0.1:${smtpPort}`), process: server };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
