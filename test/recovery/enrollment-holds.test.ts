import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EnrollmentRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { signalHeldEnrollments } from '../../db/queries/sequences/enrollment-signals.ts';
import { holdEnrollment, holdStands } from '../../db/queries/sequences/step-holds.ts';
import { sendStepOf } from '../../db/queries/sequences/step-visits.ts';
import { row } from '../../db/rows.ts';
import { changeProject } from '../../usecases/projects/change-project.ts';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL } from '../../workflows/contracts.ts';
import { chain } from '../domain/sequences/graphs.ts';
import { changeTables } from '../support/change-tables.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newEventType, newFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentBecomes, enrollmentEnds, newContact, newSequence, traceOf } from '../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { historyOf, temporalClient } from '../support/temporal.ts';

let provider: TcpProxy;
let receiver: HttpReceiver;
let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  provider = await tcpProxy(new URL(testEnvironment().smtpUrl).host);
  // A quarter of the base is the first pause of a call that failed: long enough to be seen.
  everpost = await startEverpost({ smtpUrl: `smtp://${provider.address}`, env: { WEBHOOK_RETRY_BASE_SECONDS: '40' } });
  receiver = await startHttpReceiver();
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
  await enableTemplates(project, 'welcome', 'receipt');
});

afterAll(async () => {
  await everpost?.stop();
  await provider?.close();
  await receiver?.close();
});

async function enrolled(): Promise<{ id: string; email: string }> {
  const email = project.address();
  await newContact(project, email);
  const id = await (await newSequence(project, { steps: [{ template: 'welcome' }, { template: 'receipt' }] })).enroll(email);
  return { id, email };
}

test('while the provider is away a step is held, and its mail goes out once when it is back', async () => {
  await provider.down();
  const { id, email } = await enrolled();
  const first = await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:provider_unavailable');
  expect((await project.api.get('/sends')).body.sends).toEqual([]);
  // Each pause is 5 s and then twice the one before, from before the tries on; their time is counted.
  const pauseOf = ({ held_at, wakes_at }: EnrollmentRow): number => (wakes_at?.getTime() ?? 0) - (held_at?.getTime() ?? 0);
  await (await temporalClient(everpost.namespace)).workflow.getHandle(`enrollment/${id}`).signal(RETRY_NOW_SIGNAL);
  const again = await enrollmentBecomes(
    em,
    id,
    ({ waiting_for, held_at }) => waiting_for !== null && held_at?.getTime() !== first.held_at?.getTime(),
  );
  expect(pauseOf(first)).toBeLessThanOrEqual(5_000);
  expect(pauseOf(again)).toBeGreaterThan(5_000);
  await provider.up();
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit', waiting_for: null });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 sent', 'send_2 sent', 'exit ended']);
  expect((await sendStepOf(em, id, 2))?.outage_ms).toBeGreaterThan(0);
  expect(await mailNow(email)).toHaveLength(2);
  const { sends } = (await project.api.get('/sends')).body;
  expect(sends.map(({ template, status }: { template: string; status: string }) => [template, status])).toEqual([
    ['receipt', 'sent'],
    ['welcome', 'sent'],
  ]);
});

test('the runs of a suspended project hold, and go on when it is resumed', async () => {
  await changeProject(em, project.id, { owner_email_verified: false });
  const { id, email } = await enrolled();
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:email_unverified');
  // Signalled, it looks again and finds the next reason.
  await changeProject(em, project.id, { owner_email_verified: true, status: 'suspended' });
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:project_suspended');
  const client = await temporalClient(everpost.namespace);
  // The row says it first; the workflow follows when its activity has answered.
  await eventually(async () => {
    const { searchAttributes } = await client.workflow.getHandle(`enrollment/${id}`).describe();
    expect(searchAttributes).toMatchObject({ EverpostNode: ['send_1'], EverpostState: ['held'] });
    return true;
  });
  expect(await mailNow(email)).toEqual([]);
  await changeProject(em, project.id, { status: 'active' });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await mailNow(email)).toHaveLength(2);
});

