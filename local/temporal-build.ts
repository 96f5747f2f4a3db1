import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchingEnvironment } from './child-environment.ts';
import type { Progress } from './progress.ts';

const REPORT_EVERY_MS = 15_000;
/** Go writes a line for every module and package, so a long silence means that something hangs. */
const SILENCE_MS = 10 * 60_000;

/** Builds the server from the pinned module in this repository. Answers with a draft inside `folder`. */
export async function buildTemporal(folder: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<string> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `build-${process.pid}.draft`);
  progress('building the Temporal server with Go; the first time this takes three to six minutes on two cores');
  try {
    await go('temporal-server', ['-trimpath', '-o', draft, 'github.com/temporalio/cli/cmd/temporal'], env, progress);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return draft;
}

/** The programs of a Temporal server as it is run in production, on a database of its own. */
export interface ClusterTemporal {
  readonly server: string;
  /** Makes and updates its databases; has the schema inside. */
  readonly sqlTool: string;
  readonly version: string;
}

/** Builds the server that docker-compose.yml runs from the pinned module in this repository, once for `folder`. */
export async function clusterTemporal(folder: string, progress: Progress, env: NodeJS.ProcessEnv = process.env): Promise<ClusterTemporal> {
  const pinned = await readFile(moduleFile('temporal-cluster', 'go.mod'), 'utf8');
  const version = /^\s*(?:require )?go\.temporal\.io\/server v(\S+)/m.exec(pinned)![1]!;
  const place = join(folder, `temporal-cluster-${version}-${process.platform}-${process.arch}`);
  const programs = { server: join(place, 'server'), sqlTool: join(place, 'sql'), version };
  if (await exists(place)) return programs;
  await mkdir(folder, { recursive: true });
  const draft = await mkdtemp(`${place}-`);
  progress(`building the Temporal server ${version} with Go; the first time this takes some minutes`);
  try {
    const tools = ['server', 'tools/sql'].map((tool) => `go.temporal.io/server/cmd/${tool}`);
    await go('temporal-cluster', ['-o', `${draft}/`, ...tools], env, progress);
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another run may have been first.
    if (!(await exists(place))) throw error;
  }
  return programs;
}

type Module = 'temporal-server' | 'temporal-cluster';

function moduleFile(module: Module, file = ''): string {
  return fileURLToPath(new URL(`${module}/${file}`, import.meta.url));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function go(module: Module, args: readonly string[], env: NodeJS.ProcessEnv, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    let [lines, lastOutput, silent, tail] = [0, Date.now(), false, ''];
    // -mod=readonly also against a GOFLAGS of the user: a build must not change the repository.
    const child = spawn('go', ['build', '-v', '-mod=readonly', ...args], {
      cwd: moduleFile(module),
      env: { ...fetchingEnvironment(['GO', 'GIT_'], env), CGO_ENABLED: '0', GOWORK: 'off' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
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
