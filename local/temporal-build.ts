import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchingEnvironment } from './child-environment.ts';
import type { Progress } from './progress.ts';

const MODULE = fileURLToPath(new URL('temporal-server/', import.meta.url));
const REPORT_EVERY_MS = 15_000;
/** Go writes a line for every module and package, so a long silence means that something hangs. */
const SILENCE_MS = 10 * 60_000;

/** Builds the server from the pinned module in this repository. Answers with a draft inside `folder`. */
export async function buildTemporal(folder: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<string> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `build-${process.pid}.draft`);
  // -mod=readonly also against a GOFLAGS of the user: a build must not change the repository.
  const args = ['build', '-v', '-trimpath', '-mod=readonly', '-o', draft, 'github.com/temporalio/cli/cmd/temporal'];
  progress('building the Temporal server with Go; the first time this takes three to six minutes on two cores');
  try {
    await go(args, { ...fetchingEnvironment(['GO', 'GIT_'], env), CGO_ENABLED: '0', GOWORK: 'off' }, progress);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return draft;
}

function go(args: string[], env: NodeJS.ProcessEnv, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    let [lines, lastOutput, silent, tail] = [0, Date.now(), false, ''];
    const child = spawn('go', args, { cwd: MODULE, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const stopWithUs = (): void => void child.kill();
    process.once('exit', stopWithUs);
    const timer = setInterval(() => {
      progress(`building the Temporal server: ${lines} modules and packages after ${Math.round((Date.now() - started) / 1000)} s`);
      silent = Date.now() - lastOutput > SILENCE_MS;
      if (silent) child.kill();
    }, REPORT_EVERY_MS);
    child.stderr.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      lines += text.split('\n').length - 1;
      lastOutput = Date.now();
      tail = (tail + text).slice(-2_000);
    });
    const settle = (problem?: string): void => {
      clearInterval(timer);
      process.off('exit', stopWithUs);
      if (problem === undefined) resolve();
      else reject(new Error(problem));
    };
    child.once('error', (error: NodeJS.ErrnoException) => settle(error.code === 'ENOENT' ? 'go is not on the PATH' : error.message));
    child.once('close', (code) => {
      if (code === 0) settle();
      else settle(silent ? 'go was silent for ten minutes' : `go build failed: ${tail.trim().split('\n').slice(-4).join(' / ')}`);
    });
  });
}
