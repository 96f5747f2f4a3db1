import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { migrateUp } from '../../bin/migrate.ts';
import { requireOwnSessions } from '../../bin/own-sessions.ts';
import { freePort } from '../../local/ports.ts';
import { createMigrated } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find((path) => existsSync(path));
const REFUSED = /^DATABASE_URL leads to a connection pooler \(127\.0\.0\.1:\d+\), .* Set it to the address of PostgreSQL itself/;

let databaseUrl: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  databaseUrl = await createMigrated(testEnvironment().databaseUrl);
});

afterEach(() => {
  for (const program of started.splice(0)) program.kill();
});

/** PgBouncer before the database, with these settings. The address through it. */
async function behindPgBouncer(settings: Readonly<Record<string, string>>): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755);
  const listenPort = await freePort();
  const all = { listen_addr: '127.0.0.1', listen_port: listenPort, unix_socket_dir: '', auth_type: 'any', ...settings };
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${decodeURIComponent(password)}`,
      '[pgbouncer]',
      ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  );
  // It does not run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  started.push(spawn(PGBOUNCER!, [...asUser, file], { stdio: 'ignore' }));
  await eventually(() => accepts(listenPort));
  return Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(listenPort) }).href;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

// `apt-get install pgbouncer`; where it is not there this is skipped.
const where = PGBOUNCER ? describe : describe.skip;

where('a start behind PgBouncer is refused, with what to do', () => {
  const ignoring = {
    ignore_startup_parameters: 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits',
  };
  test.each([
    ['that refuses settings', { pool_mode: 'transaction' }],
    ['that shares sessions and drops settings', { pool_mode: 'transaction', ...ignoring }],
    ['that drops settings', { pool_mode: 'session', ...ignoring }],
  ])('%s', async (_, settings) => {
    const url = await behindPgBouncer(settings);
    await expect(requireOwnSessions(url)).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringMatching(REFUSED) });
    await expect(migrateUp(url)).rejects.toMatchObject({ message: expect.stringMatching(REFUSED) });
  });
});

test('PostgreSQL itself is not taken for a pooler, and one that is away keeps no process from starting', async () => {
  await requireOwnSessions(databaseUrl);
  await requireOwnSessions(`${databaseUrl}?options=${encodeURIComponent('-c work_mem=8MB')}`);
  await requireOwnSessions('postgres://nobody@127.0.0.1:1/none');
});
