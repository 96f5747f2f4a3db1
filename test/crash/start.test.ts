import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readRunningStack } from '../../local/data-dir.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { adminProgram } from '../support/admin.ts';
import { api } from '../support/api.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { spawnProgram, waitUntilReady } from '../support/everpost-process.ts';
import { DATABASE_READS, scrape } from '../support/metrics-page.ts';
import { enableTemplates, newContact, newSequence } from '../support/sequences.ts';

interface Instance {
  readonly dataDir: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  program: GuardedProcess;
}

const started: Instance[] = [];

afterAll(async () => {
  await Promise.all(started.map(({ program }) => program.stop()));
});

/** `npm start` with everything embedded, on a folder and ports of its own. */
async function newInstance(further: Readonly<Record<string, string>> = {}): Promise<Instance> {
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'start-'));
  const [port, ui, mailbox] = [await freePort(), await freePort(), await freePort()];
  const env = {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    TEMPORAL_UI_PORT: String(ui),
    MAILBOX_PORT: String(mailbox),
    TEMPORAL_CLI_PATH: testEnvironment().temporalBinary,
    ...further,
  };
  const instance = { dataDir: env.DATA_DIR, url: `http://127.0.0.1:${port}`, env, program: spawnProgram('start', folder, env) };
  started.push(instance);
  return instance;
}

async function restart(instance: Instance): Promise<void> {
  instance.program = spawnProgram('start', join(instance.dataDir, '..'), instance.env);
  await isReady(instance);
}

async function isReady(instance: Instance): Promise<void> {
  await waitUntilReady(instance.url, [instance.program]);
  await eventually(() => readRunningStack(instance.dataDir));
}

/** What an admin command answers beside it. */
async function admin({ dataDir }: Instance, ...command: readonly string[]) {
  return JSON.parse((await adminProgram([...command, '--json'], { DATA_DIR: dataDir })).stdout);
}

const RATE = 5;

let knowing: Promise<Instance> | undefined;

/** One that is told secrets and runs until the last test is over. */
function thatKnowsSecrets(): Promise<Instance> {
  const start = async (): Promise<Instance> => {
    const instance = await newInstance({
      SECRET_KEY: randomBytes(32).toString('base64'),
      AWS_ACCESS_KEY_ID: 'access-key',
      AWS_SECRET_ACCESS_KEY: 'secret-access-key',
      TEMPORAL_API_KEY: 'api-key',
      METRICS_PORT: '0',
      SEND_RATE_PER_SECOND: String(RATE),
    });
    await isReady(instance);
    return instance;
  };
  knowing ??= start();
  return knowing;
}

/** The key that a person would copy from what the start printed. */
async function demoKey({ dataDir }: Instance): Promise<string> {
  return (JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as { key: string }).key;
}

test('two instances live side by side, survive a stop and a crash, and keep data and key', async () => {
  const [first, second] = await Promise.all([newInstance(), newInstance()]);
  await Promise.all([isReady(first), isReady(second)]);
  const key = await demoKey(first);
  // The last that it does: it is ready before.
  const printed = await eventually(() => {
    const lines = first.program.lastLines(100);
    return lines.includes('curl -sS') && lines;
  });
  const secrets = await admin(first, 'project', 'secrets', 'demo');
  expect(Object.keys(secrets)).toEqual(['slug', 'inboundId', 'inboundSecret', 'webhookSecret']);
  for (const text of [
    key,
    ...secrets.inboundId,
    secrets.inboundSecret,
    secrets.webhookSecret,
    `${first.url}/docs`,
    `${first.url}/console#key=${key}`,
    `http://localhost:${first.env.TEMPORAL_UI_PORT}`,
    'curl -sS',
  ])
    expect(printed).toContain(text);
  for (const name of ['secret.key', 'demo.json', 'run.json', 'temporal.db', 'temporal.pid'])
    expect((await stat(join(first.dataDir, name))).mode & 0o777).toBe(0o600);

  // It is built beside the servers, if it was not built before.
  await eventually(async () => (await fetch(`${first.url}/console`)).ok, { timeoutMs: 300_000, everyMs: 500 });

  const created = await api(key, first.url).post('/contacts', { email: 'kept@example.com' });
  expect(created.status).toBe(200);
  expect((await api(key, second.url).get('/contacts')).status).toBe(401);
  expect((await api(await demoKey(second), second.url).get('/contacts')).body.contacts).toEqual([]);
  // The admin command finds the servers of one through its DATA_DIR.
  expect(await adminProgram(['workflow', 'stuck'], { DATA_DIR: first.dataDir })).toEqual({ code: 0, stdout: 'none\n', stderr: '' });

  await first.program.stop();
  expect(await readRunningStack(first.dataDir)).toBeUndefined();
  await restart(first);
  expect(await demoKey(first)).toBe(key);
  // What is printed is kept in windows and logs: a start that has made no secret shows none, and says what does.
  const again = await eventually(() => {
    const lines = first.program.lastLines(100);
    return lines.includes('Everpost is running') && lines;
  });
  for (const secret of [key, secrets.inboundSecret, secrets.webhookSecret]) expect(again).not.toContain(secret);
  expect(again).toContain(`${first.url}/console\n`);
  expect(again).toContain(`DATA_DIR='${first.dataDir}' npm run -s admin -- demo`);
  expect(await admin(first, 'demo')).toEqual({
    key,
    console: `${first.url}/console#key=${key}`,
    inbound: `${first.url}/api/v1/inbound/generic/${secrets.inboundId}`,
    inboundSecret: secrets.inboundSecret,
    webhookSecret: secrets.webhookSecret,
  });

  await first.program.kill();
  await restart(first);
  const { contacts } = (await api(key, first.url).get('/contacts')).body;
  expect(contacts.map((contact: { email: string }) => contact.email)).toEqual(['kept@example.com']);

  await Promise.all([first.program.stop(), second.program.stop()]);
}, 600_000);

