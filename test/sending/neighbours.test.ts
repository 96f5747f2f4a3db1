import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import type { StepResult } from '../../sending/sources/step.ts';
import { blockedBy, untilBlocked } from '../support/blocked.ts';
import { changeTables } from '../support/change-tables.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { keyed, mailRequest, sendingsOfFile } from '../support/sending.ts';
import { enableTemplates, enrollmentOf, must, newSequence } from '../support/sequences.ts';
import { type Run, stepOf } from './steps.ts';

let em: EntityManager;
let project: TestProject;
const openSending = sendingsOfFile();

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
});

/** Runs at one node that wait for a day, so that no worker sends their mails. */
async function newRuns(of: TestProject, count: number): Promise<Run[]> {
  const emails = Array.from({ length: count }, (_, n) => of.address(`run-${n}`));
  must(
    await of.api.post(
      '/contacts',
      emails.map((email) => ({ email })),
    ),
    200,
  );
  const sequence = await newSequence(of);
  must(await of.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails }), 200);
  const found = await rows(
    em,
    sql<Run>`select e.id as "enrollmentId", e.contact_id as "contactId" from enrollments e join sequences s on s.id = e.sequence_id
      where s.project_id = ${of.id} and s.key = ${sequence.key} order by e.id`,
  );
  for (const { enrollmentId } of found) await eventually(async () => (await enrollmentOf(em, enrollmentId)).waiting_for === 'delay');
  return found;
}

/** How each step ended; `rejected` for one whose statement failed. */
async function statesOf(steps: readonly Promise<StepResult>[]): Promise<string[]> {
  return (await Promise.allSettled(steps)).map((end) => (end.status === 'fulfilled' ? end.value.state : 'rejected'));
}

async function pendingIntents(of: TestProject): Promise<number> {
  return (await rows(em, sql`select 1 from sends where project_id = ${of.id} and status is null`)).length;
}

const LOCK_MS = 300;

test('thirty steps at one node of which one cannot be opened: the other 29 go out, and the one goes when it can, once', async () => {
  const runs = await newRuns(project, 30);
  const { sending, submitted } = await openSending({ limits: { lock: LOCK_MS } });
  const steps = await Promise.all(runs.map((run) => stepOf(project, run)));
  const locked = runs[12] as Run;
  const states = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from enrollments where id = ${locked.enrollmentId} for update`);
    return statesOf(steps.map((step) => sending.sendStep(step)));
  });
  expect(states.filter((state) => state === 'sent')).toHaveLength(29);
  expect(states[12]).toBe('rejected');
  expect(submitted).toHaveLength(29);
  expect(await pendingIntents(project)).toBe(0);
  expect(await statesOf(steps.map((step) => sending.sendStep(step)))).toEqual(runs.map(() => 'sent'));
  expect(new Set(submitted.map(({ to }) => to)).size).toBe(30);
  expect(submitted).toHaveLength(30);
});

test('a lock on the whole log that outlasts the patience for locks twice leaves no intent behind, and every mail goes when it ends', async () => {
  const runs = await newRuns(project, 12);
  const { sending, submitted } = await openSending({ limits: { lock: LOCK_MS } });
  const steps = await Promise.all(runs.map((run) => stepOf(project, run)));
  // As an index that is being built: whoever writes waits, here whoever writes for this project.
  await changeTables(
    em,
    `
    create function wait_for_log() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(4714); return new; end $$;
    create trigger wait_for_log before insert on sends for each row when (new.project_id = '${project.id}') execute function wait_for_log();`,
  );
  const states = await em.transactional(async (tx) => {
    await row(tx, sql`select pg_advisory_xact_lock(4714)`);
    return statesOf(steps.map((step) => sending.sendStep(step)));
  });
  await changeTables(em, 'drop trigger wait_for_log on sends; drop function wait_for_log;');
  // The statement of all of them was refused, and those of some alone after it.
  expect(states).toEqual(runs.map(() => 'rejected'));
  expect(submitted).toEqual([]);
  expect(await pendingIntents(project)).toBe(0);
  expect(await statesOf(steps.map((step) => sending.sendStep(step)))).toEqual(runs.map(() => 'sent'));
  expect(submitted).toHaveLength(12);
});

test('of a burst that is cut across two statements the second goes out though the connection of the first was lost', async () => {
  const runs = await newRuns(project, 130);
  const { sending, submitted } = await openSending();
  const steps = await Promise.all(runs.map((run) => stepOf(project, run)));
  const [locked] = runs as [Run];
  const states = await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from enrollments where id = ${locked.enrollmentId} for update`);
    const under = statesOf(steps.map((step) => sending.sendStep(step)));
    await untilBlocked(tx);
    // Not those that wait for something else: they are of other test files.
    await rows(tx, sql`select pg_terminate_backend(pid) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`);
    return under;
  });
  const sent = states.filter((state) => state === 'sent').length;
  expect(sent).toBeGreaterThan(0);
  expect(submitted).toHaveLength(sent);
  await eventually(async () => (await pendingIntents(project)) === 0);
  await statesOf(steps.map((step) => sending.sendStep(step)));
  expect(submitted).toHaveLength(130);
  expect(new Set(submitted.map(({ to }) => to)).size).toBe(130);
});

