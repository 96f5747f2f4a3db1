import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../platform/config-error.ts';
import { processIdentity } from './process-identity.ts';

/** What a running instance tells other programs on this machine, such as the admin CLI. In DATA_DIR/run.json, while it runs. */
export interface RunningStack {
  readonly pid: number;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  /** The embedded server's address: the variables for namespace, TLS and API key do not apply. */
  readonly temporalEmbedded: boolean;
  /** base64 of the 32 bytes. */
  readonly secretKey: string;
  /** The same of those before. */
  readonly previousSecretKeys: readonly string[];
  readonly temporalUiUrl: string | null;
  readonly mailboxUrl: string | null;
  readonly apiUrl: string | null;
}

interface Owner {
  readonly pid: number;
  /** Tells the process from another one that got the same id later. */
  readonly identity: string;
}

const LOCK = 'instance.lock';
const RUN = 'run.json';

/** Makes the folder and takes it for this process. Throws ConfigError when another live instance has it. Answers with how to give it back. */
export async function takeDataDir(dataDir: string): Promise<() => Promise<void>> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(dataDir, error);
  }
  const file = join(dataDir, LOCK);
  const mine: Owner = { pid: process.pid, identity: await processIdentity(process.pid) };
  for (let tries = 0; ; tries++) {
    if (await createExclusively(file, JSON.stringify(mine))) break;
    const owner = await readOwner(file);
    if (owner && (await lives(owner))) {
      throw new ConfigError(
        `${dataDir} is in use by another instance (process ${owner.pid}); stop that one, or set DATA_DIR to another folder`,
      );
    }
    if (tries > 20) throw new ConfigError(`${file} cannot be taken over; remove it when no other instance runs`);
    await removeStale(file, owner);
  }
  await rm(join(dataDir, RUN), { force: true });
  return async () => {
    await rm(join(dataDir, RUN), { force: true });
    await rm(file, { force: true });
  };
}

function unusable(dataDir: string, error: unknown): ConfigError {
  return new ConfigError(
    `DATA_DIR ${dataDir} cannot be used (${(error as Error).message}); set it to a folder that this user may write to`,
  );
}

/** Moved away first: if another start has taken the folder in between, its lock is put back. */
async function removeStale(file: string, owner: Owner | undefined): Promise<void> {
  const aside = `${file}.${process.pid}`;
  await rename(file, aside).catch(() => {});
  const moved = await readOwner(aside);
  if (moved && (moved.pid !== owner?.pid || moved.identity !== owner.identity)) await rename(aside, file);
  await rm(aside, { force: true });
}

async function createExclusively(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(text);
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unusable(dirname(file), error);
  }
}

async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

async function lives({ pid, identity }: Owner): Promise<boolean> {
  return identity !== '' && (await processIdentity(pid)) === identity;
}

/** Written when everything runs, in one step, readable by its owner only: it has the database's password. */
export async function announceRunning(dataDir: string, running: RunningStack): Promise<void> {
  const draft = join(dataDir, `${RUN}.draft`);
  await writeFile(draft, `${JSON.stringify(running, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, join(dataDir, RUN));
}

/** The instance that runs on this folder now; undefined when none does, whatever a crash left over. */
export async function readRunningStack(dataDir: string): Promise<RunningStack | undefined> {
  const owner = await readOwner(join(dataDir, LOCK));
  if (!owner || !(await lives(owner))) return undefined;
  try {
    return JSON.parse(await readFile(join(dataDir, RUN), 'utf8')) as RunningStack;
  } catch {
    return undefined;
  }
}

/** Where the key is kept of which no variable says anything. */
export function secretKeyFile(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

/** The key that seals secrets and signs links, made once. Losing the file makes them worthless. */
export async function keptSecretKey(dataDir: string): Promise<Buffer> {
  const file = secretKeyFile(dataDir);
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read: ${error.message}`);
  });
  if (kept !== undefined) {
    const key = Buffer.from(kept, 'base64');
    if (key.length !== 32)
      throw new ConfigError(`${file} is damaged; it should be 32 bytes in base64. Put the old file back, or set SECRET_KEY`);
    return key;
  }
  const key = randomBytes(32);
  await writeFile(`${file}.draft`, `${key.toString('base64')}\n`, { mode: 0o600 });
  await chmod(`${file}.draft`, 0o600);
  await rename(`${file}.draft`, file);
  return key;
}
