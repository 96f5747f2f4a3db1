import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { eraseTraces } from '../../db/queries/contacts/erasures.ts';
import { claimRetry } from '../../db/queries/sends/retries.ts';
import { API_GATE } from '../../db/queries/sends/send-gates.ts';
import { reopenSend, type SendIntent, withdrawSend } from '../../db/queries/sends/send-intents.ts';
import { closeMany } from '../../db/queries/sends/send-outcomes.ts';
import { row, rows } from '../../db/rows.ts';
import { Refusal } from '../../domain/errors.ts';
import { OUTCOME_UNKNOWN } from '../../domain/sends/outcome-unknown.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS, TRIES_BEGIN_WITHIN_MS } from '../../domain/sends/submission-times.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL } from '../../sending/journal/submission-journal.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import { writeSendOutcomes } from '../../sending/write-outcomes.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { untilBlocked } from '../support/blocked.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { mailRequest, newSending, type TestSending } from '../support/sending.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';

let em: EntityManager;
let project: TestProject;
let door: TcpProxy;
const opened: TestSending[] = [];

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
  door = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
});

afterAll(async () => {
  for (const each of opened) await each.close();
  await door.close();
});

/** The send path with a door before its database. */
async function sendingThroughDoor(options: Parameters<typeof newSending>[0]): Promise<TestSending> {
  const url = new URL(testEnvironment().databaseUrl);
  url.host = door.address;
  const made = await newSending({ ...options, databaseUrl: url.href });
  opened.push(made);
  return made;
}

async function rowOf(to: string): Promise<SendRow | undefined> {
  return row(em, sql<SendRow>`select * from sends where to_email = ${to}`);
}

const OUTAGE_MS = 5_000;

/** Of unknown outcome, and not yet given up by the sweepers of other tests' workers. */
const AGE_OF_UNKNOWN = `${(OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2} milliseconds`;

test('PostgreSQL gone for five seconds exactly between submission and close: the outcome is recorded when it is back', async () => {
  const { sending, submitted } = await sendingThroughDoor({
    async answer(mail) {
      await door.down();
      setTimeout(() => void door.up(), OUTAGE_MS);
      return { outcome: 'accepted', providerId: mail.messageId };
    },
  });
  const to = project.address();
  const result = await sending.sendCall(await mailRequest(project, to));
  expect(result).toMatchObject({ state: 'sent' });
  expect(submitted).toHaveLength(1);
  expect(await rowOf(to)).toMatchObject({ status: 'sent', provider_id: submitted[0]?.messageId });
});

test('an outcome that the database refuses for whatever reason is tried until it is taken, and the journal keeps its mail for as long', async () => {
  const to = project.address();
  const recorded: string[] = [];
  const journal = { ...NO_JOURNAL, recorded: (sendId: string) => void recorded.push(sendId) };
  await rows(
    em,
    sql.raw(`
    create function refuse_outcome() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = '53100'; end $$;
    create trigger refuse_outcome before update on sends for each row when (new.to_email = '${to}') execute function refuse_outcome();`),
  );
  const made = await newSending({ journal });
  opened.push(made);
  const call = made.sending.sendCall(await mailRequest(project, to));
  await eventually(() => made.submitted.length === 1);
  made.statements();
  // It has been refused, and tried again.
  for (let tries = 0; tries < 2; tries++) await eventually(() => made.statements() > 0);
  const { id, status } = (await rowOf(to)) as SendRow;
  expect([status, recorded]).toEqual([null, []]);
  await rows(em, sql.raw('drop trigger refuse_outcome on sends; drop function refuse_outcome;'));
  expect(await call).toMatchObject({ state: 'sent' });
  expect(await rowOf(to)).toMatchObject({ status: 'sent' });
  expect(recorded).toEqual([id]);
});

