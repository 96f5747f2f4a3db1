import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { untilBlocked } from '../support/blocked.ts';
import { newCampaign } from '../support/campaigns.ts';
import { changeTables } from '../support/change-tables.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { sendingsOfFile, type TestSending } from '../support/sending.ts';
import { enableTemplates, must, newContact, newSequence } from '../support/sequences.ts';
import { CAP, newRun, stepOf } from './steps.ts';

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

test('two steps for one contact that come in one batch find the last place under the cap once', async () => {
  const run = await newRun(em, project);
  const other = await (await newSequence(project)).enroll(run.email);
  const steps = await Promise.all([stepOf(project, run, { cap: CAP }), stepOf(project, { ...run, enrollmentId: other }, { cap: CAP })]);
  // Somebody else is under way, so that both go in the next batch.
  const busy = newRun(em, project).then(async (third) => accepting.sending.sendStep(await stepOf(project, third)));
  const results = await Promise.all(steps.map((step) => accepting.sending.sendStep(step)));
  await busy;
  expect(results.map(({ state }) => state).toSorted()).toEqual(['held', 'sent']);
  expect(accepting.submitted.filter(({ to }) => to === run.email)).toHaveLength(1);
});

test('of two steps for one contact in two processes that meet at the last place under the cap the second sees the first', async () => {
  const run = await newRun(em, project);
  const other = await (await newSequence(project)).enroll(run.email);
  const second = await openSending();
  // Whoever writes an intent for this address stops before the end of its transaction until the test lets it go.
  await changeTables(
    em,
    `
    create function wait_in_opening() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4712); return new; end $$;
    create trigger wait_in_opening after insert on sends for each row when (new.to_email = '${run.email}') execute function wait_in_opening();`,
  );
  const steps = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4712)`);
    const first = accepting.sending.sendStep(await stepOf(project, run, { cap: CAP }));
    await untilBlocked(tx);
    const next = second.sending.sendStep(await stepOf(project, { ...run, enrollmentId: other }, { cap: CAP }));
    await untilBlocked(tx, 2);
    return [first, next];
  });
  expect((await Promise.all(steps)).map(({ state }) => state)).toEqual(['sent', 'held']);
  await changeTables(em, 'drop trigger wait_in_opening on sends; drop function wait_in_opening;');
});

test('a mail in flight holds a capped step up only until it has its outcome, not for the window', async () => {
  const run = await newRun(em, project);
  const away = await openSending({ answer: () => new Promise(() => {}) });
  const other = await (await newSequence(project)).enroll(run.email);
  void away.sending.sendStep(await stepOf(project, { ...run, enrollmentId: other }, { cap: CAP }));
  await eventually(() => away.submitted.length === 1);
  const held = await accepting.sending.sendStep(await stepOf(project, run, { cap: CAP }));
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
  const run = await newRun(em, project);
  const id = await newCampaign(project, {
    template: 'welcome',
    audience: { mode: 'people', emails: [run.email] },
    scheduleAt: '2999-01-01T00:00:00Z',
  });
  await insertOpenBatch(id, run.contactId);
  const { sending } = accepting;
  expect(await sending.sendStep(await stepOf(project, run, { cap: CAP }))).toMatchObject({ state: 'held', by: 'frequency_cap' });
  expect(await sending.sendStep(await stepOf(project, run, { cap: { ...CAP, count: 2 } }))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});

test('the mail in flight of a campaign that a test key asked for stands in the way of sandboxed steps alone', async () => {
  const run = await newRun(em, project);
  const tester = await project.newKey(['*'], true);
  const audience = { mode: 'people', emails: [run.email] };
  const id = await newCampaign(tester, { template: 'welcome', audience, scheduleAt: '2999-01-01T00:00:00Z' });
  await insertOpenBatch(id, run.contactId);
  const step = (isSandboxed: boolean) => stepOf(project, run, { cap: CAP, isSandboxed });
  const { sending } = accepting;
  expect(await sending.sendStep(await step(true))).toMatchObject({ state: 'held', by: 'frequency_cap' });
  expect(await sending.sendStep(await step(false))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});

test("a campaign's mail whose row stands while its batch is still open counts once under the cap", async () => {
  const run = await newRun(em, project);
  must(await project.api.post('/send', { template: 'welcome', contactId: run.contactId }), 200);
  const sent = await row(em, sql<{ id: string }>`select id from sends where contact_id = ${run.contactId}`);
  const id = await newCampaign(project, {
    template: 'welcome',
    audience: { mode: 'people', emails: [run.email] },
    scheduleAt: '2999-01-01T00:00:00Z',
  });
  await insertOpenBatch(id, run.contactId, sent?.id);
  expect(await accepting.sending.sendStep(await stepOf(project, run, { cap: { ...CAP, count: 2 } }))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});

test('mails of another project to its contact of the same id do not count under the cap, sent or in flight', async () => {
  const run = await newRun(em, project);
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
  expect(await accepting.sending.sendStep(await stepOf(project, run, { cap: CAP }))).toMatchObject({ state: 'sent' });
  await rows(em, sql`delete from campaign_pages where campaign_id = ${id}`);
});