test('a hold that is noted while the project is being resumed does not stand', async () => {
  const email = project.address();
  await newContact(project, email);
  const id = await (await newSequence(project)).enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  await changeProject(em, project.id, { status: 'suspended' });
  const worker = (await database(everpost.databaseUrl)).fork();
  const note = async (): Promise<boolean> => {
    await holdEnrollment(worker, { enrollmentId: id, step: 2, heldBy: 'project_suspended', until: null, now: new Date() });
    return holdStands(worker, id);
  };
  expect(await note()).toBe(true);
  let noted: Promise<boolean> | undefined;
  await em.transactional(async (tx) => {
    await row(tx, sql`update projects set status = 'active' where id = ${project.id}`);
    await signalHeldEnrollments(tx, project.id);
    // The worker saw the suspension before, and notes it after the resumption has looked whom to signal.
    noted = note();
    await eventually(() => row(tx, sql`select 1 from pg_locks where not granted`));
  });
  expect(await noted).toBe(false);
});

test('a project that is resumed between the look at it and the note of the hold lets its runs go on', async () => {
  await changeProject(em, project.id, { owner_email_verified: false });
  // The note of a hold waits for the test, after the step has been refused.
  await changeTables(
    em,
    `
    create function wait_for_test() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4711); return new; end $$;
    create trigger wait_for_test before update on enrollments for each row when (new.waiting_for = 'held:email_unverified') execute function wait_for_test();`,
  );
  const { id, email } = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4711)`);
    const run = await enrolled();
    await eventually(() => row(tx, sql`select 1 from pg_locks where locktype = 'advisory' and not granted`));
    await changeProject(em.fork(), project.id, { owner_email_verified: true });
    return run;
  });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await mailNow(email)).toHaveLength(2);
  await changeTables(em, 'drop trigger wait_for_test on enrollments; drop function wait_for_test;');
});

test('a change that comes while a step in the queue finds itself held is not slept through', async () => {
  await changeProject(em, project.id, { owner_email_verified: false });
  const client = await temporalClient(everpost.namespace);
  // Whom an outage has held sends through the queue from then on.
  await provider.down();
  await changeProject(em, project.id, { owner_email_verified: true });
  const { id } = await enrolled();
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:provider_unavailable');
  const workflow = client.workflow.getHandle(`enrollment/${id}`);
  // Each look at the database that the workflow does not wait in line for.
  const looks = async (): Promise<number> =>
    (await historyOf(client, id)).events.filter(({ eventType }) => eventType === 'EVENT_TYPE_MARKER_RECORDED').length;
  const { before } = await em.transactional(async (tx) => {
    await row(tx, sql`lock table sends in share row exclusive mode`);
    await changeProject(em.fork(), project.id, { owner_email_verified: false });
    await workflow.signal(RETRY_NOW_SIGNAL);
    await eventually(() => row(tx, sql`select 1 from pg_locks where relation = 'sends'::regclass and not granted`));
    await workflow.signal(CHANGED_SIGNAL);
    return { before: await looks() };
  });
  await eventually(async () => (await looks()) > before);
  await provider.up();
  await changeProject(em, project.id, { owner_email_verified: true });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
});

test('a template that is not enabled does not end a hold: enabled meanwhile, its mail goes out', async () => {
  await changeProject(em, project.id, { owner_email_verified: false });
  const email = project.address();
  await newContact(project, email);
  const id = await (await newSequence(project, { steps: [{ template: 'newsletter' }] })).enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:email_unverified');
  await enableTemplates(project, 'newsletter');
  await changeProject(em, project.id, { owner_email_verified: true });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 sent', 'exit ended']);
});

test('between the tries of a call the enrollment shows that it waits for it, and until when', async () => {
  const path = `/${newEventType('shown')}`;
  receiver.answer(path, 500);
  const after = { id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };
  const flow = await newFlow(project, chain({ id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}` } }, after));
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  const { wakes_at } = await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'webhook');
  const pause = wakes_at!.getTime() - Date.now();
  expect(pause).toBeGreaterThan(0);
  expect(pause).toBeLessThanOrEqual(10_000);
  // The call was taken at the second try.
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  expect(receiver.calls(path)).toHaveLength(2);
});
