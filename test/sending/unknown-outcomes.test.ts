import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { eraseTraces } from '../../db/queries/contacts/erasures.ts';
import { claimRetry } from '../../db/queries/sends/retries.ts';
import { API_GATE } from '../../db/queries/sends/send-gates.ts';
import { reopenSend, type SendIntent, withdrawSend } from '../../db/queries/sends/send-intents.ts';
import { closeMany } from '../../db/queries/sends/send-outcomes.ts';
import { row, rows } from '../../db/rows.ts';
import { OUTCOME_UNKNOWN } from '../../domain/sends/outcome-unknown.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { keyed, mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';
import { rowOf } from './send-row.ts';

let em: EntityManager;
let project: TestProject;
const openSending = sendingsOfFile();

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

/** The send was opened so long ago that its outcome is unknown, and is not yet given up by the sweepers of other tests' workers. */
async function becomesOld(id: string): Promise<void> {
  const age = `${(OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2} milliseconds`;
  await row(em, sql`update sends set opened_at = opened_at - ${age}::interval where id = ${id}`);
}

function intentOf({ id, project_id, brand_id, to_email, template, subject }: SendRow): SendIntent {
  return {
    ...{ id, projectId: project_id, contactId: null, brandId: brand_id, toEmail: to_email, template, type: 'transactional', subject },
    ...{ sourceType: 'api', sourceId: null, identity: { by: 'nothing' }, journal: null },
  };
}

test('of two retries that take over one send of unknown outcome one gets it, and the first attempt cannot withdraw it any more', async () => {
  const to = project.address();
  const late = await openSending({ answer: () => new Promise(() => {}) });
  void late.sending.sendCall(await mailRequest(project, to));
  const intent = await eventually(() => rowOf(em, to));
  await becomesOld(intent.id);
  const { opened_at: openedAt } = (await rowOf(em, to)) as SendRow;
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
  const late = await openSending({ answer: () => new Promise(() => {}) });
  void late.sending.sendCall(await mailRequest(project, to));
  const intent = await eventually(() => rowOf(em, to));
  await closeMany(em, [{ id: intent.id, outcome: OUTCOME_UNKNOWN, hasWebhooks: false }]);
  const before = { openedAt: intent.opened_at, mayBeSubmitted: true, isOutcomeUnknown: false };
  expect(await reopenSend(em.fork(), API_GATE, intentOf(intent), before)).toEqual({ state: 'lost' });
  // By its first process, which was frozen and hears that its provider takes nothing now.
  await withdrawSend(em, intent.id, { at: intent.opened_at });
  expect(await rowOf(em, to)).toMatchObject({ status: 'failed', opened_at: intent.opened_at });
});

test('a call of unknown outcome that somebody sends as another while its caller asks for it again goes as that one alone', async () => {
  const made = await openSending({ answer: () => ({ outcome: 'unknown', message: 'the connection was cut' }), idempotent: true });
  const to = project.address();
  const request = await keyed(project, to);
  expect(await made.sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  const send = (await rowOf(em, to)) as SendRow;
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
  const late = await openSending({ answer: () => new Promise(() => {}), idempotent: true });
  const retry = await openSending({ idempotent: true });
  // No contact: the gate does not know that it is gone.
  const to = project.address();
  const request = await keyed(project, to);
  void late.sending.sendCall(request);
  const { id } = await eventually(() => rowOf(em, to));
  await becomesOld(id);
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
  const late = await openSending({ answer: () => new Promise(() => {}), now: () => new Date(Date.now() - clockIsOffMs) });
  const retry = await openSending({ now: () => new Date(Date.now() + clockIsOffMs) });
  const to = project.address();
  const request = await keyed(project, to);
  void late.sending.sendCall(request);
  const intent = await eventually(() => rowOf(em, to));
  expect(Math.abs(intent.opened_at.getTime() - Date.now())).toBeLessThan(60_000);
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'in_progress' });
  await settleIntents(em, { journals: NO_JOURNALS, deduplicates: false, reportBounce });
  expect(await rowOf(em, to)).toMatchObject({ status: null });
  await becomesOld(intent.id);
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(retry.submitted).toEqual([]);
});

test('a retry of a keyed call of unknown outcome goes through once more under the same id where the provider deduplicates', async () => {
  const late = await openSending({ answer: () => new Promise(() => {}), idempotent: true });
  const retry = await openSending({ idempotent: true });
  const to = project.address();
  const request = await keyed(project, to);
  void late.sending.sendCall(request);
  const intent = await eventually(() => rowOf(em, to));
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'in_progress' });
  await becomesOld(intent.id);
  expect(await retry.sending.sendCall(request)).toMatchObject({ state: 'sent', sendId: intent.id, replayed: false });
  expect(retry.submitted.map(({ sendId }) => sendId)).toEqual([intent.id]);
  expect(await rows(em, sql`select 1 from sends where to_email = ${to}`)).toHaveLength(1);
});
