import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { holdEnrollment, releaseHold } from '../../db/queries/sequences/step-holds.ts';
import { sendStepOf } from '../../db/queries/sequences/step-visits.ts';
import { row, rows } from '../../db/rows.ts';
import { KEY_VALID_MS, OUTCOME_UNKNOWN_AFTER_MS } from '../../domain/sends/submission-times.ts';
import type { ProviderAnswer } from '../../platform/mail/provider.ts';
import type { StepRequest } from '../../sending/sources/step.ts';
import { untilBlocked } from '../support/blocked.ts';
import { newCampaign } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { readPage } from '../support/metrics-page.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { mailRequest, newSending, type TestSending } from '../support/sending.ts';
import { enableTemplates, enrollmentOf, must, newContact, newSequence } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
let accepting: TestSending;
const opened: TestSending[] = [];

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome');
  accepting = await newSending();
  opened.push(accepting);
});

afterAll(async () => {
  for (const each of opened) await each.close();
});

interface Run {
  readonly enrollmentId: string;
  readonly contactId: string;
  readonly email: string;
}

/** A run that waits for a day, so that no worker sends its mail. */
async function newRun(): Promise<Run> {
  const email = project.address();
  const contactId = await newContact(project, email);
  const enrollmentId = await (await newSequence(project)).enroll(email);
  await eventually(async () => (await enrollmentOf(em, enrollmentId)).waiting_for === 'delay');
  return { enrollmentId, contactId, email };
}

async function stepOf({ enrollmentId, contactId }: Run, given: Partial<StepRequest> = {}): Promise<StepRequest> {
  return {
    ...(await mailRequest(project, '', { template: 'welcome' })),
    recipient: { contactId },
    identity: { by: 'visit', enrollmentId, nodeId: 'send_1', visit: 1 },
    now: new Date(),
    outages: 0,
    outageMs: 0,
    cappedAt: null,
    ...given,
  };
}

const CAP = { count: 1, windowHours: 24 };
const DAY_MS = 86_400_000;

test('a step whose enrollment is gone by the time its intent is written sends nothing', async () => {
  const run = await newRun();
  const { sending, submitted } = accepting;
  const before = submitted.length;
  const gone = await stepOf(run, { identity: { by: 'visit', enrollmentId: randomUUID(), nodeId: 'send_1', visit: 1 } });
  expect(await sending.sendStep(gone)).toEqual({ state: 'ended' });
  expect(submitted.length).toBe(before);
});

test('a step waits for a cancellation that is under way, and ends with it', async () => {
  const run = await newRun();
  const { sending, submitted } = accepting;
  const before = submitted.length;
  const request = await stepOf(run);
  const { result } = await em.transactional(async (tx) => {
    await row(tx, sql`update enrollments set status = 'cancelled', end_reason = 'cancelled' where id = ${run.enrollmentId}`);
    const sent = sending.sendStep(request);
    await untilBlocked(tx);
    return { result: sent };
  });
  expect(await result).toEqual({ state: 'ended' });
  expect(submitted.length).toBe(before);
});

test('a visit is sent once, however often it is asked for', async () => {
  const run = await newRun();
  const first = await accepting.sending.sendStep(await stepOf(run));
  expect(first).toMatchObject({ state: 'sent' });
  expect(await accepting.sending.sendStep(await stepOf(run))).toEqual(first);
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
  const run = await newRun();
  const later: ProviderAnswer = { outcome: 'later', message: 'too many requests' };
  // Of one call three tries are put off.
  const answers: ProviderAnswer[] = [UNTOLD, later, later, later, UNTOLD, { outcome: 'accepted', providerId: 'p1' }];
  const { sending, submitted, close } = await newSending({ idempotent: true, answer: () => answers.shift() as ProviderAnswer });
  for (let unanswered = 0; unanswered < 3; unanswered++) {
    const step = await stepOf(run, { outages: unanswered });
    // Not before another process would take its intent for that of one that died.
    const until = new Date(step.now.getTime() + OUTCOME_UNKNOWN_AFTER_MS);
    expect(await sending.sendStep(step)).toMatchObject({ state: 'held', by: 'provider_unavailable', until, message: expect.any(String) });
    await opensAgo(run, OUTCOME_UNKNOWN_AFTER_MS);
  }
  expect(await sending.sendStep(await stepOf(run))).toMatchObject({ state: 'sent' });
  expect(new Set(submitted.map(({ sendId }) => sendId)).size).toBe(1);
  expect(submitted).toHaveLength(6);
  await close();
});