// Where the environment of a process can be read.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(
  'the embedded servers get none of the variables that Everpost is told',
  async () => {
    const instance = await thatKnowsSecrets();
    for (const server of ['postgres', 'mailbox', 'temporal']) {
      const pid = (await readFile(join(instance.dataDir, `${server}.pid`), 'utf8')).trim();
      const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((entry) => entry.split('=')[0]);
      expect({ server, names }).toEqual({ server, names: expect.arrayContaining(['PATH']) });
      expect(names.filter((name) => name! in instance.env)).toEqual([]);
    }
  },
  300_000,
);

test("with a mail provider of one's own no demo project is made, and the start says how to make a project", async () => {
  const instance = await newInstance({ EMAIL_PROVIDER_URL: testEnvironment().smtpUrl });
  await isReady(instance);
  const printed = await eventually(() => {
    const lines = instance.program.lastLines(100);
    return lines.includes('Everpost is running') && lines;
  });
  for (const command of ['project create acme', 'domain add acme', 'key create acme'])
    expect(printed).toContain(`DATA_DIR='${instance.dataDir}' npm run -s admin -- ${command}`);
  expect(printed).not.toMatch(/demo|ep_live_|Mailbox/i);
  expect(await admin(instance, 'project', 'list')).toEqual([]);
  expect(await adminProgram(['demo'], { DATA_DIR: instance.dataDir })).toMatchObject({
    code: 1,
    stderr: `everpost: npm start has made no demo project on ${instance.dataDir} (DATA_DIR)\n`,
  });
  await instance.program.stop();
}, 300_000);

test('METRICS_PORT gives one page of API and worker', async () => {
  const { program } = await thatKnowsSecrets();
  const page = await eventually(
    async () => {
      const now = await scrape(program);
      // Not everything has been read for the first time as soon as the program is ready, and what took too long is read again after a minute.
      return now.sum('everpost_database_read_up') === DATABASE_READS && now.sum('everpost_temporal_metrics_up') === 1 && now;
    },
    { timeoutMs: 90_000 },
  );
  for (const part of ['api', 'worker']) expect(page.sum('everpost_db_connections_max', { part })).toBeGreaterThan(0);
  // Two of each.
  expect(page.sum('everpost_render_threads', { pool: 'mails' })).toBe(4);
  expect(page.sum('everpost_temporal_metrics_up')).toBe(1);
}, 300_000);

test('SEND_RATE_PER_SECOND is one limit of API and worker together', async () => {
  const instance = await thatKnowsSecrets();
  const project = { api: api(await demoKey(instance), instance.url) };
  await enableTemplates(project, 'receipt');
  const emails = Array.from({ length: 12 }, (_, n) => `paced-${n}@example.com`);
  for (const email of emails) await newContact(project, email);
  const sequence = await newSequence(project, { steps: [{ template: 'receipt' }] });
  const begunAt = performance.now();
  await Promise.all([
    project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails }),
    ...emails.map((to) => project.api.post('/send', { template: 'receipt', to })),
  ]);
  const sent = await eventually(async () => {
    const { body } = await project.api.get('/sends?q=paced-&status=sent');
    return body.sends.length === 2 * emails.length && performance.now() - begunAt;
  });
  // What a second was not used may be made up for, and the first goes at once.
  expect(sent).toBeGreaterThan(((2 * emails.length - RATE - 1) / RATE) * 1000);
}, 300_000);

test('a start that cannot be says why in one line and leaves nothing running', async () => {
  const instance = await thatKnowsSecrets();
  const folder = await mkdtemp(join(testEnvironment().scratchDir, 'refused-'));
  const refused = async (name: string, env: Record<string, string>): Promise<string> => {
    const program = spawnProgram('start', join(folder, name), { ...instance.env, ...env });
    expect(await program.ended).toBe(1);
    return program.lastLines(30);
  };
  const otherPorts = { PORT: String(await freePort()), TEMPORAL_UI_PORT: String(await freePort()), MAILBOX_PORT: String(await freePort()) };
  const { PORT, MAILBOX_PORT } = instance.env;

  expect(await refused('port', { DATA_DIR: join(folder, 'a') })).toMatch(
    new RegExp(`^everpost: port ${PORT} of 127.0.0.1 is in use; .* set PORT to`),
  );
  expect(await refused('mailbox', { ...otherPorts, DATA_DIR: join(folder, 'b'), MAILBOX_PORT: MAILBOX_PORT! })).toMatch(
    /set MAILBOX_PORT to another port$/,
  );
  expect(await refused('metrics', { ...otherPorts, DATA_DIR: join(folder, 'm'), METRICS_PORT: PORT! })).toMatch(
    /set METRICS_PORT to another port$/,
  );
  expect(await refused('same', { ...otherPorts, DATA_DIR: join(folder, 'c'), MAILBOX_PORT: otherPorts.PORT })).toMatch(
    /MAILBOX_PORT and PORT are both/,
  );
  expect(await refused('data', otherPorts)).toMatch(/is in use by another instance \(process \d+\); stop that one, or set DATA_DIR/);
  expect(await refused('value', { PORT: 'eighty' })).toMatch(/^everpost: PORT is "eighty"; it should be a whole number/);
  const output = await refused('temporal', { ...otherPorts, DATA_DIR: join(folder, 'd'), TEMPORAL_CLI_PATH: '/nowhere/temporal' });
  expect(output).toMatch(/TEMPORAL_CLI_PATH is "\/nowhere\/temporal", which does not work: no such file$/);

  await rm(folder, { recursive: true, force: true });
}, 300_000);
