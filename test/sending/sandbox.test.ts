import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { Project, ProviderEvent, Send, type SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { SANDBOX_DOMAIN } from '../../domain/sends/sandbox.ts';
import { OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { NO_JOURNALS } from '../../sending/journal/read-journals.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { untilBlocked } from '../support/blocked.ts';
import { changeTables } from '../support/change-tables.ts';
import { bareProject, bareSend, ownDatabase } from '../support/own-database.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { keyed, mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates, newSequence } from '../support/sequences.ts';
import { rowOf } from './send-row.ts';
import { CAP, newRun, stepOf } from './steps.ts';

const openSending = sendingsOfFile();
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
});

const age = (to: string, ms: number) =>
  rows(
    em,
    sql`update sends set opened_at = opened_at - make_interval(secs => ${ms / 1000}), created_at = created_at - make_interval(secs => ${ms / 1000})
               where to_email = ${to}`,
  );

test('an outcome never stands without the report that follows it', async () => {
  const to = `bounced+${project.slug}@${SANDBOX_DOMAIN}`;
  const { sending, submitted } = await openSending();
  await changeTables(
    em,
    `
    create function wait_in_report() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4719); return new; end $$;
    create trigger wait_in_report after insert on provider_events for each row when (new.project_id = '${project.id}') execute function wait_in_report();`,
  );
  const call = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4719)`);
    const sent = sending.sendCall(await mailRequest(project, to));
    await untilBlocked(tx);
    expect((await rowOf(em.fork(), to))?.status).toBeNull();
    return [sent];
  });
  const { id } = (await rowOf(em, to)) as SendRow;
  expect(await Promise.all(call)).toMatchObject([{ state: 'sent', providerId: `sandbox-${id}` }]);
  expect(await em.fork().find(ProviderEvent, { project_id: project.id })).toMatchObject([
    { type: 'bounced', provider_ids: [`sandbox-${id}`] },
  ]);
  await changeTables(em, 'drop trigger wait_in_report on provider_events; drop function wait_in_report;');
  expect(submitted).toEqual([]);
});

test('a mail that may have been submitted is not asked for again once its project is a sandbox, and does not count as sent', async () => {
  const [own, to] = [await newProject(), project.address()];
  await enableTemplates(own, 'receipt');
  const { sending, submitted } = await openSending({ idempotent: true, answer: () => ({ outcome: 'unknown', message: 'cut' }) });
  expect(await sending.sendCall(await keyed(own, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  await em.nativeUpdate(Project, { id: own.id }, { sandbox: true });
  await age(to, OUTCOME_UNKNOWN_AFTER_MS);
  expect(await sending.sendCall(await keyed(own, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(submitted).toHaveLength(1);
  expect(await rowOf(em, to)).toMatchObject({ status: 'failed', sandboxed: false });
});

test('a mail of a sandbox whose process died goes on under its key, and stays here when the project is none any more', async () => {
  const [own, to] = [await newProject(), project.address()];
  await enableTemplates(own, 'receipt');
  await em.nativeUpdate(Project, { id: own.id }, { sandbox: true });
  const { sending, submitted } = await openSending();
  await sending.sendCall(await keyed(own, to));
  // As its process left it, which nobody can ask.
  await em.nativeUpdate(Send, { to_email: to }, { status: null, provider_id: null, closed_at: null });
  await em.nativeDelete(ProviderEvent, { project_id: own.id });
  await age(to, OUTCOME_UNKNOWN_AFTER_MS);
  await em.nativeUpdate(Project, { id: own.id }, { sandbox: false });
  expect(await sending.sendCall(await keyed(own, to))).toMatchObject({ state: 'sent' });
  expect(submitted).toEqual([]);
  expect(await rowOf(em, to)).toMatchObject({ status: 'sent', sandboxed: true });
});

test('of a mail that never left nobody is told that it may have arrived, whatever became of its journal', async () => {
  const orm = await ownDatabase();
  const fresh = orm.em.fork();
  const at = new Date(Date.now() - SETTLED_AFTER_MS - 60_000);
  const { id } = await bareSend(fresh, await bareProject(fresh), {
    status: null,
    closed_at: null,
    opened_at: at,
    created_at: at,
    sandboxed: true,
  });
  expect(await settleIntents(orm.em.fork(), { journals: NO_JOURNALS, deduplicates: false, reportBounce })).toBe(0);
  expect((await orm.em.fork().findOneOrFail(Send, { id })).error).toMatch(/^provider_unavailable/);
});

test('a mail that never left stands in the way of no real one under a frequency cap', async () => {
  const run = await newRun(em, project);
  const { sending } = await openSending();
  const called = await mailRequest(project, '', { template: 'welcome', recipient: { contactId: run.contactId }, isSandboxed: true });
  expect(await sending.sendCall(called)).toMatchObject({ state: 'sent' });
  expect(await sending.sendStep(await stepOf(project, run, { cap: CAP }))).toMatchObject({ state: 'sent' });
  const other = await (await newSequence(project)).enroll(run.email);
  expect(await sending.sendStep(await stepOf(project, { ...run, enrollmentId: other }, { cap: CAP }))).toMatchObject({ state: 'held' });
});
