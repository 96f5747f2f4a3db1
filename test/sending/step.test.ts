import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { holdEnrollment, releaseHold } from '../../db/queries/sequences/step-holds.ts';
import { sendStepOf } from '../../db/queries/sequences/step-visits.ts';
import { row, rows } from '../../db/rows.ts';
import { KEY_VALID_MS, OUTCOME_UNKNOWN_AFTER_MS } from '../../domain/sends/submission-times.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import { untilBlocked } from '../support/blocked.ts';
import { readPage } from '../support/metrics-page.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { mailRequest, sendingsOfFile, type TestSending } from '../support/sending.ts';
import { enableTemplates, enrollmentOf, must, newSequence } from '../support/sequences.ts';
import { CAP, newRun, type Run, stepOf } from './steps.ts';

let em: EntityManager;
let project: TestProject;
let accepting: TestSending;
const openSending = sendingsOfFile();

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome');
  accepting = await openSending();
});

const DAY_MS = 86_400_000;

test('a step whose enrollment is gone by the time its intent is written sends nothing', async () => {
  const run = await newRun(em, project);
  const { sending, submitted } = accepting;
  const before = submitted.length;
  const gone = await stepOf(project, run, { identity: { by: 'visit', enrollmentId: randomUUID(), nodeId: 'send_1', visit: 1, step: 1 } });
  expect(await sending.sendStep(gone)).toEqual({ state: 'ended' });
  expect(submitted.length).toBe(before);
});

test('a step waits for a cancellation that is under way, and ends with it', async () => {
  const run = await newRun(em, project);
  const { sending, submitted } = accepting;
  const before = submitted.length;
  const request = await stepOf(project, run);
  const { result } = await em.transactional(async (tx) => {
    await row(tx, sql`update enrollments set status = 'cancelled', end_reason = 'cancelled' where id = ${run.enrollmentId}`);
    const sent = sending.sendStep(request);
    await untilBlocked(tx);
    return { result: sent };
  });
  expect(await result).toEqual({ state: 'ended' });
  expect(submitted.length).toBe(before);
});

test('a step waits for a move that is under way, and what it left sends nothing; the step after it may', async () => {
  const run = await newRun(em, project);
  const { sending, submitted } = accepting;
  const before = submitted.length;
  const request = await stepOf(project, run);
  const { result } = await em.transactional(async (tx) => {
    await row(tx, sql`update enrollments set moved_step = 1 where id = ${run.enrollmentId}`);
    const sent = sending.sendStep(request);
    await untilBlocked(tx);
    return { result: sent };
  });
  expect(await result).toEqual({ state: 'ended' });
  expect(submitted.length).toBe(before);
  const identity = { by: 'visit', enrollmentId: run.enrollmentId, nodeId: 'send_1', visit: 2, step: 2 } as const;
  expect(await sending.sendStep(await stepOf(project, run, { identity }))).toMatchObject({ state: 'sent' });
});

test('a visit is sent once, however often it is asked for', async () => {
  const run = await newRun(em, project);
  const first = await accepting.sending.sendStep(await stepOf(project, run));
  expect(first).toMatchObject({ state: 'sent' });
  expect(await accepting.sending.sendStep(await stepOf(project, run))).toEqual(first);
  expect(accepting.submitted.filter(({ to }) => to === run.email)).toHaveLength(1);
});

/** Behind a provider with keys: the connection was cut, and nobody knows what became of the request. */
const UNTOLD: ProviderAnswer = { outcome: 'unknown', message: 'the connection was cut', tellsLater: true };

async function opensAgo({ enrollmentId }: Run, milliseconds: number): Promise<void> {
  const ago = sql`make_interval(secs => ${milliseconds / 1000})`;
  await row(
    em,
    sql`update sends set created_at = created_at - ${ago}, opened_at = opened_at - ${ago} where enrollment_id = ${enrollmentId}`,
  );
}

test('a step whose provider cannot tell what became of its mail is held by its provider and asks again under the same key until it is told', async () => {
  const run = await newRun(em, project);
  const later: ProviderAnswer = { outcome: 'later', message: 'too many requests' };
  // Of one call three tries are put off.
  const answers: ProviderAnswer[] = [UNTOLD, later, later, later, UNTOLD, { outcome: 'accepted', providerId: 'p1' }];
  const { sending, submitted } = await openSending({ idempotent: true, answer: () => answers.shift() as ProviderAnswer });
  for (let unanswered = 0; unanswered < 3; unanswered++) {
    const step = await stepOf(project, run, { outages: unanswered });
    // Not before another process would take its intent for that of one that died.
    const until = new Date(step.now.getTime() + OUTCOME_UNKNOWN_AFTER_MS);
    expect(await sending.sendStep(step)).toMatchObject({ state: 'held', by: 'provider_unavailable', until, message: expect.any(String) });
    await opensAgo(run, OUTCOME_UNKNOWN_AFTER_MS);
  }
  expect(await sending.sendStep(await stepOf(project, run))).toMatchObject({ state: 'sent' });
  expect(new Set(submitted.map(({ sendId }) => sendId)).size).toBe(1);
  expect(submitted).toHaveLength(6);
});

