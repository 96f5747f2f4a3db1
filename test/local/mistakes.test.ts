import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrateUp } from '../../bin/migrate.ts';
import { problemText } from '../../bin/run.ts';
import { keptSecretKey, takeDataDir } from '../../local/data-dir.ts';
import { demoProject } from '../../local/demo-project.ts';
import { startPostgres } from '../../local/postgres.ts';
import { temporalBinary } from '../../local/temporal-binary.ts';
import { readConfig, requireReady } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { connectClient } from '../../platform/temporal/connection.ts';
import { createMigrated } from '../support/databases.ts';
import { testEnvironment } from '../support/environment.ts';

const silent = (): void => {};
const scratch = (): Promise<string> => mkdtemp(join(testEnvironment().scratchDir, 'mistake-'));

/** What a person reads: the message alone, which is no stack trace. */
async function told(start: Promise<unknown>): Promise<string> {
  const text = await start.then(
    () => 'it started',
    (error: unknown) => problemText(error),
  );
  expect(text).not.toMatch(/^ +at /m);
  return text;
}

test('a DATA_DIR that cannot be written says so and what to do', async () => {
  const file = join(await scratch(), 'file');
  await writeFile(file, '');
  expect(await told(takeDataDir(file))).toMatch(
    /^DATA_DIR .*file cannot be used \(EEXIST.*\); set it to a folder that this user may write to$/,
  );
});

test('a key that was damaged is not replaced in silence', async () => {
  const dataDir = await scratch();
  await writeFile(join(dataDir, 'secret.key'), 'abc');
  expect(await told(keptSecretKey(dataDir))).toMatch(/secret\.key is damaged; .* Put the old file back, or set SECRET_KEY$/);
});

test('a key that is not the one of the database says so, where it is from and what to do', async () => {
  const { databaseUrl, temporalAddress, smtpUrl } = testEnvironment();
  const given = { DATABASE_URL: await createMigrated(databaseUrl), TEMPORAL_ADDRESS: temporalAddress, EMAIL_PROVIDER_URL: smtpUrl };
  const dataDir = await scratch();
  const startWith = (keys: Readonly<Record<string, string>>, from: string) =>
    demoProject(requireReady(readConfig({ ...given, DATA_DIR: dataDir, ...keys })), createLogger('warn'), from);
  const key = (): string => randomBytes(32).toString('base64');
  const [first, other] = [key(), key()];
  expect(await startWith({ SECRET_KEY: first }, 'SECRET_KEY')).toHaveProperty('inboundSecret');
  const file = join(dataDir, 'secret.key');
  for (const from of ['SECRET_KEY', file]) {
    const text = await told(startWith({ SECRET_KEY: other, SECRET_KEY_PREVIOUS: key() }, from));
    expect(text).toContain(
      `sealed with another key than that of ${from}, and none of SECRET_KEY_PREVIOUS opens them. Set SECRET_KEY to the key`,
    );
  }
  expect(await startWith({ SECRET_KEY: other, SECRET_KEY_PREVIOUS: first }, 'SECRET_KEY')).toHaveProperty('inboundSecret');
});

test('a DATA_DIR of a newer version names both versions', async () => {
  const dataDir = await scratch();
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '19\n');
  expect(await told(startPostgres({ dataDir, progress: silent }))).toMatch(
    /was written by PostgreSQL 19, the embedded one is 18; set DATA_DIR to another folder, or DATABASE_URL$/,
  );
});

test.each([
  ['a wrong password', { password: 'wrong' }, 'password authentication failed for user "everpost"'],
  ['no such database', { pathname: '/nothere' }, 'database "nothere" does not exist'],
  ['a port where nobody listens', { host: '127.0.0.1:1' }, 'connect ECONNREFUSED 127.0.0.1:1'],
  ['no such host', { hostname: 'nothere.invalid' }, 'nothere.invalid'],
])('a DATABASE_URL with %s is told without the password', async (_, change, reason) => {
  const url = Object.assign(new URL(testEnvironment().databaseUrl), change);
  const text = await told(migrateUp(url.href));
  expect(text).toMatch(/^the database at .* cannot be reached: .*\. Check DATABASE_URL and that the server runs$/);
  expect(text).toContain(reason);
  expect(text).not.toContain(url.password === 'wrong' ? ':wrong' : url.password);
});

test('a TEMPORAL_ADDRESS where nobody listens, and a namespace that is not there, are told in words', async () => {
  const nobody = await told(connectClient({ temporalAddress: '127.0.0.1:1', temporalEmbedded: true }));
  expect(nobody).toMatch(
    /^Temporal at 127\.0\.0\.1:1 \(namespace "default"\) cannot be reached: no answer within 10 seconds\. It is the server of npm start/,
  );
  expect(nobody).not.toContain('TEMPORAL_ADDRESS');
  process.env.TEMPORAL_NAMESPACE = 'nothere';
  const { temporalAddress } = testEnvironment();
  const foreign = await told(connectClient({ temporalAddress, temporalEmbedded: false })).finally(
    () => delete process.env.TEMPORAL_NAMESPACE,
  );
  expect(foreign).toContain('cannot be reached: Namespace nothere is not found. Check TEMPORAL_ADDRESS');
});

test('with neither internet nor Go the five ways to the Temporal server are told, and what to do', async () => {
  const proxy = process.env.HTTPS_PROXY;
  process.env.HTTPS_PROXY = 'http://127.0.0.1:1';
  const found = temporalBinary({ temporalCliPath: undefined, userCacheDir: await scratch() }, silent, { PATH: '/nowhere' });
  const text = await told(found).finally(() => {
    if (proxy === undefined) delete process.env.HTTPS_PROXY;
    else process.env.HTTPS_PROXY = proxy;
  });
  expect(text.split('\n')).toEqual([
    'no Temporal server could be found or made. What was tried:',
    '  1. TEMPORAL_CLI_PATH: not set',
    '  2. temporal on the PATH: not there',
    expect.stringMatching(/^ {2}3\. the cache .*: empty$/),
    expect.stringMatching(/^ {2}4\. the official download: .*cannot be reached/),
    '  5. a build with Go: go is not on the PATH',
    expect.stringMatching(/^Set TEMPORAL_CLI_PATH to .*, install Go 1\.26 or newer, or set TEMPORAL_ADDRESS to a server that runs$/),
  ]);
});

test('a Node that is too old is told which one is needed and how to get it', async () => {
  const check = join(await scratch(), 'check-node.mjs');
  // Of the Node that runs the tests.
  await writeFile(check, (await readFile('bin/check-node.js', 'utf8')).replace('[24, 2]', '[99, 2]'));
  const { code, stderr } = await new Promise<{ code: unknown; stderr: string }>((resolve) =>
    execFile(process.execPath, ['--import', check, '-e', ''], (error, _, text) => resolve({ code: error?.code, stderr: text })),
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^everpost: this is Node [\d.]+, it needs 99\.2 or newer\. npm ci .*\n$/)]);
});
