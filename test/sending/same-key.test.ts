import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { API_GATE } from '../../db/queries/sends/send-gates.ts';
import { openMany, reopenSend, type SendIntent, withdrawSend } from '../../db/queries/sends/send-intents.ts';
import { row, rows } from '../../db/rows.ts';
import { IN_FLIGHT_MS, KEY_VALID_MS, OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { createLogger } from '../../platform/logger.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import type { MailProvider, ProviderAnswer } from '../../platform/mail/provider.ts';
import { journalsIn } from '../../sending/journal/read-journals.ts';
import { openJournal } from '../../sending/journal/submission-journal.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import type { MailRequest } from '../../sending/request.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { eventually } from '../support/eventually.ts';
import { happens, newEventType, newFlow, standsAt, type TestFlow } from '../support/flow.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import {
  BAD_GATEWAY,
  RATE_LIMITED,
  type ResendFault,
  type ResendServer,
  startResendServer,
  UNAVAILABLE,
} from '../support/resend-server.ts';
import { mailRequest, newSending, type TestSending } from '../support/sending.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, must, newContact } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
/** Of the runs of this file. */
let goal: string;
let server: ResendServer;
let folder: string;
const opened: TestSending[] = [];

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
  goal = newEventType('goal');
  server = await startResendServer();
  folder = await mkdtemp(join(tmpdir(), 'everpost-same-key-'));
});

afterAll(async () => {
  theEnd.resolve({ outcome: 'unknown', message: 'the test is over' });
  for (const each of opened) await each.close();
  await server.close();
  await rm(folder, { recursive: true });
});

/** A process that sends through the provider; `beyond`: what becomes of it once the provider has answered. */
async function sendingProcess(beyond?: () => Promise<ProviderAnswer>): Promise<TestSending> {
  const real = createMailProvider(new URL(server.providerUrl), { maxConnections: 4, timeoutSeconds: 2 });
  const provider: MailProvider = {
    ...real,
    async send(...given) {
      const answer = await real.send(...given);
      return beyond ? beyond() : answer;
    },
  };
  const log = createLogger('silent', {});
  const journal = await openJournal({ folder, id: uuidv7(), log });
  const made = await newSending({ provider, journal, journals: journalsIn(folder) });
  opened.push(made);
  return made;
}

/** Killed when the provider had taken the mail: nobody hears of the answer. */
const killed = (): Promise<ProviderAnswer> => theEnd.promise;
const theEnd = Promise.withResolvers<ProviderAnswer>();

async function keyed(to: string, given: Partial<MailRequest> = {}): Promise<MailRequest> {
  return mailRequest(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('same') }, ...given });
}

/** Refuses every request for this address, until what it returns is called. */
function awayFor(to: string, refused: NonNullable<ResendFault['refused']>): () => void {
  server.always((request) => (request.to === to ? { refused } : undefined));
  return () => server.always(() => undefined);
}

const rowOf = (to: string): Promise<SendRow | undefined> => row(em, sql<SendRow>`select * from sends where to_email = ${to}`);

/** Of unknown outcome, and not yet given up by the sweepers of other tests' workers, which cannot read these journals either. */
const AGE_OF_UNKNOWN_MS = (OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2;

/** After which nobody is waited for. */
const WHILE = sql`make_interval(secs => ${(SETTLED_AFTER_MS + 1_000) / 1000})`;

async function timeToSettlePasses(to: string): Promise<void> {
  const age = sql`make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000})`;
  await row(
    em,
    sql`update sends set created_at = created_at - (opened_at - (now() - ${age})), opened_at = now() - ${age} where to_email = ${to}`,
  );
}

test.each([
  ['429', RATE_LIMITED],
  ['503', UNAVAILABLE],
])('a mail that was taken and whose connection was cut is not sent under another key when %s follows', async (_, refused) => {
  const to = project.address();
  const { sending } = await sendingProcess();
  server.next(to, { lost: 'cut' });
  const comesBack = awayFor(to, refused);
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(await rowOf(to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/), idempotency_key: to });
  const { id } = (await rowOf(to)) as SendRow;
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown', replayed: true });
  // Once the provider tells, it is known.
  comesBack();
  const told = await Promise.all([sending.sendCall(await keyed(to)), sending.sendCall(await keyed(to))]);
  expect(told.map((result) => 'state' in result && result.state)).toContain('sent');
  expect(await rowOf(to)).toMatchObject({ id, idempotency_key: to });
  expect(keysOf(to).size).toBe(1);
  expect(server.taken(to)).toHaveLength(1);
});

test('a call of a process that was killed has its row a while later, and whoever repeats it learns what became of it', async () => {
  const to = project.address();
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(to));
  await eventually(() => server.taken(to).length === 1);
  await row(em, sql`update sends set created_at = created_at - ${WHILE}, opened_at = opened_at - ${WHILE} where to_email = ${to}`);
  const second = await sendingProcess();
  await settleIntents(em, { journals: journalsIn(folder), deduplicates: true, reportBounce });
  expect(await rowOf(to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) });
  expect(await second.sending.sendCall(await keyed(to))).toMatchObject({ state: 'sent' });
  expect(await rowOf(to)).toMatchObject({ status: 'sent' });
  expect(server.taken(to)).toHaveLength(1);
});

