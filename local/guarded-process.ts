import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from './child-environment.ts';

/** A server that lives exactly as long as this process wants it to. */
export interface GuardedProcess {
  readonly name: string;
  /** Settles when the server has ended, with the exit code. */
  readonly ended: Promise<number | null>;
  readonly running: boolean;
  /** The last lines it wrote, for an error message. */
  lastLines(count?: number): string;
  /** How it has ended, with the lines that it wrote in its last seconds: what is older says nothing about that. */
  lastWords(): string;
  /** Asks it to end, then forces it; resolves when it is gone. */
  stop(): Promise<void>;
  /** Kills it and its guard at once, as a crash would; resolves when both are gone. */
  kill(): Promise<void>;
}

export interface GuardOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** By default what any program needs, and nothing that Everpost is told. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Everything it writes goes here. */
  readonly logFile: string;
  /** Holds the server's process id, so that the next start finds what a crash left over. */
  readonly pidFile: string;
  readonly stopSignal: 'INT' | 'TERM';
  /** Sent when the stop signal has not helped within graceSeconds. */
  readonly hardSignal: 'QUIT' | 'KILL';
  readonly graceSeconds: number;
}

const KEEP_LOG_BYTES = 20_000_000;
/** Of a server that has ended the lines of one to two such times are told. */
const LAST_WORDS_MS = 5_000;
const LAST_LINES = 12;

/**
 * A shell between this process and the server. Its standard input is a pipe from here: when that ends, because this process
 * asked for it or because it was killed, the shell stops the server, first gently. Both are in a session of their own, so a
 * Ctrl-C in the terminal reaches this process only, which then stops everything in order. What the server makes is its user's alone. The
 * shell's own word about how it ended stays out of its log.
 */
const GUARD = `
umask 077
stop=$1 hard=$2 grace=$3 pidfile=$4; shift 4
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
exec 2>/dev/null
echo $server > "$pidfile"
(
  while read -r line <&3; do :; done
  kill -s "$stop" $server
  i=0; while [ $i -lt "$grace" ] && kill -0 $server; do sleep 1; i=$((i + 1)); done
  kill -s "$hard" $server
) >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait $server; code=$?
rm -f "$pidfile"
kill $watch 2>/dev/null
exit $code
`;

export function startGuarded(options: GuardOptions): GuardedProcess {
  rotate(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const child = spawn(
    'sh',
    [
      '-c',
      GUARD,
      'guard',
      options.stopSignal,
      options.hardSignal,
      String(options.graceSeconds),
      options.pidFile,
      options.command,
      ...options.args,
    ],
    { stdio: ['pipe', log, log], detached: true, env: options.env ?? childEnvironment(), ...(options.cwd ? { cwd: options.cwd } : {}) },
  );
  closeSync(log);
  let running = true;
  let exitCode: number | null = null;
  /** The length of its log two looks ago, and one. */
  const lengths = [logStart, logStart];
  const look = setInterval(() => {
    lengths.push(statSync(options.logFile, { throwIfNoEntry: false })?.size ?? 0);
    lengths.shift();
  }, LAST_WORDS_MS).unref();
  const linesFrom = (start: number, count: number): string =>
    readFileSync(options.logFile).subarray(start).toString('utf8').trim().split('\n').slice(-count).join('\n');
  const ended = new Promise<number | null>((resolve) => {
    const end = (code: number | null): void => {
      clearInterval(look);
      running = false;
      exitCode = code;
      resolve(code);
    };
    child.once('error', () => end(null));
    child.once('exit', end);
  });
  return {
    name: options.name,
    ended,
    get running() {
      return running;
    },
    lastLines: (count = LAST_LINES) => linesFrom(logStart, count),
    lastWords() {
      const lines = linesFrom(lengths[0] as number, LAST_LINES);
      return `${endOf(exitCode)}; ${lines === '' ? `it wrote nothing just before (${options.logFile})` : `its last lines:\n${lines}`}`;
    },
    stop: () => endInput(child, ended),
    async kill() {
      // The negative id is that of the group, which holds both.
      if (running && child.pid) process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
  };
}

/** Of the guard, whose exit code is that of a shell: above 128 the server was ended by a signal. */
function endOf(code: number | null): string {
  if (code === null) return 'it could not be run';
  const [signal] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [];
  return signal === undefined ? `it exited with ${code}` : `it was ended by ${signal}`;
}

async function endInput(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.on('error', () => {});
  child.stdin?.end();
  await ended;
}

function rotate(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > KEEP_LOG_BYTES) renameSync(logFile, `${logFile}.old`);
}

/**
 * Ends a server that a crashed instance left over: its guard needs a moment to stop it, and after a crash of the guard as well
 * nobody else will. `mark` is a text that its command line contains, so that a reused process id is never touched.
 */
export async function endLeftover(pidFile: string, mark: string, signals: { stop: NodeJS.Signals; hard: NodeJS.Signals }): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (Number.isInteger(pid) && pid > 1) {
    const deadline = Date.now() + 15_000;
    for (let tries = 0; (await commandLine(pid)).includes(mark); tries++) {
      if (tries % 20 === 10) signal(pid, Date.now() > deadline ? signals.hard : signals.stop);
      if (Date.now() > deadline + 10_000) throw new Error(`process ${pid} (${mark}) does not end; end it and start again`);
      await sleep(100);
    }
  }
  await rm(pidFile, { force: true });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The command line of a running process, "" when there is none (a zombie has none either). */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  }
  return new Promise((resolve) => {
    let text = '';
    const ps = spawn('ps', ['-o', 'command=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    ps.stdout.on('data', (chunk) => {
      text += chunk;
    });
    ps.once('error', () => resolve(''));
    ps.once('close', () => resolve(text));
  });
}
