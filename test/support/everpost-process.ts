import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GuardedProcess, startGuarded } from '../../local/guarded-process.ts';
import { plainEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';

/** The build that the tests are of. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The program as a child process, with no setting but those given here. `build`: the folder of another build. */
export function spawnProgram(
  program: 'api' | 'worker' | 'smtp' | 'start',
  folder: string,
  env: Readonly<Record<string, string>>,
  build: string = ROOT,
): GuardedProcess {
  mkdirSync(folder, { recursive: true });
  return startGuarded({
    name: program,
    command: process.execPath,
    args: commandOf(program, build),
    env: { ...plainEnvironment(), HOME: process.env.HOME, NODE_ENV: 'test', ...env },
    logFile: join(folder, `${program}.log`),
    pidFile: join(folder, `${program}.pid`),
    stopSignal: 'TERM',
    hardSignal: 'KILL',
    graceSeconds: 30,
  });
}

/** Less than the usual limit of a hook, so that it is told what the programs wrote. */
const READY_MS = 150_000;

/** As `npm run` has it, with its flags. */
function commandOf(program: 'api' | 'worker' | 'smtp' | 'start', build: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(build, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [, ...args] = (scripts[program] as string).split(' ');
  return args.map((arg) => (/\.[jt]s$/.test(arg) ? join(build, arg) : arg));
}

/** A worker that has not cannot bear an outage yet: it ends, so that whoever runs it starts it again. */
function hasStarted(program: GuardedProcess): boolean {
  return program.name !== 'worker' || program.lastLines(1_000).includes('"worker.started"');
}

/** Waits until GET /api/v1/ready says 200 and a worker has started; throws with the programs' last lines when one has ended or the time is over. */
export async function waitUntilReady(url: string, programs: readonly GuardedProcess[], timeoutMs = READY_MS): Promise<void> {
  const lines = (): string => programs.map((program) => `--- ${program.name}\n${program.lastLines(15)}`).join('\n');
  let dead: GuardedProcess | undefined;
  await eventually(
    async () => {
      dead = programs.find((program) => !program.running);
      if (dead !== undefined) return true;
      return (await fetch(`${url}/api/v1/ready`, { signal: AbortSignal.timeout(5_000) })).ok && programs.every(hasStarted);
    },
    { timeoutMs, everyMs: 100 },
  ).catch((error: Error) => {
    throw new Error(`not ready at ${url} (${error.message})\n${lines()}`);
  });
  if (dead) throw new Error(`${dead.name} ended before it was ready\n${lines()}`);
}