test('a mail whose intent took too long to write is not submitted: who waits for it counts from its opening', async () => {
  const late = await newSending();
  opened.push(late);
  const to = project.address();
  await rows(
    em,
    sql.raw(`
    create function open_slowly() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4713); return new; end $$;
    create trigger open_slowly before insert on sends for each row when (new.to_email = '${to}') execute function open_slowly();`),
  );
  const call = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4713)`);
    const result = late.sending.sendCall(await mailRequest(project, to));
    await untilBlocked(tx);
    const begun = performance.now();
    await eventually(() => performance.now() - begun > TRIES_BEGIN_WITHIN_MS);
    return { result };
  });
  expect(await call.result).toMatchObject({ state: 'unavailable' });
  await rows(em, sql.raw('drop trigger open_slowly on sends; drop function open_slowly;'));
  expect(late.submitted).toEqual([]);
  expect(await rowOf(to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^provider_unavailable: not submitted/) });
});

test('what was answered as too late before its intent was written has no intent and no row', async () => {
  const made = await newSending();
  opened.push(made);
  const to = project.address();
  const deadline = AbortSignal.abort(new Refusal('unavailable', 'the request took too long'));
  await expect(made.sending.sendCall(await mailRequest(project, to, { deadline }))).rejects.toMatchObject({ code: 'unavailable' });
  expect(made.submitted).toEqual([]);
  expect(await rowOf(to)).toBeUndefined();
});

test('a stop waits for outcomes that are not recorded yet', async () => {
  const { sending, submitted } = await sendingThroughDoor({
    async answer(mail) {
      await door.down();
      return { outcome: 'accepted', providerId: mail.messageId };
    },
  });
  const to = project.address();
  const call = sending.sendCall(await mailRequest(project, to));
  await eventually(() => submitted.length === 1);
  let isClosed = false;
  const closing = sending.close().then(() => {
    isClosed = true;
  });
  expect(await rowOf(to)).toMatchObject({ status: null });
  expect(isClosed).toBe(false);
  await door.up();
  await closing;
  expect(await call).toMatchObject({ state: 'sent' });
  expect(await rowOf(to)).toMatchObject({ status: 'sent' });
});

test('an outcome that comes after the mail was given up as of unknown outcome is the truth, and stands', async () => {
  let letGo = (): void => {};
  const made = await newSending({
    answer: () => new Promise((resolve) => (letGo = () => resolve({ outcome: 'accepted', providerId: 'late' }))),
  });
  opened.push(made);
  must(await project.api.post('/webhooks', { url: 'https://receiver.example/hook', events: ['email.sent'] }), 201);
  const to = project.address();
  const call = made.sending.sendCall(await mailRequest(project, to));
  await eventually(async () => made.submitted.length === 1 && (await rowOf(to)) !== undefined);
  const told = () => rows(em, sql`select 1 from webhook_events where type = 'email.sent' and data ->> 'email' = ${to}`);
  // In one transaction: the sweepers of other tests' workers would give it up first.
  const closed = await em.transactional(async (tx) => {
    await row(tx, sql`update sends set opened_at = opened_at - interval '2 hours' where to_email = ${to}`);
    return settleIntents(tx, { journals: NO_JOURNALS, deduplicates: false, reportBounce });
  });
  expect(closed).toBeGreaterThan(0);
  expect(await rowOf(to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/), provider_id: null });
  expect(await told()).toHaveLength(0);
  letGo();
  await call;
  expect(await rowOf(to)).toMatchObject({ status: 'sent', error: null, provider_id: 'late' });
  expect(await told()).toHaveLength(1);
});

test('of outcomes that are written together only that of a mail that was sent is told to endpoints as email.sent', async () => {
  const letGo = Promise.withResolvers<void>();
  const made = await newSending({ answer: () => letGo.promise.then(() => ({ outcome: 'unknown', message: 'cut off' })) });
  opened.push(made);
  must(await project.api.post('/webhooks', { url: 'https://receiver.example/hook', events: ['email.sent'] }), 201);
  const [sent, refused] = [project.address('sent'), project.address('refused')];
  const calls = made.sending.sendCalls([await mailRequest(project, sent), await mailRequest(project, refused)]);
  await eventually(() => made.submitted.length === 2);
  const [{ id: sentId }, { id: refusedId }] = [(await rowOf(sent)) as SendRow, (await rowOf(refused)) as SendRow];
  const rejected = { status: 'failed', reason: 'provider_rejected', message: '550 no', badAddress: false } as const;
  await writeSendOutcomes(
    em.fork(),
    [
      { id: refusedId, outcome: rejected, hasWebhooks: true },
      { id: sentId, outcome: { status: 'sent', providerId: 'together' }, hasWebhooks: true },
    ],
    reportBounce,
  );
  expect([(await rowOf(sent))?.status, (await rowOf(refused))?.status]).toEqual(['sent', 'failed']);
  const told = await rows(
    em,
    sql`select distinct data ->> 'email' as email from webhook_events where data ->> 'email' in (${sent}, ${refused})`,
  );
  expect(told).toEqual([{ email: sent }]);
  letGo.resolve();
  await calls;
});

test('an outcome of which nobody knows more changes nothing of a mail that was sent', async () => {
  const made = await newSending({ answer: async () => ({ outcome: 'accepted', providerId: 'known' }) });
  opened.push(made);
  const to = project.address();
  await made.sending.sendCall(await mailRequest(project, to));
  const sent = (await rowOf(to)) as SendRow;
  expect(sent).toMatchObject({ status: 'sent', provider_id: 'known' });
  await writeSendOutcomes(em.fork(), [{ id: sent.id, outcome: OUTCOME_UNKNOWN, hasWebhooks: true }], reportBounce);
  expect(await rowOf(to)).toEqual(sent);
});

function intentOf({ id, project_id, brand_id, to_email, template, subject }: SendRow): SendIntent {
  return {
    ...{ id, projectId: project_id, contactId: null, brandId: brand_id, toEmail: to_email, template, type: 'transactional', subject },
    ...{ sourceType: 'api', sourceId: null, identity: { by: 'nothing' }, journal: null },
  };
}

test('of two retries that take over one send of unknown outcome one gets it, and the first attempt cannot withdraw it any more', async () => {
  const to = project.address();
  const late = await newSending({ answer: () => new Promise(() => {}) });
  opened.push(late);
  void late.sending.sendCall(await mailRequest(project, to));
  const intent = await eventually(() => rowOf(to));
  await row(em, sql`update sends set opened_at = opened_at - ${AGE_OF_UNKNOWN}::interval where id = ${intent.id}`);
  const { opened_at: openedAt } = (await rowOf(to)) as SendRow;
  const again = (): ReturnType<typeof reopenSend> =>
    reopenSend(em.fork(), API_GATE, intentOf(intent), { openedAt, mayBeSubmitted: true, isOutcomeUnknown: false });
  const taken = await Promise.all([again(), again()]);
  expect(taken.map(({ state }) => state).toSorted()).toEqual(['lost', 'opened']);
  await withdrawSend(em, intent.id, { at: openedAt });
  await withdrawSend(em, intent.id, { journal: null });
  expect(await rows(em, sql`select 1 from sends where id = ${intent.id}`)).toHaveLength(1);
});

test('a send of unknown outcome that was settled since it was looked at is neither taken over nor taken back', async () => {
  const to = project.address();
  const late = await newSending({ answer: () => new Promise(() => {}) });
  opened.push(late);
  void late.sending.sendCall(await mailRequest(project, to));
  const intent = await eventually(() => rowOf(to));
  await closeMany(em, [{ id: intent.id, outcome: OUTCOME_UNKNOWN, hasWebhooks: false }]);
  const before = { openedAt: intent.opened_at, mayBeSubmitted: true, isOutcomeUnknown: false };
  expect(await reopenSend(em.fork(), API_GATE, intentOf(intent), before)).toEqual({ state: 'lost' });
  // By its first process, which was frozen and hears that its provider takes nothing now.
  await withdrawSend(em, intent.id, { at: intent.opened_at });
  expect(await rowOf(to)).toMatchObject({ status: 'failed', opened_at: intent.opened_at });
});

test('a call of unknown outcome that somebody sends as another while its caller asks for it again goes as that one alone', async () => {
  const made = await newSending({ answer: () => ({ outcome: 'unknown', message: 'the connection was cut' }), idempotent: true });
  opened.push(made);
  const to = project.address();
  const request = await mailRequest(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('same') } });
  expect(await made.sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  const send = (await rowOf(to)) as SendRow;
  const { again } = await em.transactional(async (tx) => {
    expect(await claimRetry(tx, send, randomUUID())).toBeUndefined();
    const again = made.sending.sendCall(request);
    await untilBlocked(tx);
    return { again };
  });
  expect(await again).toMatchObject({ state: 'in_progress' });
  expect(await made.sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown', replayed: true });
  expect(made.submitted).toHaveLength(1);
});

test('a call of a process that died is not gone on with for somebody who is erased while its caller asks for it again', async () => {
  const late = await newSending({ answer: () => new Promise(() => {}), idempotent: true });
  const retry = await newSending({ idempotent: true });
  opened.push(late, retry);
  // No contact: the gate does not know that it is gone.
  const to = project.address();
  const request = await mailRequest(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('same') } });
  void late.sending.sendCall(request);
  const { id } = await eventually(() => rowOf(to));
  await row(em, sql`update sends set opened_at = opened_at - ${AGE_OF_UNKNOWN}::interval where id = ${id}`);
  const { again } = await em.transactional(async (tx) => {
    await eraseTraces(tx, { project_id: project.id, contact_id: randomUUID(), email: to, begun_at: new Date() }, randomUUID());
    const again = retry.sending.sendCall(request);
    await untilBlocked(tx);
    return { again };
  });
  expect(await again).toMatchObject({ state: 'in_progress' });
  expect(await row(em, sql`select status, to_email from sends where id = ${id}`)).toEqual({ status: null, to_email: '' });
  expect(retry.submitted).toEqual([]);
});

test.each([
  ['five minutes slow', -300_000],
  ['five minutes fast', 300_000],
])('a process whose clock is %s tells a mail in flight from one of unknown outcome', async (_, clockIsOffMs) => {
  const late = await newSending({ answer: () => new Promise(() => {}), now: () => new Date(Date.now() - clockIsOffMs) });
  const retry = await newSending({ now: () => new Date(Date.now() + clockIsOffMs) });
  opened.push(late, retry);
  const to = project.address();
  const request = await mailRequest(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('same') } });
  void late.sending.sendCall(request);
  const intent = await eventually(() => rowOf(to));
  expect(Math.abs(intent.opened_at.getTime() - Date.now())).toBeLessThan(60_000);
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'in_progress' });
  await settleIntents(em, { journals: NO_JOURNALS, deduplicates: false, reportBounce });
  expect(await rowOf(to)).toMatchObject({ status: null });
  await row(em, sql`update sends set opened_at = opened_at - ${AGE_OF_UNKNOWN}::interval where id = ${intent.id}`);
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(retry.submitted).toEqual([]);
});

test('a retry of a keyed call of unknown outcome goes through once more under the same id where the provider deduplicates', async () => {
  const late = await newSending({ answer: () => new Promise(() => {}), idempotent: true });
  const retry = await newSending({ idempotent: true });
  opened.push(late, retry);
  const to = project.address();
  const request = await mailRequest(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('same') } });
  void late.sending.sendCall(request);
  const intent = await eventually(() => rowOf(to));
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'in_progress' });
  await row(em, sql`update sends set opened_at = opened_at - ${AGE_OF_UNKNOWN}::interval where id = ${intent.id}`);
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'sent', sendId: intent.id, replayed: false });
  expect(retry.submitted.map(({ sendId }) => sendId)).toEqual([intent.id]);
  expect(await rows(em, sql`select 1 from sends where to_email = ${to}`)).toHaveLength(1);
});
