import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { GuardedProcess } from '../../local/guarded-process.ts';

/** A server or program that is started again whenever it ends, as an orchestrator does. */
export interface Member {
  readonly name: string;
  /** How often it has been started again. */
  readonly restarts: number;
  /** SIGKILL to it and all its processes. Resolves when it runs again. */
  kill(): Promise<void>;
  /** SIGSTOP to it and all its processes, and SIGCONT after so long. */
  pause(milliseconds: number): Promise<void>;
  /** Ends it in order, for good. */
  stop(): Promise<void>;
}

export interface MemberOptions {
  readonly name: string;
  /** Holds the id of its first process. */
  readonly pidFile: string;
  start(): GuardedProcess | Promise<GuardedProcess>;
  readonly progress: (line: string) => void;
}

const RESTART_PAUSE_MS = 200;
const RETRY_START_MS = 1_000;

const run = promisify(execFile);

/** Starts it and keeps it running. */
export async function keptRunning({ name, pidFile, start, progress }: MemberOptions): Promise<Member> {
  let stopping = false;
  let restarts = 0;
  let running = await start();
  let started = Promise.resolve();
  const again = async (): Promise<void> => {
    for (let pause = RESTART_PAUSE_MS; !stopping; pause = RETRY_START_MS) {
      await sleep(pause);
      try {
        running = await start();
        restarts++;
        return watch();
      } catch (error) {
        progress(`${name} does not start: ${(error as Error).message.split('\n')[0]}`);
      }
    }
  };
  const watch = (): void => {
    void running.ended.then(() => {
      if (!stopping) started = again();
    });
  };
  watch();
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    if (!(pid > 1)) return;
    // Its first process goes first, so that it starts no more of them, and comes back last.
    const pids = [pid, ...(signal === 'SIGKILL' ? await below(pid) : [])];
    for (const one of signal === 'SIGCONT' ? [...(await below(pid)), pid] : pids) send(one, signal);
    if (signal === 'SIGSTOP') for (const one of await below(pid)) send(one, signal);
  };
  return {
    name,
    get restarts() {
      return restarts;
    },
    async kill() {
      const { ended } = running;
      await signalAll('SIGKILL');
      await ended;
      await started;
    },
    async pause(milliseconds) {
      await signalAll('SIGSTOP');
      await sleep(milliseconds);
      await signalAll('SIGCONT');
    },
    async stop() {
      stopping = true;
      await started;
      await running.stop();
    },
  };
}

/** Every process that descends from this one. */
async function below(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found) found.push(...pairs.flatMap(([child, of]) => (of === parent ? [child as number] : [])));
  return found.slice(1);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