test('a call whose process was killed is not gone on with for somebody who was erased since, whoever repeats it', async () => {
  const to = project.address();
  must(await project.api.post('/contacts', { email: to }), 200);
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(to));
  await eventually(() => server.taken(to).length === 1);
  await timeToSettlePasses(to);
  const { id, contact_id } = (await rowOf(to)) as SendRow;
  must(await project.api.delete(`/contacts/${contact_id}`), 200);
  const before = server.requests.length;
  const { sending } = await sendingProcess();
  const other = await keyed(to, { identity: { by: 'key', key: to, requestHash: Buffer.from('other') } });
  for (const request of [await keyed(to), other])
    expect(await sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server.requests.length).toBe(before);
  expect(await row(em, sql`select status, to_email from sends where id = ${id}`)).toEqual({ status: 'failed', to_email: '' });
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
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  comesBack();
  await happens((await rowOf(to)) as SendRow);
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server.taken(to)).toHaveLength(0);
});

test('a mail that was taken behind a gateway that failed is found taken when it is asked for again under its key', async () => {
  const to = project.address();
  const { sending } = await sendingProcess();
  server.next(to, { lost: BAD_GATEWAY }, { refused: RATE_LIMITED });
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'sent' });
  expect(server.taken(to)).toHaveLength(1);
});

test('a mail that was taken before its process was killed goes under the same key until that is answered for good, whatever comes between', async () => {
  const to = project.address();
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(to));
  await eventually(() => server.taken(to).length === 1);
  const { id } = (await rowOf(to)) as SendRow;
  const { sending } = await sendingProcess();
  for (const refused of [RATE_LIMITED, UNAVAILABLE]) {
    await timeToSettlePasses(to);
    const comesBack = awayFor(to, refused);
    expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'in_progress' });
    expect(await rowOf(to)).toMatchObject({ id, status: null });
    comesBack();
  }
  await timeToSettlePasses(to);
  await eventually(async () => {
    const result = await sending.sendCall(await keyed(to));
    if ('state' in result && result.state === 'in_progress') await timeToSettlePasses(to);
    return 'state' in result && result.state === 'sent';
  });
  expect(await rowOf(to)).toMatchObject({ id, status: 'sent' });
  expect(server.taken(to)).toHaveLength(1);
  expect(keysOf(to)).toEqual(new Set([`${project.id}:${to}`]));
});

const keysOf = (to: string): ReadonlySet<string | undefined> =>
  new Set(server.requests.filter((request) => request.to === to).map(({ key }) => key));

test('a repetition makes no second mail, though the provider had said of the first one that it took nothing', async () => {
  const to = project.address();
  const { sending } = await sendingProcess();
  server.next(to, ...Array.from({ length: 3 }, () => ({ lost: UNAVAILABLE })));
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'unavailable' });
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'sent' });
  expect(server.taken(to)).toHaveLength(1);
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
  expect(server.taken(to)).toHaveLength(2);
});

test('a key that the provider may have forgotten is not used again: its mail is outcome_unknown', async () => {
  const to = project.address();
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(to));
  await eventually(() => server.taken(to).length === 1);
  await row(em, sql`update sends set created_at = now() - make_interval(secs => ${KEY_VALID_MS / 1000}) where to_email = ${to}`);
  await row(em, sql`update sends set opened_at = now() - make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000}) where to_email = ${to}`);
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server.requests.filter((request) => request.to === to)).toHaveLength(1);
});

test('a mail that its process never submitted before it was killed goes through the gates again, and to nobody who was suppressed since', async () => {
  const [to, suppressed] = [project.address(), project.address()];
  const dying = await newSending({
    journal: await openJournal({ folder, id: uuidv7(), log: createLogger('silent', {}) }),
    provider: { name: 'never', host: 'never', idempotent: true, format: 'resend', send: killed, close: async () => {} },
  });
  opened.push(dying);
  for (const each of [to, suppressed]) void dying.sending.sendCall(await keyed(each));
  for (const each of [to, suppressed]) await eventually(() => rowOf(each));
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  for (const each of [to, suppressed]) await timeToSettlePasses(each);
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'sent' });
  expect(await sending.sendCall(await keyed(suppressed))).toMatchObject({ state: 'failed', reason: 'suppressed' });
  expect([to, suppressed].map((each) => server.taken(each).length)).toEqual([1, 0]);
  expect(await rowOf(suppressed)).toMatchObject({ status: 'failed', error: 'suppressed' });
});

test('a mail that may have gone to somebody who unsubscribed since is not submitted again, and its outcome stays unknown', async () => {
  const to = project.address();
  const contactId = await newContact(project, to);
  const request = await keyed(to, {
    ...(await mailRequest(project, to, { template: 'welcome' })),
    identity: { by: 'key', key: to, requestHash: Buffer.from('s') },
  });
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(request);
  await eventually(() => server.taken(to).length === 1);
  must(await project.api.post(`/contacts/${contactId}/unsubscribe`), 200);
  await timeToSettlePasses(to);
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server.requests.filter(({ to: each }) => each === to)).toHaveLength(1);
});

