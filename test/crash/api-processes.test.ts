import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { row } from '../../db/rows.ts';
import { ONE_TRY_MS } from '../../domain/sends/submission-times.ts';
import type { GuardedProcess } from '../../local/guarded-process.ts';
import { freePort } from '../../local/ports.ts';
import { processIdentity } from '../../local/process-identity.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { TEST_SETTINGS } from '../support/everpost.ts';
import { spawnProgram, waitUntilReady } from '../support/everpost-process.ts';
import { scriptMail } from '../support/mail.ts';
import { notedPid } from '../support/noted-pid.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';

const PROCESSES = 2;

interface LogLine {
  readonly event: string;
  readonly process: string;
  readonly name?: string;
  readonly pid?: number;
  readonly replacedInMs?: number;
}

interface Group {
  readonly url: string;
  readonly port: number;
  readonly program: GuardedProcess;
  /** Of the process that watches over the others. */
  readonly supervisor: number;
  lines(event: string): LogLine[];
  /** The process ids of those that serve now, by name. */
  serving(): Promise<Map<string, number>>;
}

let project: TestProject;
const spawned: GuardedProcess[] = [];

beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

afterAll(async () => {
  await letMailGo();
  await Promise.all(spawned.map((program) => program.stop()));
});

async function spawnApi(env: Readonly<Record<string, string>> = {}): Promise<{ program: GuardedProcess; folder: string; port: number }> {
  const { databaseUrl, temporalAddress, secretKey, smtpUrl, scratchDir } = testEnvironment();
  const folder = await mkdtemp(join(scratchDir, 'processes-'));
  const port = await freePort();
  const program = spawnProgram('api', folder, {
    ...TEST_SETTINGS,
    API_PROCESSES: String(PROCESSES),
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    SECRET_KEY: secretKey,
    EMAIL_PROVIDER_URL: smtpUrl,
    ...env,
  });
  spawned.push(program);
  return { program, folder, port };
}

/** The API in several processes, all of which serve. */
async function startGroup(env: Readonly<Record<string, string>> = {}): Promise<Group> {
  const { program, folder, port } = await spawnApi(env);
  const url = `http://127.0.0.1:${port}`;
  const lines = (event: string): LogLine[] =>
    program
      .lastLines(100_000)
      .split('\n')
      .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line) as LogLine] : []))
      .filter((line) => line.event === event);
  const serving = async (): Promise<Map<string, number>> => {
    const alive = new Map<string, number>();
    for (const { name, pid } of lines('process.serves')) if (await processIdentity(pid!)) alive.set(name!, pid!);
    return alive;
  };
  await waitUntilReady(url, [program]);
  await eventually(async () => (await serving()).size === PROCESSES, { timeoutMs: 30_000 });
  return { url, port, program, supervisor: await notedPid(join(folder, 'api.pid')), lines, serving };
}

/** On a connection of its own, which any process may get. */
async function call(group: Group): Promise<number> {
  return (await fetch(`${group.url}/api/v1/health`, { headers: { connection: 'close' } })).status;
}

