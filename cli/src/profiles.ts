import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, UsageFailure } from './failure.ts';

/** Whom a command talks to. */
export interface Profile {
  readonly name: string;
  /** Without a slash at the end. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Where the key comes from, for messages. */
  readonly source: 'environment' | 'profile' | 'nowhere';
}

interface Stored {
  readonly url: string;
  readonly apiKey: string;
}

/** The address of `npm start`; there is no hosted service. */
export const DEFAULT_URL = 'http://127.0.0.1:3000';
export const DEFAULT_PROFILE = 'default';

/** Writing takes milliseconds. */
const LOCK_PAUSE_MS = 20;
const LOCK_PATIENCE_MS = 5_000;

type Environment = Readonly<Record<string, string | undefined>>;

function folderOf(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'everpost');
}

/** Where profiles are kept. */
export function profilesFile(env: Environment): string {
  return join(folderOf(env), 'profiles.json');
}

async function storedProfiles(env: Environment): Promise<Record<string, Stored>> {
  const file = profilesFile(env);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
  try {
    return Object.assign(Object.create(null), JSON.parse(text));
  } catch {
    throw new Failure(`${file} is no JSON; delete it and log in again`);
  }
}

/** The environment goes first, then the profile. A profile that is asked for by name has to be there. */
export async function findProfile(
  env: Environment,
  given: { readonly name?: string | undefined; readonly url?: string | undefined },
): Promise<Profile> {
  const asked = given.name ?? (env.EVERPOST_PROFILE || undefined);
  const name = asked ?? DEFAULT_PROFILE;
  const stored = (await storedProfiles(env))[name];
  const apiKey = env.EVERPOST_API_KEY || undefined;
  // Only what counts is looked at: a wrong address that is kept must not keep anybody from giving another.
  const addressOf = (...all: readonly (readonly [from: string, text: string | undefined])[]): string => {
    const [from, text = DEFAULT_URL] = all.find(([, one]) => one !== undefined && one !== '') ?? ['', undefined];
    return plainUrl(text, from);
  };
  const [asOption, asSet, asKept] = [
    ['--url', given.url],
    ['EVERPOST_URL', env.EVERPOST_URL],
    [`the profile ${name}`, stored?.url],
  ] as const;
  // Whoever names a profile on the command line means it, whatever the environment says.
  if (given.name !== undefined && !stored) throw new Failure(`there is no profile ${name}; make it with: everpost login --profile ${name}`);
  if (given.name !== undefined && stored) return { name, url: addressOf(asOption, asKept), apiKey: stored.apiKey, source: 'profile' };
  if (apiKey) return { name, url: addressOf(asOption, asSet), apiKey, source: 'environment' };
  const url = addressOf(asOption, asSet, asKept);
  // A key goes to the address that it was given for, and to no other.
  const isItsOwn = stored !== undefined && addressOf(asKept) === url;
  return { name, url, apiKey: isItsOwn ? stored.apiKey : undefined, source: isItsOwn ? 'profile' : 'nowhere' };
}

/** Keeps a profile in a file that nobody else may read. */
export async function storeProfile(env: Environment, name: string, profile: Stored): Promise<string> {
  return changeProfiles(env, (all) => {
    all[name] = profile;
  });
}

/** Whether there was one. */
export async function dropProfile(env: Environment, name: string): Promise<boolean> {
  let was = false;
  await changeProfiles(env, (all) => {
    was = name in all;
    delete all[name];
  });
  return was;
}

async function changeProfiles(env: Environment, change: (all: Record<string, Stored>) => void): Promise<string> {
  const file = profilesFile(env);
  await mkdir(folderOf(env), { recursive: true, mode: 0o700 });
  // The new file is the lock, too: one process writes at a time, and one that dies leaves the old file whole.
  const beside = `${file}.lock`;
  const handle = await openNew(beside);
  try {
    const all = await storedProfiles(env);
    change(all);
    await handle.chmod(0o600);
    await handle.writeFile(`${JSON.stringify(all, null, 2)}\n`);
    await handle.close();
    await rename(beside, file);
  } catch (error) {
    await handle.close();
    await rm(beside, { force: true });
    throw error;
  }
  return file;
}

/** A file that this process has made. Waits where another one has it. */
async function openNew(path: string): Promise<FileHandle> {
  for (let waited = 0; ; waited += LOCK_PAUSE_MS) {
    try {
      return await open(path, 'wx', 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new Failure(`${path} cannot be written: ${(error as Error).message}`);
      if (waited >= LOCK_PATIENCE_MS)
        throw new Failure(
          `${path} exists: another everpost is writing profiles, or one stopped while writing. If none is running, delete the file`,
        );
      await sleep(LOCK_PAUSE_MS);
    }
  }
}

/** Throws a Failure for what is no address. `from`: who says it; what an option says is written wrong. */
function plainUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    const words = `${from}: ${text} is no address; give one like ${DEFAULT_URL}`;
    throw from === '--url' ? new UsageFailure(words) : new Failure(words);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}