test('what was answered before its process was killed is recorded as it was answered', async () => {
  const to = project.address();
  const log = createLogger('silent', {});
  const real = createMailProvider(new URL(server.providerUrl), { maxConnections: 4 });
  const journal = await openJournal({ folder, id: uuidv7(), log });
  // Killed behind the line that tells of the answer, before the row was written.
  await rows(
    em,
    sql.raw(`
    create function never_close() returns trigger language plpgsql as $$ begin raise exception 'away' using errcode = '57P01'; end $$;
    create trigger never_close before update on sends for each row when (new.to_email = '${to}' and new.status is not null) execute function never_close();`),
  );
  const dying = await newSending({ provider: real, journal });
  opened.push(dying);
  void dying.sending.sendCall(await keyed(to));
  await eventually(async () => (await journalsIn(folder).read(journal.id))?.((await rowOf(to))?.id ?? '').state === 'answered');
  await timeToSettlePasses(to);
  await rows(em, sql.raw('drop trigger never_close on sends; drop function never_close;'));
  const { sending } = await sendingProcess();
  const [mail] = server.taken(to);
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'sent', providerId: mail?.id });
  expect(server.requests.filter((request) => request.to === to)).toHaveLength(1);
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
  const { id, opened_at: openedAt } = (await rowOf(to)) as SendRow;
  // Surely never submitted, so it begins anew.
  expect(await reopenSend(em, API_GATE, intentOf(second), { openedAt, mayBeSubmitted: false, isOutcomeUnknown: false })).toMatchObject({
    state: 'opened',
  });
  await withdrawSend(em, id, { journal: first });
  expect(await rowOf(to)).toMatchObject({ id, status: null, journal: second });
  await withdrawSend(em, id, { journal: second });
  expect(await rowOf(to)).toBeUndefined();
});

test('a call that nobody repeats and whose mail was never submitted has its row, and its key is free again', async () => {
  const to = project.address();
  const dying = await newSending({
    journal: await openJournal({ folder, id: uuidv7(), log: createLogger('silent', {}) }),
    provider: { name: 'never', host: 'never', idempotent: true, format: 'resend', send: killed, close: async () => {} },
  });
  opened.push(dying);
  void dying.sending.sendCall(await keyed(to));
  await eventually(() => rowOf(to));
  // In one transaction: the sweepers of other tests' workers cannot read the journal.
  const settleAt = (ageMs: number): Promise<void> =>
    em.transactional(async (tx) => {
      const age = sql`make_interval(secs => ${ageMs / 1000})`;
      await row(tx, sql`update sends set created_at = now() - ${age}, opened_at = now() - ${age} where to_email = ${to}`);
      await settleIntents(tx, { journals: journalsIn(folder), deduplicates: true, reportBounce });
    });
  // Whoever may ask for it again has its time.
  await settleAt(SETTLED_AFTER_MS - 1_000);
  expect(await rowOf(to)).toMatchObject({ status: null, idempotency_key: to });
  await settleAt(SETTLED_AFTER_MS + 1_000);
  expect(await rowOf(to)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^provider_unavailable: not submitted/),
    idempotency_key: null,
  });
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(await keyed(to))).toMatchObject({ state: 'sent', replayed: false });
  expect(server.taken(to)).toHaveLength(1);
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
  server.next(email, { lost: 'cut' });
  const step = { now: new Date(), outages: 0, outageMs: 0, cappedAt: null };
  const identity = { by: 'visit', enrollmentId: id, nodeId: 'mail', visit: 1 } as const;
  const request = await mailRequest(project, email, { template: 'welcome', recipient: { contactId } });
  expect(await sending.sendStep({ ...request, ...step, identity })).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  comesBack();
  expect(server.taken(email)).toHaveLength(1);
  // In flight no more, so that nobody waits for it.
  await row(em, sql`update sends set opened_at = opened_at - make_interval(secs => ${IN_FLIGHT_MS / 1000}) where enrollment_id = ${id}`);
}

/** What the mail of a run is once nobody is waited for. In one transaction: the sweepers of the stack's workers know no keys. */
async function settledMailOf({ id }: StandingRun): Promise<Pick<SendRow, 'status' | 'error'> | undefined> {
  return em.transactional(async (tx) => {
    await row(tx, sql`update sends set created_at = created_at - ${WHILE}, opened_at = opened_at - ${WHILE} where enrollment_id = ${id}`);
    await settleIntents(tx, { journals: journalsIn(folder), deduplicates: true, reportBounce });
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
    expect(server.taken(run.email)).toHaveLength(1);
  },
);

test('the mail of a step whose answer was lost is left to its run while that stands at it, and has an unknown outcome once it has gone on', async () => {
  const run = await runAtItsMail();
  await heldAfterTheCut(run);
  expect(await settledMailOf(run)).toMatchObject({ status: null });
  await row(em, sql`update enrollment_steps set outcome = 'failed' where enrollment_id = ${run.id} and node_id = 'mail'`);
  expect(await settledMailOf(run)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) });
});
