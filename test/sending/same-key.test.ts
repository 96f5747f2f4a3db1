import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { API_GATE } from '../../db/queries/sends/send-gates.ts';
import { openMany, reopenSend, type SendIntent, withdrawSend } from '../../db/queries/sends/send-intents.ts';
import { row, rows } from '../../db/rows.ts';
import { IN_FLIGHT_MS } from '../../domain/sends/submission-times.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { happens, newEventType, newFlow, standsAt, type TestFlow } from '../support/flow.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { BAD_GATEWAY, RATE_LIMITED, UNAVAILABLE } from '../support/resend-server.ts';
import { keyed, mailRequest } from '../support/sending.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, must, newContact } from '../support/sequences.ts';
import { keyKeepingProvider, WHILE } from './key-keeping-provider.ts';
import { rowOf } from './send-row.ts';

const { server, journals, sendingProcess, awayFor, keysOf } = keyKeepingProvider();

let em: EntityManager;
let project: TestProject;
/** Of the runs of this file. */
let goal: string;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
  goal = newEventType('goal');
});

test.each([
  ['429', RATE_LIMITED],
  ['503', UNAVAILABLE],
])('a mail that was taken and whose connection was cut is not sent under another key when %s follows', async (_, refused) => {
  const to = project.address();
  const { sending } = await sendingProcess();
  server().next(to, { lost: 'cut' });
  const comesBack = awayFor(to, refused);
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(await rowOf(em, to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/), idempotency_key: to });
  const { id } = (await rowOf(em, to)) as SendRow;
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown', replayed: true });
  // Once the provider tells, it is known.
  comesBack();
  const told = await Promise.all([sending.sendCall(await keyed(project, to)), sending.sendCall(await keyed(project, to))]);
  expect(told.map((result) => 'state' in result && result.state)).toContain('sent');
  expect(await rowOf(em, to)).toMatchObject({ id, idempotency_key: to });
  expect(keysOf(to).size).toBe(1);
  expect(server().taken(to)).toHaveLength(1);
});

test.each([
  [
    'to whom it must not go any more',
    async ({ project_id, to_email }: SendRow) => {
      await row(em, sql`insert into suppressions (project_id, email, reason) values (${project_id}, ${to_email}, 'manual')`);
    },
  ],
  [
    'whose mail somebody has sent as another',
    async ({ id }: SendRow) => {
      await row(em, sql`update sends set retried_as = ${uuidv7()}, retried_at = now() where id = ${id}`);
    },
  ],
  [
    'who was erased',
    async ({ id }: SendRow) => {
      await row(em, sql`update sends set to_email = '', request_hash = null where id = ${id}`);
    },
  ],
])('a call of unknown outcome is not asked for again for somebody %s', async (_, happens) => {
  const to = project.address();
  const { sending } = await sendingProcess();
  const comesBack = awayFor(to, 'cut');
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  comesBack();
  await happens((await rowOf(em, to)) as SendRow);
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server().taken(to)).toHaveLength(0);
});

test('a mail that was taken behind a gateway that failed is found taken when it is asked for again under its key', async () => {
  const to = project.address();
  const { sending } = await sendingProcess();
  server().next(to, { lost: BAD_GATEWAY }, { refused: RATE_LIMITED });
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'sent' });
  expect(server().taken(to)).toHaveLength(1);
});

test('a repetition makes no second mail, though the provider had said of the first one that it took nothing', async () => {
  const to = project.address();
  const { sending } = await sendingProcess();
  server().next(to, ...Array.from({ length: 3 }, () => ({ lost: UNAVAILABLE })));
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'unavailable' });
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'sent' });
  expect(server().taken(to)).toHaveLength(1);
  expect(keysOf(to)).toEqual(new Set([`${project.id}:${to}`]));
});

test('a key that two projects use alike is a key of each of them at the provider', async () => {
  const to = project.address();
  const { sending } = await sendingProcess();
  const other = await newProject();
  await enableTemplates(other, 'receipt');
  for (const each of [project, other]) {
    const identity = { by: 'key', key: to, requestHash: Buffer.from('same') } as const;
    expect(await sending.sendCall(await mailRequest(each, to, { identity }))).toMatchObject({ state: 'sent' });
  }
  expect(server().taken(to)).toHaveLength(2);
});