test("a row of one project that is locked does not hold up another project's steps", async () => {
  const other = await newProject();
  await enableTemplates(other, 'welcome');
  const [mine, theirs] = [await newRuns(project, 1), await newRuns(other, 1)] as [[Run], [Run]];
  const { sending } = await openSending();
  await em.transactional(async (tx) => {
    await row(tx, sql`select 1 from enrollments where id = ${mine[0].enrollmentId} for update`);
    const held = sending.sendStep(await stepOf(project, mine[0]));
    await untilBlocked(tx);
    expect(await sending.sendStep(await stepOf(other, theirs[0]))).toMatchObject({ state: 'sent' });
    expect(await blockedBy(tx)).toBe(1);
    return { held };
  });
});

test('rows that the database refuses are their own mails alone, however many they are, of calls with a key as well', async () => {
  const bad = Array.from({ length: 8 }, (_, n) => project.address(`refused-${n}`));
  const good = Array.from({ length: 6 }, () => project.address());
  await changeTables(
    em,
    `
    create function refuse_row() returns trigger language plpgsql as $$ begin raise exception 'out of range' using errcode = '22003'; end $$;
    create trigger refuse_row before insert on sends for each row when (new.to_email in (${bad.map((to) => `'${to}'`).join()})) execute function refuse_row();`,
  );
  const { sending, submitted } = await openSending();
  const addresses = [...good.slice(0, 2), ...bad, ...good.slice(2)];
  const requests = await Promise.all(addresses.map((to) => keyed(project, to)));
  const ends = await Promise.allSettled(requests.map((request) => sending.sendCall(request)));
  await changeTables(em, 'drop trigger refuse_row on sends; drop function refuse_row;');
  expect(addresses.filter((_, index) => ends[index]?.status === 'rejected')).toEqual(bad);
  expect(submitted.map(({ to }) => to).toSorted()).toEqual(good.toSorted());
  expect(await pendingIntents(project)).toBe(0);
});

test('while the database takes no writes nothing is submitted or left behind, and each mail goes when it does', async () => {
  const runs = await newRuns(project, 12);
  const { sending, submitted } = await openSending();
  const steps = await Promise.all(runs.map((run) => stepOf(project, run)));
  // As a server answers that has become a replica.
  await changeTables(
    em,
    `
    create function read_only() returns trigger language plpgsql as $$ begin raise exception 'read-only transaction' using errcode = '25006'; end $$;
    create trigger read_only before insert on sends for each row when (new.project_id = '${project.id}') execute function read_only();`,
  );
  const states = await statesOf(steps.map((step) => sending.sendStep(step)));
  await changeTables(em, 'drop trigger read_only on sends; drop function read_only;');
  expect(states).toEqual(runs.map(() => 'rejected'));
  expect(submitted).toEqual([]);
  expect(await pendingIntents(project)).toBe(0);
  expect(await statesOf(steps.map((step) => sending.sendStep(step)))).toEqual(runs.map(() => 'sent'));
});

test('an intent whose opening was carried out and never answered is taken back, and its mail goes once when it is asked for again', async () => {
  const to = project.address();
  const request = await keyed(project, to);
  let isLost = false;
  const { sending, submitted } = await openSending({
    losesAnswer(text) {
      if (isLost || !/insert into sends/.test(text)) return false;
      isLost = true;
      return true;
    },
  });
  await expect(sending.sendCall(request)).rejects.toThrow('Connection terminated');
  expect(isLost).toBe(true);
  await eventually(async () => (await pendingIntents(project)) === 0);
  expect(submitted).toEqual([]);
  expect(await sending.sendCall(request)).toMatchObject({ state: 'sent' });
  expect(submitted).toHaveLength(1);
});

test('outcomes that cannot be written while rows of their project are locked hold up those of no other project', async () => {
  const other = await newProject();
  await enableTemplates(other, 'receipt');
  const stuck = [project.address(), project.address()];
  const answers = new Map(stuck.map((to) => [to, Promise.withResolvers<void>()]));
  const { sending, submitted } = await openSending({
    answer: async (mail) => {
      await answers.get(mail.to)?.promise;
      return { outcome: 'accepted', providerId: mail.messageId };
    },
  });
  const results = Promise.all(stuck.map(async (to) => sending.sendCall(await mailRequest(project, to))));
  await eventually(() => submitted.length === stuck.length);
  await em.transactional(async (tx) => {
    const ids = submitted.map(({ sendId }) => sendId);
    await row(tx, sql`select 1 from sends where id = any(${ids}::uuid[]) for update`);
    for (const [index, to] of stuck.entries()) {
      answers.get(to)?.resolve();
      // By a statement of its own.
      await untilBlocked(tx, index + 1);
    }
    expect(await sending.sendCall(await mailRequest(other, other.address()))).toMatchObject({ state: 'sent' });
    expect(await blockedBy(tx)).toBe(stuck.length);
  });
  expect((await results).map((result) => 'state' in result && result.state)).toEqual(['sent', 'sent']);
});
