import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { Refusal } from '../../domain/errors.ts';
import { OUTCOME_UNKNOWN } from '../../domain/sends/outcome-unknown.ts';
import { TRIES_BEGIN_WITHIN_MS } from '../../domain/sends/submission-times.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { NO_JOURNAL } from '../../sending/journal/submission-journal.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import { writeSendOutcomes } from '../../sending/write-outcomes.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { untilBlocked } from '../support/blocked.ts';
import { changeTables } from '../support/change-tables.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { mailRequest, sendingsOfFile, type TestSending } from '../support/sending.ts';
import { enableTemplates, must } from '../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { rowOf } from './send-row.ts';

let em: EntityManager;
let project: TestProject;
let door: TcpProxy;
const openSending = sendingsOfFile();

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
  door = await tcpProxy(new URL(testEnvironment().databaseUrl).host);
});

afterAll(async () => {
  await door.close();
});

/** The send path with a door before its database. */
async function sendingThroughDoor(options: Parameters<typeof openSending>[0]): Promise<TestSending> {
  const url = new URL(testEnvironment().databaseUrl);
  url.host = door.address;
  return openSending({ ...options, databaseUrl: url.href });
}

const OUTAGE_MS = 5_000;

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
  expect(await rowOf(em, to)).toMatchObject({ status: 'sent', provider_id: submitted[0]?.messageId });
});

test('an outcome that the database refuses for whatever reason is tried until it is taken, and the journal keeps its mail for as long', async () => {
  const to = project.address();
  const recorded: string[] = [];
  const journal = { ...NO_JOURNAL, recorded: (sendId: string) => void recorded.push(sendId) };
  await changeTables(
    em,
    `
    create function refuse_outcome() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = '53100'; end $$;
    create trigger refuse_outcome before update on sends for each row when (new.to_email = '${to}') execute function refuse_outcome();`,
  );
  const made = await openSending({ journal });
  const call = made.sending.sendCall(await mailRequest(project, to));
  await eventually(() => made.submitted.length === 1);
  made.statements();
  // It has been refused, and tried again.
  for (let tries = 0; tries < 2; tries++) await eventually(() => made.statements() > 0);
  const { id, status } = (await rowOf(em, to)) as SendRow;
  expect([status, recorded]).toEqual([null, []]);
  await changeTables(em, 'drop trigger refuse_outcome on sends; drop function refuse_outcome;');
  expect(await call).toMatchObject({ state: 'sent' });
  expect(await rowOf(em, to)).toMatchObject({ status: 'sent' });
  expect(recorded).toEqual([id]);
});

test('a mail whose intent took too long to write is not submitted: who waits for it counts from its opening', async () => {
  const late = await openSending();
  const to = project.address();
  await changeTables(
    em,
    `
    create function open_slowly() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4713); return new; end $$;
    create trigger open_slowly before insert on sends for each row when (new.to_email = '${to}') execute function open_slowly();`,
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
  await changeTables(em, 'drop trigger open_slowly on sends; drop function open_slowly;');
  expect(late.submitted).toEqual([]);
  expect(await rowOf(em, to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^provider_unavailable: not submitted/) });
});

test('what was answered as too late before its intent was written has no intent and no row', async () => {
  const made = await openSending();
  const to = project.address();
  const deadline = AbortSignal.abort(new Refusal('unavailable', 'the request took too long'));
  await expect(made.sending.sendCall(await mailRequest(project, to, { deadline }))).rejects.toMatchObject({ code: 'unavailable' });
  expect(made.submitted).toEqual([]);
  expect(await rowOf(em, to)).toBeUndefined();
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
  expect(await rowOf(em, to)).toMatchObject({ status: null });
  expect(isClosed).toBe(false);
  await door.up();
  await closing;
  expect(await call).toMatchObject({ state: 'sent' });
  expect(await rowOf(em, to)).toMatchObject({ status: 'sent' });
});

test('an outcome that comes after the mail was given up as of unknown outcome is the truth, and stands', async () => {
  let letGo = (): void => {};
  const made = await openSending({
    answer: () => new Promise((resolve) => (letGo = () => resolve({ outcome: 'accepted', providerId: 'late' }))),
  });
  must(await project.api.post('/webhooks', { url: 'https://receiver.example/hook', events: ['email.sent'] }), 201);
  const to = project.address();
  const call = made.sending.sendCall(await mailRequest(project, to));
  await eventually(async () => made.submitted.length === 1 && (await rowOf(em, to)) !== undefined);
  const told = () => rows(em, sql`select 1 from webhook_events where type = 'email.sent' and data ->> 'email' = ${to}`);
  // In one transaction: the sweepers of other tests' workers would give it up first.
  const closed = await em.transactional(async (tx) => {
    await row(tx, sql`update sends set opened_at = opened_at - interval '2 hours' where to_email = ${to}`);
    return settleIntents(tx, { journals: NO_JOURNALS, deduplicates: false, reportBounce });
  });
  expect(closed).toBeGreaterThan(0);
  expect(await rowOf(em, to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/), provider_id: null });
  expect(await told()).toHaveLength(0);
  letGo();
  await call;
  expect(await rowOf(em, to)).toMatchObject({ status: 'sent', error: null, provider_id: 'late' });
  expect(await told()).toHaveLength(1);
});

test('of outcomes that are written together only that of a mail that was sent is told to endpoints as email.sent', async () => {
  const letGo = Promise.withResolvers<void>();
  const made = await openSending({ answer: () => letGo.promise.then(() => ({ outcome: 'unknown', message: 'cut off' })) });
  must(await project.api.post('/webhooks', { url: 'https://receiver.example/hook', events: ['email.sent'] }), 201);
  const [sent, refused] = [project.address('sent'), project.address('refused')];
  const calls = made.sending.sendCalls([await mailRequest(project, sent), await mailRequest(project, refused)]);
  await eventually(() => made.submitted.length === 2);
  const [{ id: sentId }, { id: refusedId }] = [(await rowOf(em, sent)) as SendRow, (await rowOf(em, refused)) as SendRow];
  const rejected = { status: 'failed', reason: 'provider_rejected', message: '550 no', badAddress: false } as const;
  await writeSendOutcomes(
    em.fork(),
    [
      { id: refusedId, outcome: rejected, hasWebhooks: true },
      { id: sentId, outcome: { status: 'sent', providerId: 'together' }, hasWebhooks: true },
    ],
    reportBounce,
  );
  expect([(await rowOf(em, sent))?.status, (await rowOf(em, refused))?.status]).toEqual(['sent', 'failed']);
  const told = await rows(
    em,
    sql`select distinct data ->> 'email' as email from webhook_events where data ->> 'email' in (${sent}, ${refused})`,
  );
  expect(told).toEqual([{ email: sent }]);
  letGo.resolve();
  await calls;
});

test('an outcome of which nobody knows more changes nothing of a mail that was sent', async () => {
  const made = await openSending({ answer: async () => ({ outcome: 'accepted', providerId: 'known' }) });
  const to = project.address();
  await made.sending.sendCall(await mailRequest(project, to));
  const sent = (await rowOf(em, to)) as SendRow;
  expect(sent).toMatchObject({ status: 'sent', provider_id: 'known' });
  await writeSendOutcomes(em.fork(), [{ id: sent.id, outcome: OUTCOME_UNKNOWN, hasWebhooks: true }], reportBounce);
  expect(await rowOf(em, to)).toEqual(sent);
});