test('a step whose provider could not tell for as long as it keeps a key has an unknown outcome, and is not asked for again', async () => {
  const run = await newRun();
  const { sending, submitted, close } = await newSending({ idempotent: true, answer: () => UNTOLD });
  expect(await sending.sendStep(await stepOf(run))).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  await opensAgo(run, KEY_VALID_MS);
  expect(await sending.sendStep(await stepOf(run))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(submitted).toHaveLength(1);
  await close();
});

test('a step over the cap whose provider could not tell keeps its mail, which goes under the same key when it may', async () => {
  const run = await newRun();
  const other = await (await newSequence(project)).enroll(run.email);
  const answers: ProviderAnswer[] = [UNTOLD, { outcome: 'accepted', providerId: 'p1' }];
  const { sending, submitted, close } = await newSending({ idempotent: true, answer: () => answers.shift() as ProviderAnswer });
  expect(await sending.sendStep(await stepOf(run, { cap: CAP }))).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  await opensAgo(run, OUTCOME_UNKNOWN_AFTER_MS);
  expect(await accepting.sending.sendStep(await stepOf({ ...run, enrollmentId: other }))).toMatchObject({ state: 'sent' });
  expect(await sending.sendStep(await stepOf(run, { cap: CAP }))).toMatchObject({ state: 'held', by: 'frequency_cap' });
  expect(await sending.sendStep(await stepOf(run))).toMatchObject({ state: 'sent' });
  expect(new Set(submitted.map(({ sendId }) => sendId)).size).toBe(1);
  expect(submitted).toHaveLength(2);
  await close();
});

test('two steps for one contact that come in one batch find the last place under the cap once', async () => {
  const run = await newRun();
  const other = await (await newSequence(project)).enroll(run.email);
  const steps = await Promise.all([stepOf(run, { cap: CAP }), stepOf({ ...run, enrollmentId: other }, { cap: CAP })]);
  // Somebody else is under way, so that both go in the next batch.
  const busy = newRun().then(async (third) => accepting.sending.sendStep(await stepOf(third)));
  const results = await Promise.all(steps.map((step) => accepting.sending.sendStep(step)));
  await busy;
  expect(results.map(({ state }) => state).toSorted()).toEqual(['held', 'sent']);
  expect(accepting.submitted.filter(({ to }) => to === run.email)).toHaveLength(1);
});

test('of two steps for one contact in two processes that meet at the last place under the cap the second sees the first', async () => {
  const run = await newRun();
  const other = await (await newSequence(project)).enroll(run.email);
  const second = await newSending();
  opened.push(second);
  // Whoever writes an intent for this address stops before the end of its transaction until the test lets it go.
  await rows(
    em,
    sql.raw(`
    create function wait_in_opening() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4712); return new; end $$;
    create trigger wait_in_opening after insert on sends for each row when (new.to_email = '${run.email}') execute function wait_in_opening();`),
  );
  const steps = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4712)`);
    const first = accepting.sending.sendStep(await stepOf(run, { cap: CAP }));
    await untilBlocked(tx);
    const next = second.sending.sendStep(await stepOf({ ...run, enrollmentId: other }, { cap: CAP }));
    await untilBlocked(tx, 2);
    return [first, next];
  });
  expect((await Promise.all(steps)).map(({ state }) => state)).toEqual(['sent', 'held']);
  await rows(em, sql.raw('drop trigger wait_in_opening on sends; drop function wait_in_opening;'));
});

test('a mail in flight holds a capped step up only until it has its outcome, not for the window', async () => {
  const run = await newRun();
  const away = await newSending({ answer: () => new Promise(() => {}) });
  opened.push(away);
  const other = await (await newSequence(project)).enroll(run.email);
  void away.sending.sendStep(await stepOf({ ...run, enrollmentId: other }, { cap: CAP }));
  await eventually(() => away.submitted.length === 1);
  const held = await accepting.sending.sendStep(await stepOf(run, { cap: CAP }));
  expect(held).toMatchObject({ state: 'held', by: 'frequency_cap', until: expect.any(Date) });
  expect((held as { until: Date }).until.getTime()).toBeLessThan(Date.now() + 60_000);
});

/** A mail of the campaign to the contact is in flight. */
const insertOpenBatch = (campaignId: string, contactId: string, sendId: string = randomUUID()) =>
  rows(
    em,
    sql`insert into campaign_pages (campaign_id, no, contact_ids, state, available_at, token, opened_at, send_ids, subjects, variants)
        values (${campaignId}, 0, array[${contactId}::uuid], 'open', 'infinity', ${randomUUID()}, now(), array[${sendId}::uuid], array['s'], array[null::text])`,
  );

test("a campaign's mail in flight counts under the cap, until it has its outcome", async () => {
  const run = await newRun();
  const id = await newCampaign(project, {
    template: 'welcome',
    audience: { mode: 'people', emails: [run.email] },
    scheduleAt: '2999-01-01T00:00:00Z',
  });
  await insertOpenBatch(id, run.contactId);
  const { sending } = accepting;
  expect(await sending.sendStep(await stepOf(run, { cap: CAP }))).toMatchObject({ state: 'held', by: 'frequency_cap' });
  expect(await sending.sendStep(await stepOf(run, { cap: { ...CAP, count: 2 } }))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});

test("a campaign's mail whose row stands while its batch is still open counts once under the cap", async () => {
  const run = await newRun();
  must(await project.api.post('/send', { template: 'welcome', contactId: run.contactId }), 200);
  const sent = await row(em, sql<{ id: string }>`select id from sends where contact_id = ${run.contactId}`);
  const id = await newCampaign(project, {
    template: 'welcome',
    audience: { mode: 'people', emails: [run.email] },
    scheduleAt: '2999-01-01T00:00:00Z',
  });
  await insertOpenBatch(id, run.contactId, sent?.id);
  expect(await accepting.sending.sendStep(await stepOf(run, { cap: { ...CAP, count: 2 } }))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});

test('mails of another project to its contact of the same id do not count under the cap, sent or in flight', async () => {
  const run = await newRun();
  const theirs = await newProject();
  await enableTemplates(theirs, 'welcome');
  const email = theirs.address();
  await newContact(theirs, email, { id: run.contactId });
  expect(must(await theirs.api.post('/send', { template: 'welcome', contactId: run.contactId }), 200)).toMatchObject({ ok: true });
  const id = await newCampaign(theirs, {
    template: 'welcome',
    audience: { mode: 'people', emails: [email] },
    scheduleAt: '2999-01-01T00:00:00Z',
  });
  await insertOpenBatch(id, run.contactId);
  expect(await accepting.sending.sendStep(await stepOf(run, { cap: CAP }))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});

test('a step gives up a provider that is away after three days of outage alone, and has its row then', async () => {
  const run = await newRun();
  const busy = await newSending({ answer: () => ({ outcome: 'later', message: 'busy', retryAfterSeconds: 3600 }) });
  opened.push(busy);
  const { sending } = busy;
  const held = await sending.sendStep(await stepOf(run, { outageMs: 3 * DAY_MS - 1 }));
  expect(held).toMatchObject({ state: 'held', by: 'provider_unavailable' });
  expect(await rows(em, sql`select 1 from sends where enrollment_id = ${run.enrollmentId}`)).toEqual([]);
  expect(await sending.sendStep(await stepOf(run, { outageMs: 3 * DAY_MS }))).toMatchObject({
    state: 'failed',
    reason: 'provider_unavailable',
  });
  expect(await rows(em, sql`select error from sends where enrollment_id = ${run.enrollmentId}`)).toEqual([
    { error: 'provider_unavailable: busy' },
  ]);
});

test('a mail that is given back since it was stopped is counted neither as put off nor as a try of the provider', async () => {
  const countedAs = async (wasStopped: boolean) => {
    const away = await newSending({ answer: () => ({ outcome: 'later', message: 'm', retryAfterSeconds: 3600, wasStopped }) });
    opened.push(away);
    await away.sending.sendStep(await stepOf(await newRun()));
    const page = readPage(await away.metrics.page());
    return [page.sum('everpost_sends_total', { outcome: 'put_off' }), page.sum('everpost_hand_over_seconds_count', { outcome: 'later' })];
  };
  expect(await countedAs(false)).toEqual([1, 1]);
  expect(await countedAs(true)).toEqual([undefined, undefined]);
});

test('only the time of outages counts as outage, the time of other holds does not', async () => {
  const { enrollmentId } = await newRun();
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
  const { enrollmentId } = await newRun();
  await row(em, sql`update enrollment_steps set outcome = 'waited' where enrollment_id = ${enrollmentId} and step = 2`);
  await holdEnrollment(em, { enrollmentId, step: 2, heldBy: 'paused', until: null, now: new Date() });
  expect(await enrollmentOf(em, enrollmentId)).toMatchObject({ waiting_for: 'delay' });
});

test('a step whose template is not enabled has a failed row, unless its run is held or its contact may not get it anyway', async () => {
  const run = await newRun();
  const request = await stepOf(
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