test('a step whose provider could not tell for as long as it keeps a key has an unknown outcome, and is not asked for again', async () => {
  const run = await newRun(em, project);
  const { sending, submitted } = await openSending({ idempotent: true, answer: () => UNTOLD });
  expect(await sending.sendStep(await stepOf(project, run))).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  await opensAgo(run, KEY_VALID_MS);
  expect(await sending.sendStep(await stepOf(project, run))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(submitted).toHaveLength(1);
});

test('a step over the cap whose provider could not tell keeps its mail, which goes under the same key when it may', async () => {
  const run = await newRun(em, project);
  const other = await (await newSequence(project)).enroll(run.email);
  const answers: ProviderAnswer[] = [UNTOLD, { outcome: 'accepted', providerId: 'p1' }];
  const { sending, submitted } = await openSending({ idempotent: true, answer: () => answers.shift() as ProviderAnswer });
  expect(await sending.sendStep(await stepOf(project, run, { cap: CAP }))).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  await opensAgo(run, OUTCOME_UNKNOWN_AFTER_MS);
  expect(await accepting.sending.sendStep(await stepOf(project, { ...run, enrollmentId: other }))).toMatchObject({ state: 'sent' });
  expect(await sending.sendStep(await stepOf(project, run, { cap: CAP }))).toMatchObject({ state: 'held', by: 'frequency_cap' });
  expect(await sending.sendStep(await stepOf(project, run))).toMatchObject({ state: 'sent' });
  expect(new Set(submitted.map(({ sendId }) => sendId)).size).toBe(1);
  expect(submitted).toHaveLength(2);
});

test('a step gives up a provider that is away after three days of outage alone, and has its row then', async () => {
  const run = await newRun(em, project);
  const busy = await openSending({ answer: () => ({ outcome: 'later', message: 'busy', retryAfterSeconds: 3600 }) });
  const { sending } = busy;
  const held = await sending.sendStep(await stepOf(project, run, { outageMs: 3 * DAY_MS - 1 }));
  expect(held).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  expect(await rows(em, sql`select 1 from sends where enrollment_id = ${run.enrollmentId}`)).toEqual([]);
  expect(await sending.sendStep(await stepOf(project, run, { outageMs: 3 * DAY_MS }))).toMatchObject({
    state: 'failed',
    reason: 'provider_unavailable',
  });
  expect(await rows(em, sql`select error from sends where enrollment_id = ${run.enrollmentId}`)).toEqual([
    { error: 'provider_unavailable: busy' },
  ]);
});

test('a mail that is given back since it was stopped is counted neither as put off nor as a try of the provider', async () => {
  const countedAs = async (wasStopped: boolean) => {
    const away = await openSending({ answer: () => ({ outcome: 'later', message: 'm', retryAfterSeconds: 3600, wasStopped }) });
    await away.sending.sendStep(await stepOf(project, await newRun(em, project)));
    const page = readPage(await away.metrics.page());
    return [page.sum('everpost_sends_total', { outcome: 'put_off' }), page.sum('everpost_hand_over_seconds_count', { outcome: 'later' })];
  };
  expect(await countedAs(false)).toEqual([1, 1]);
  expect(await countedAs(true)).toEqual([undefined, undefined]);
});

test('only the time of outages counts as outage, the time of other holds does not', async () => {
  const { enrollmentId } = await newRun(em, project);
  const at = (ms: number): Date => new Date(Date.UTC(2030, 0, 1) + ms);
  const hold = (heldBy: 'paused' | 'provider_unavailable', now: Date) =>
    holdEnrollment(em, { enrollmentId, step: 2, heldBy, until: null, now });
  await hold('provider_unavailable', at(0));
  await releaseHold(em, enrollmentId, 2, at(5_000));
  await hold('paused', at(6_000));
  await releaseHold(em, enrollmentId, 2, at(3 * DAY_MS));
  await hold('provider_unavailable', at(3 * DAY_MS));
  await releaseHold(em, enrollmentId, 2, at(3 * DAY_MS + 10_000));
  expect(await sendStepOf(em, enrollmentId, 2)).toMatchObject({ outage_ms: 15_000, waiting_for: null });
});

test('a late attempt shows no hold for a visit that has its outcome', async () => {
  const { enrollmentId } = await newRun(em, project);
  await row(em, sql`update enrollment_steps set outcome = 'waited' where enrollment_id = ${enrollmentId} and step = 2`);
  await holdEnrollment(em, { enrollmentId, step: 2, heldBy: 'paused', until: null, now: new Date() });
  expect(await enrollmentOf(em, enrollmentId)).toMatchObject({ waiting_for: 'delay' });
});

test('a step whose template is not enabled has a failed row, unless its run is held or its contact may not get it anyway', async () => {
  const run = await newRun(em, project);
  const request = await stepOf(
    project,
    run,
    await mailRequest(project, '', { template: 'newsletter', recipient: { contactId: run.contactId } }).then(({ template, entry }) => ({
      template,
      entry,
    })),
  );
  must(await project.api.post('/suppressions', { email: run.email }), 201);
  expect(await accepting.sending.sendStep(request)).toEqual({ state: 'skipped', reason: 'suppressed' });
  must(await project.api.delete(`/suppressions/${encodeURIComponent(run.email)}`), 200);
  expect(await accepting.sending.sendStep(request)).toMatchObject({ state: 'failed', reason: 'template_not_enabled' });
  expect(await rows(em, sql`select status, error, template from sends where enrollment_id = ${run.enrollmentId}`)).toMatchObject([
    { status: 'failed', error: expect.stringMatching(/^template_not_enabled/), template: 'newsletter' },
  ]);
});