test('an intent that another process took over is not taken back by the first, to which the answer of its opening was lost', async () => {
  const to = project.address();
  const [first, second] = [uuidv7(), uuidv7()];
  const intentOf = (journal: string): SendIntent => ({
    ...{
      id: first,
      projectId: project.id,
      contactId: null,
      brandId: project.slug,
      toEmail: to,
      template: 'receipt',
      type: 'transactional',
    },
    ...{ subject: 's', sourceType: 'api', sourceId: null, identity: { by: 'nothing' }, journal },
  });
  await openMany(em, API_GATE, [intentOf(first)]);
  const { id, opened_at: openedAt } = (await rowOf(em, to)) as SendRow;
  // Surely never submitted, so it begins anew.
  expect(await reopenSend(em, API_GATE, intentOf(second), { openedAt, mayBeSubmitted: false, isOutcomeUnknown: false })).toMatchObject({
    state: 'opened',
  });
  await withdrawSend(em, id, { journal: first });
  expect(await rowOf(em, to)).toMatchObject({ id, status: null, journal: second });
  await withdrawSend(em, id, { journal: second });
  expect(await rowOf(em, to)).toBeUndefined();
});

interface StandingRun {
  readonly flow: TestFlow;
  readonly id: string;
  readonly contactId: string;
  readonly email: string;
}

/** A run that stands at its mail; the workers of the stack take it to be waiting for the next day. */
async function runAtItsMail(): Promise<StandingRun> {
  const delay = { kind: 'wait_delay', config: { minutes: DAY_MINUTES } };
  const flow = await newFlow(project, {
    nodes: [
      { id: 'trigger', kind: 'trigger' },
      { id: 'd', ...delay },
      { id: 'mail', kind: 'send_email', config: { template: 'welcome' } },
    ],
    edges: [
      { from: 'trigger', to: 'd' },
      { from: 'd', to: 'mail' },
    ],
    goal: { event: { type: goal } },
  });
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'd');
  await rows(
    em,
    sql`with waited as (update enrollment_steps set outcome = 'waited' where enrollment_id = ${id} and node_id = 'd')
        insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, at)
        select ${id}, max(step) + 1, 'mail', 1, 'send_email', now() from enrollment_steps where enrollment_id = ${id}`,
  );
  return { flow, id, contactId, email };
}

/** Its mail was taken, and the connection was cut: the step is held by its provider. */
async function heldAfterTheCut({ id, contactId, email }: StandingRun): Promise<void> {
  const { sending } = await sendingProcess();
  const comesBack = awayFor(email, UNAVAILABLE);
  server().next(email, { lost: 'cut' });
  const step = { now: new Date(), outages: 0, outageMs: 0, cappedAt: null };
  const identity = { by: 'visit', enrollmentId: id, nodeId: 'mail', visit: 1, step: 1 } as const;
  const request = await mailRequest(project, email, { template: 'welcome', recipient: { contactId } });
  expect(await sending.sendStep({ ...request, ...step, identity })).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  comesBack();
  expect(server().taken(email)).toHaveLength(1);
  // In flight no more, so that nobody waits for it.
  await row(em, sql`update sends set opened_at = opened_at - make_interval(secs => ${IN_FLIGHT_MS / 1000}) where enrollment_id = ${id}`);
}

/** What the mail of a run is once nobody is waited for. In one transaction: the sweepers of the stack's workers know no keys. */
async function settledMailOf({ id }: StandingRun): Promise<Pick<SendRow, 'status' | 'error'> | undefined> {
  return em.transactional(async (tx) => {
    await row(tx, sql`update sends set created_at = created_at - ${WHILE}, opened_at = opened_at - ${WHILE} where enrollment_id = ${id}`);
    await settleIntents(tx, { journals: journals(), deduplicates: true, reportBounce });
    return row(tx, sql<Pick<SendRow, 'status' | 'error'>>`select status, error from sends where enrollment_id = ${id}`);
  });
}

const ENDINGS: readonly [string, (run: StandingRun) => Promise<unknown>][] = [
  ['was cancelled', async ({ id }) => must(await project.api.delete(`/enrollments/${id}`), 200)],
  ['ended with its sequence, which was archived', ({ flow }) => flow.put({ name: 'Archived', status: 'archived', nodes: [], edges: [] })],
  ['ended with its contact, who was erased', async ({ contactId }) => must(await project.api.delete(`/contacts/${contactId}`), 200)],
  ['met its goal', ({ email }) => happens(project, { type: goal, email })],
];

test.each(ENDINGS)(
  'the mail of a step that was taken and whose answer was lost has an unknown outcome once its run %s',
  async (_, ends) => {
    const run = await runAtItsMail();
    await heldAfterTheCut(run);
    await ends(run);
    await enrollmentEnds(em, run.id);
    expect(await settledMailOf(run)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) });
    expect(server().taken(run.email)).toHaveLength(1);
  },
);

test('the mail of a step whose answer was lost is left to its run while that stands at it, and has an unknown outcome once it has gone on', async () => {
  const run = await runAtItsMail();
  await heldAfterTheCut(run);
  expect(await settledMailOf(run)).toMatchObject({ status: null });
  await row(em, sql`update enrollment_steps set outcome = 'failed' where enrollment_id = ${run.id} and node_id = 'mail'`);
  expect(await settledMailOf(run)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) });
});