/** Sends a mail on a connection of its own, which any process may get. Answers with the status. */
async function sendMail(group: Group, to: string): Promise<number> {
  const response = await fetch(`${group.url}/api/v1/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ template: 'receipt', to }),
  });
  await response.text();
  return response.status;
}

/** One of which each process has sent a mail: what the first needs more time for is no part of a test that holds mails for their one try. */
async function startWarmGroup(): Promise<Group> {
  const group = await startGroup();
  await letMailGo();
  await eventually(async () => {
    expect(await sendMail(group, project.address('warm'))).toBe(200);
    return new Set(group.lines('mail.sent').map((line) => line.process)).size === PROCESSES;
  });
  return group;
}

/** Requests whose mail is being submitted, so that they are open until `letMailGo`. */
async function openRequests(group: Group, count = PROCESSES * 4): Promise<Promise<number>[]> {
  const em = await database();
  const name = `open${group.port}`;
  await scriptMail(`@to.${project.domain}`, { hold: true });
  const answers = Array.from({ length: count }, () => sendMail(group, project.address(name)));
  // Awaited later; until then a rejection is not unhandled.
  for (const answer of answers) answer.catch(() => {});
  const pending = sql<{ count: number }>`select count(*) as count from sends where to_email like ${`${name}-%`} and status is null`;
  await eventually(async () => (await row(em, pending))!.count === count, { everyMs: 10 });
  return answers;
}

const letMailGo = (): Promise<void> => scriptMail(`@to.${project.domain}`, {});

async function stops(group: Group): Promise<void> {
  await eventually(() => group.lines('process.stopping').length > 0, { everyMs: 5 });
}

async function allGone(group: Group, pids: Iterable<number>): Promise<void> {
  await eventually(async () => {
    for (const pid of [group.supervisor, ...pids]) if (await processIdentity(pid)) return false;
    return true;
  });
}

// Where the memory of a process can be read.
const onLinux = process.platform === 'linux' ? test : test.skip;

describe('the API in several processes', () => {
  let group: Group;
  beforeAll(async () => {
    group = await startGroup({ LOG_LEVEL: 'debug' });
  });

  test('each of them answers on the one port, and each log line names its process', async () => {
    await eventually(async () => {
      expect(await call(group)).toBe(200);
      return new Set(group.lines('request.answered').map((line) => line.process)).size === PROCESSES;
    });
    expect(new Set(group.lines('request.answered').map((line) => line.process))).toEqual(new Set((await group.serving()).keys()));
  });

  onLinux('the one that watches over them has loaded nothing of what they serve with', async () => {
    const memory = async (pid: number) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]);
    const [one] = (await group.serving()).values();
    expect(await memory(group.supervisor)).toBeLessThan((await memory(one!)) * 0.6);
  });

  test('one that is killed is replaced while the others go on, after a pause that grows when it happens again', async () => {
    for (let kills = 1; kills <= 2; kills++) {
      const newest = group.lines('process.serves').at(-1)!;
      process.kill(newest.pid!, 'SIGKILL');
      await eventually(() => group.lines('process.ended').length === kills, { everyMs: 5 });
      // Until the new one serves, and no call fails on the way.
      const answers: (number | string)[] = [];
      await eventually(
        async () => {
          answers.push(await call(group).catch((error: Error) => `refused: ${error.message}`));
          return (await group.serving()).size === PROCESSES;
        },
        { everyMs: 20, timeoutMs: 30_000 },
      );
      expect(new Set(answers)).toEqual(new Set([200]));
      expect(group.lines('process.serves').at(-1)!.pid).not.toBe(newest.pid);
    }
    const [first, second] = group.lines('process.ended').map((line) => line.replacedInMs!);
    expect(second).toBeGreaterThan(first!);
    await group.program.stop();
    expect(await group.program.ended).toBe(0);
  });

  test('SIGTERM lets open requests end with their answers, then all end with 0', async () => {
    const group = await startWarmGroup();
    const pids = [...(await group.serving()).values()];
    const answers = await openRequests(group);
    process.kill(group.supervisor, 'SIGTERM');
    await stops(group);
    await letMailGo();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(await group.program.ended).toBe(0);
    await allGone(group, pids);
    await expect(call(group)).rejects.toThrow();
  });

  test('SIGINT to all of them at once, as Ctrl-C sends it, does the same', async () => {
    const group = await startWarmGroup();
    const pids = [...(await group.serving()).values()];
    const answers = await openRequests(group);
    for (const pid of [group.supervisor, ...pids]) process.kill(pid, 'SIGINT');
    await stops(group);
    await letMailGo();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(await group.program.ended).toBe(0);
    await allGone(group, pids);
  });

  test('a second signal ends all of them at once', async () => {
    const group = await startWarmGroup();
    const pids = [...(await group.serving()).values()];
    const began = Date.now();
    const answers = await openRequests(group);
    process.kill(group.supervisor, 'SIGTERM');
    await stops(group);
    process.kill(group.supervisor, 'SIGTERM');
    expect(await group.program.ended).toBe(1);
    await allGone(group, pids);
    // Before any mail in flight can have been given up.
    expect(Date.now() - began).toBeLessThan(ONE_TRY_MS);
    const ended = await Promise.allSettled(answers);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  test('when the one that watches is killed, the others answer what is open, end, and leave the port free', async () => {
    const group = await startWarmGroup();
    const pids = [...(await group.serving()).values()];
    const answers = await openRequests(group);
    process.kill(group.supervisor, 'SIGKILL');
    await eventually(() =>
      call(group).then(
        () => false,
        () => true,
      ),
    );
    await letMailGo();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    await allGone(group, pids);
    await expect(call(group)).rejects.toThrow();
  });
});

describe('what keeps several processes from starting is told once, and all end with 1', () => {
  test('a port in use', async () => {
    const occupant = createServer();
    const port = await new Promise<number>((resolve) => {
      occupant.listen(0, '127.0.0.1', () => resolve((occupant.address() as { port: number }).port));
    });
    const { program } = await spawnApi({ PORT: String(port) });
    expect(await program.ended).toBe(1);
    expect(program.lastLines(50)).toMatch(new RegExp(`^everpost: port ${port} on 127.0.0.1 is in use by another program; .* set PORT .*$`));
    occupant.close();
  });

  test('a variable that the first look finds wrong', async () => {
    const { program } = await spawnApi({ API_PROCESSES: 'many' });
    expect(await program.ended).toBe(1);
    expect(program.lastLines(50)).toBe('everpost: API_PROCESSES is "many"; it should be a whole number from 1 to 64');
  });

  test('a variable that only each process finds wrong', async () => {
    const { program } = await spawnApi({ TEMPLATES_DIR: '/nowhere' });
    expect(await program.ended).toBe(1);
    expect(program.lastLines(50)).toMatch(/^everpost: TEMPLATES_DIR: .*$/);
  });
});

onLinux('a process that has ended before it is told to stop, or asked for its metrics, is no failure of its own', async () => {
  const program = fileURLToPath(new URL('../support/stop-what-has-ended.ts', import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout.split('\n')).toEqual(['a process did not end in order', 'metrics: ', '']);
  expect(stderr).toBe('');
});

test('one process has nobody who watches over it', async () => {
  const { program, port } = await spawnApi({ API_PROCESSES: '1' });
  await waitUntilReady(`http://127.0.0.1:${port}`, [program]);
  expect(program.lastLines(50)).toMatch(/"process":"api","event":"api.started"/);
  await program.stop();
  expect(await program.ended).toBe(0);
});
