import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, type ExtraWorker, startEverpost } from '../support/everpost.ts';
import { happens, newEventType, newFlow, standsAt, type TestFlow } from '../support/flow.ts';
import { mailNow } from '../support/mail.ts';
import { type Edit, otherBuild } from '../support/other-build.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds, newContact } from '../support/sequences.ts';
import { type History, historyOf, readable, temporalClient } from '../support/temporal.ts';

const CHANGE = 'rests-before-a-mail';
/** A change of workflow code that no run may see half of: a timer before each mail. */
const FILE = 'workflows/enrollment/send.ts';
const UNDERSTOOD: readonly Edit[] = [
  { file: FILE, from: 'isCancellation }', to: 'isCancellation, patched, sleep }' },
  {
    file: FILE,
    from: '  const seen = run.changes.count;\n',
    to: `  if (patched('${CHANGE}')) await sleep(1);\n  const seen = run.changes.count;\n`,
  },
];
const BEGUN: Edit = { file: 'workflows/contracts.ts', from: "'lanes-end-before-it'", to: `'lanes-end-before-it', '${CHANGE}'` };

const [FIRST, SECOND] = [newEventType('first'), newEventType('second')];

let everpost: Everpost;
let em: EntityManager;
let client: Client;
let project: TestProject;
let flow: TestFlow;
/** The release that can carry out changed runs and begins none, and the one after it. */
let earlier: string;
let later: string;

beforeAll(async () => {
  [earlier, later] = [await otherBuild(...UNDERSTOOD), await otherBuild(...UNDERSTOOD, BEGUN)];
  everpost = await startEverpost({ worker: false });
  em = await database(everpost.databaseUrl);
  client = await temporalClient(everpost.namespace);
  project = await newProject({ everpost });
  await enableTemplates(project, 'welcome', 'receipt', 'newsletter');
  const mail = (id: string, template: string) => ({ id, kind: 'send_email', config: { template, subject: template } });
  const until = (id: string, type: string) => ({ id, kind: 'wait_until', config: { event: { type }, timeoutMinutes: 60 } });
  flow = await newFlow(
    project,
    chain(mail('m1', 'welcome'), until('w1', FIRST), mail('m2', 'receipt'), until('w2', SECOND), mail('m3', 'newsletter')),
  );
}, 120_000);

afterAll(async () => {
  await everpost?.stop();
});

interface Run {
  readonly id: string;
  readonly email: string;
}

/** Runs that have come to their first wait. */
async function begun(count: number): Promise<Run[]> {
  const runs: Run[] = [];
  for (let n = 0; n < count; n++) {
    const email = project.address();
    await newContact(project, email);
    runs.push({ id: await flow.enroll(email), email });
  }
  for (const { id } of runs) await standsAt(em, id, 'w1');
  return runs;
}

async function tell(runs: readonly Run[], type: string): Promise<void> {
  for (const { email } of runs) expect(await happens(project, { type, email })).toMatchObject({ reArmed: 1 });
}

async function gone(worker: ExtraWorker): Promise<void> {
  await worker.process.stop();
}

const follows = async ({ id }: Run): Promise<boolean> => readable(await historyOf(client, id)).includes(CHANGE);
const failures = ({ events }: History) => events.filter(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_FAILED');

/** Each mail of each run once, in order, and no workflow task that failed. */
async function expectThrough(runs: readonly Run[]): Promise<void> {
  for (const { id, email } of runs) {
    expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
    const subjects = (await mailNow(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1]?.trim());
    expect(subjects).toEqual(['welcome', 'receipt', 'newsletter']);
  }
}

test('runs go on under the next release, beside it and after it was taken back, and no mail goes twice', async () => {
  const first = everpost.addWorker(earlier);
  const old = await begun(4);
  // Both releases at once.
  const second = everpost.addWorker(later);
  await eventually(async () => second.process.lastLines(50).includes('worker.started'), { timeoutMs: 60_000 });
  await tell(old.slice(0, 2), FIRST);
  for (const { id } of old.slice(0, 2)) await standsAt(em, id, 'w2');
  const mixed = await begun(4);
  // The later one alone.
  await gone(first);
  await tell([...old.slice(2), ...mixed], FIRST);
  for (const { id } of [...old, ...mixed]) await standsAt(em, id, 'w2');
  const young = await begun(2);
  for (const run of [...old.slice(2), ...young]) expect(await follows(run)).toBe(true);
  // Taken back: both at once, then the earlier one alone.
  const third = everpost.addWorker(earlier);
  await tell(young.slice(0, 1), FIRST);
  await standsAt(em, young[0]!.id, 'w2');
  await gone(second);
  await tell(young.slice(1), FIRST);
  await standsAt(em, young[1]!.id, 'w2');
  const back = await begun(1);
  expect(await follows(back[0]!)).toBe(false);
  await tell(back, FIRST);
  await standsAt(em, back[0]!.id, 'w2');
  const all = [...old, ...mixed, ...young, ...back];
  await tell(all, SECOND);
  await expectThrough(all);
  for (const { id } of all) expect(failures(await historyOf(client, id))).toEqual([]);
  await gone(third);
}, 180_000);

test('a run that follows a change waits while only a release runs that does not know it, and goes on with nothing lost', async () => {
  const knowing = everpost.addWorker(later);
  const runs = await begun(1);
  await gone(knowing);
  const unknowing = everpost.addWorker();
  await tell(runs, FIRST);
  await eventually(async () => failures(await historyOf(client, runs[0]!.id)).length > 0, { timeoutMs: 60_000 });
  expect(await mailNow(runs[0]!.email)).toHaveLength(1);
  await gone(unknowing);
  everpost.addWorker(later);
  await standsAt(em, runs[0]!.id, 'w2');
  await tell(runs, SECOND);
  await expectThrough(runs);
}, 180_000);
