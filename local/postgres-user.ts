import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigError } from '../platform/config-error.ts';

const run = promisify(execFile);

/** How to start a PostgreSQL program: the command, what comes before the program's own name, and who must own its files. */
export interface PostgresUser {
  readonly prefix: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL refuses to run as root, so root hands it to the user `postgres`, who is made when missing. `mustReach` are the
 * folders that this user has to get to: below a private home or a folder made by mktemp it cannot, and then it is given the one
 * capability for that. PostgreSQL asks access(2) for its own programs, which heeds a capability only with this security bit; the bit
 * lets nothing else through, since the start of a program leaves no capability but the given one.
 */
export async function postgresUser(mustReach: readonly string[]): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const { uid, gid } = (await lookUp()) ?? (await create());
  const asUser = ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  const withAccess = [...asUser, '--securebits', '+no_setuid_fixup', '--inh-caps', '+dac_override', '--ambient-caps', '+dac_override'];
  for (const prefix of [asUser, withAccess]) {
    if (await reaches([...prefix], mustReach)) return { prefix, uid, gid };
  }
  throw new ConfigError(
    `the user "postgres", who runs the embedded PostgreSQL because root may not, cannot get to ${mustReach.join(' and ')}; ` +
      'allow it with chmod o+x on the folders above, set DATA_DIR to another place, run as a user who is not root, or set DATABASE_URL',
  );
}

async function reaches(prefix: readonly string[], folders: readonly string[]): Promise<boolean> {
  const [command = 'sh', ...args] = [...prefix, 'sh', '-c', 'for f; do cd "$f" || exit 1; done', 'sh', ...folders];
  return run(command, args, { cwd: '/' }).then(
    () => true,
    () => false,
  );
}

async function lookUp(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function create(): Promise<{ uid: number; gid: number }> {
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres']);
  } catch (error) {
    // Another start may have made it in between.
    if (!(await lookUp())) {
      throw new ConfigError(
        `PostgreSQL may not run as root and the user "postgres" could not be made (${(error as Error).message.trim()}); ` +
          'make it, run as a user who is not root, or set DATABASE_URL',
      );
    }
  }
  return (await lookUp())!;
}
