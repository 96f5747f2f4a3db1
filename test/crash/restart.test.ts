import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, api } from '../support/api.ts';
import { type EmbeddedStack, startEmbedded } from '../support/embedded-stack.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { mailTo } from '../support/mail.ts';
import { notedPid } from '../support/noted-pid.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { enableTemplates } from '../support/sequences.ts';

let dataDir: string;
let stack: EmbeddedStack;
let project: TestProject;
let open: Api;

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(testEnvironment().scratchDir, 'restart-')), 'data');
  stack = await startEmbedded(dataDir);
  project = await newProject({ everpost: stack });
  open = api(undefined, stack.url);
  await enableTemplates(project, 'welcome');
  const sequence = {
    key: 'hello',
    name: 'Hello',
    status: 'active',
    trigger: 'joined',
    steps: [{ template: 'welcome', delayMinutes: 0.02 }],
  };
  expect((await project.api.post('/sequences', sequence)).status).toBe(201);
});

afterAll(async () => {
  await stack?.stop();
});

const AWAY = { timeoutMs: 60_000 };

/** SIGKILL to the server itself. Its guard notes its process id in the folder. */
async function kill(server: 'postgres' | 'temporal', folder = dataDir): Promise<void> {
  process.kill(await notedPid(join(folder, `${server}.pid`)), 'SIGKILL');
}

/** What the log has of servers so far. */
const told = ({ program }: EmbeddedStack): string[] => program.lastLines(1_000).match(/(?<="event":")server\.\w+/g) ?? [];

const joined = async (email: string) => project.api.post('/events', { type: 'joined', email });

test.each(['postgres', 'temporal'] as const)(
  'npm start starts %s again when it is killed, on the same data, and all goes on',
  async (server) => {
    const before = project.address();
    expect(await joined(before)).toMatchObject({ status: 200, body: { enrolled: 1 } });
    const toldBefore = told(stack).length;
    await kill(server);
    await eventually(() => told(stack).length > toldBefore, AWAY);
    // The API is there meanwhile, as it is with servers of one's own.
    expect((await open.get('/health')).status).toBe(200);
    await eventually(() => told(stack).length > toldBefore + 1, AWAY);
    await eventually(async () => (await open.get('/ready')).status === 200, AWAY);
    const after = project.address();
    await eventually(async () => (await joined(after)).status === 200, AWAY);
    for (const email of [before, after]) expect(await mailTo(email, undefined, { timeoutMs: 60_000 })).toHaveLength(1);
    expect(stack.program.running).toBe(true);
    expect(told(stack).slice(toldBefore)).toEqual(['server.ended', 'server.back']);
  },
);

test('npm start comes up although PostgreSQL is killed while it starts, and again while the database is migrated', async () => {
  const folder = join(await mkdtemp(join(testEnvironment().scratchDir, 'starting-')), 'data');
  const starting = startEmbedded(folder);
  for (const step of ['starting the Temporal server', 'migrating the database']) {
    await eventually(async () => (await readFile(join(folder, 'start.log'), 'utf8')).includes(step), { everyMs: 5 });
    // It may be on its way from the first time.
    await eventually(
      () =>
        kill('postgres', folder).then(
          () => true,
          () => false,
        ),
      { everyMs: 5 },
    );
  }
  const started = await starting;
  expect([told(started)[0], told(started).at(-1)]).toEqual(['server.ended', 'server.back']);
  await started.stop();
});
