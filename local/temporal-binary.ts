import { type ExecFileException, execFile } from 'node:child_process';
import { access, chmod, constants, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { ConfigError } from '../platform/config-error.ts';
import { childEnvironment } from './child-environment.ts';
import type { Progress } from './progress.ts';
import { buildTemporal } from './temporal-build.ts';
import { downloadTemporal } from './temporal-download.ts';

/** One way to come by the Temporal server. Answers with the program's path, or why it gives none. */
export interface Way {
  /** Stands in the list that a person gets when every way fails. */
  readonly name: string;
  readonly find: () => Promise<{ readonly path: string } | { readonly reason: string }>;
}

/** The oldest server with fairness between projects on a task queue. */
const OLDEST_SERVER = '1.29.0';
const PLATFORM = `${process.platform}-${process.arch}`;

/** The path of a Temporal server that runs here. Throws ConfigError that says what was tried when there is none. */
export async function temporalBinary(
  config: Pick<Config, 'temporalCliPath' | 'userCacheDir'>,
  progress: Progress,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return firstThatWorks(ways(config, progress, env));
}

/** Tries one way after the other; the first answer wins. */
export async function firstThatWorks(list: readonly Way[]): Promise<string> {
  const tried: string[] = [];
  for (const { name, find } of list) {
    const found = await find();
    if ('path' in found) return found.path;
    tried.push(`  ${tried.length + 1}. ${name}: ${found.reason}`);
  }
  throw new ConfigError(
    `no Temporal server could be found or made. What was tried:\n${tried.join('\n')}\n` +
      'Set TEMPORAL_CLI_PATH to the temporal command line program (https://docs.temporal.io/cli, or a copy of it from another machine), ' +
      'install Go 1.26 or newer, ' +
      'or set TEMPORAL_ADDRESS to a server that runs',
  );
}

function ways(
  { temporalCliPath, userCacheDir }: Pick<Config, 'temporalCliPath' | 'userCacheDir'>,
  progress: Progress,
  env: NodeJS.ProcessEnv,
): Way[] {
  const keep = (draft: string) => keepInCache(userCacheDir, draft);
  return [
    { name: 'TEMPORAL_CLI_PATH', find: async () => fromVariable(temporalCliPath) },
    { name: 'temporal on the PATH', find: async () => fromPath(env.PATH ?? '') },
    { name: `the cache ${userCacheDir}`, find: async () => fromCache(userCacheDir) },
    { name: 'the official download', find: async () => attempt(progress, () => downloadTemporal(userCacheDir, progress).then(keep)) },
    { name: 'a build with Go', find: async () => attempt(progress, () => buildTemporal(userCacheDir, progress, env).then(keep)) },
  ];
}

async function fromVariable(path: string | undefined): Promise<{ path: string } | { reason: string }> {
  if (path === undefined) return { reason: 'not set' };
  const version = await serverVersion(path);
  // Said by a person, so it is not passed over in silence.
  if ('reason' in version) throw new ConfigError(`TEMPORAL_CLI_PATH is "${path}", which does not work: ${version.reason}`);
  return { path };
}

async function fromPath(searchPath: string): Promise<{ path: string } | { reason: string }> {
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const path = join(folder, 'temporal');
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!found) continue;
    const version = await serverVersion(path);
    return 'reason' in version ? { reason: `${path}: ${version.reason}` } : { path };
  }
  return { reason: 'not there' };
}

async function fromCache(folder: string): Promise<{ path: string } | { reason: string }> {
  const names = (await readdir(folder).catch(() => [])).filter(
    (name) => name.startsWith('temporal-server-') && name.endsWith(`-${PLATFORM}`),
  );
  names.sort((a, b) => compareVersions(versionIn(b) ?? '0', versionIn(a) ?? '0'));
  for (const name of names) {
    const path = join(folder, name);
    if (!('reason' in (await serverVersion(path)))) return { path };
    await rm(path, { force: true });
  }
  return { reason: 'empty' };
}

/** Moves a server that works to its name in the cache, in one step, so that a second start never sees half a file. */
async function keepInCache(folder: string, draft: string): Promise<string> {
  await chmod(draft, 0o755);
  const version = await serverVersion(draft);
  if ('reason' in version) {
    await rm(draft, { force: true });
    throw new Error(version.reason);
  }
  const path = join(folder, `temporal-server-${version.server}-${PLATFORM}`);
  await mkdir(folder, { recursive: true });
  await rename(draft, path);
  return path;
}

async function attempt(progress: Progress, make: () => Promise<string>): Promise<{ path: string } | { reason: string }> {
  try {
    return { path: await make() };
  } catch (error) {
    const reason = (error as Error).message;
    progress(`that did not work: ${reason}`);
    return { reason };
  }
}

/** Asks the program itself, which also shows that it runs on this machine. */
function serverVersion(path: string): Promise<{ server: string } | { reason: string }> {
  return new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: 20_000, env: childEnvironment() }, (error: ExecFileException | null, stdout: string) => {
      const server = versionIn(/Server (\S+)/.exec(stdout)?.[1] ?? '');
      if (error) resolve({ reason: error.code === 'ENOENT' ? 'no such file' : `it does not run (${error.message.trim()})` });
      else if (!server) resolve({ reason: 'it is not the temporal command line program with a server inside' });
      else if (compareVersions(server, OLDEST_SERVER) < 0)
        resolve({ reason: `its server is ${server}, ${OLDEST_SERVER} or newer is needed` });
      else resolve({ server });
    });
  });
}

function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (left![i] !== right![i]) return left![i]! - right![i]!;
  return 0;
}
