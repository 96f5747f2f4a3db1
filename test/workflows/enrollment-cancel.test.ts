import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { cancelInFlight } from '../support/cancel-in-flight.ts';
import { eventually } from '../support/eventually.ts';
import { mailNow, mailTo, scriptMail } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentBecomes,
  enrollmentEnds,
  enrollmentOf,
  newContact,
  newSequence,
  traceOf,
} from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
});

/** Resolves with the final status of the enrollment's workflow. */
async function workflowCloses(enrollmentId: string): Promise<string> {
  const handle = (await temporalClient()).workflow.getHandle(`enrollment/${enrollmentId}`);
  return eventually(async () => {
    const { status } = await handle.describe();
    return status.name !== 'RUNNING' && status.name;
  });
}

test('a cancelled enrollment sends nothing more and its workflow ends', async () => {
  const email = project.address();
  await newContact(project, email);
  const sequence = await newSequence(project, { steps: [{ template: 'welcome' }, { template: 'receipt', delayMinutes: DAY_MINUTES }] });
  const id = await sequence.enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  const { status, body } = await project.api.delete(`/enrollments/${id}`);
  expect({ status, body }).toEqual({ status: 200, body: { ok: true, id, status: 'cancelled' } });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'cancelled', waiting_for: null });
  expect(await workflowCloses(id)).toBe('CANCELLED');
  expect(await mailNow(email)).toHaveLength(1);
});

test('there is nothing to cancel a second time, after the end, for an unknown id, or in another project', async () => {
  const email = project.address();
  await newContact(project, email);
  const waiting = await (await newSequence(project)).enroll(email);
  const other = await newProject();
  const gone = { status: 404, body: { ok: false, code: 'not_found' } };
  expect(await other.api.delete(`/enrollments/${waiting}`)).toMatchObject(gone);
  expect(await enrollmentOf(em, waiting)).toMatchObject({ status: 'active' });
  expect((await project.api.delete(`/enrollments/${waiting}`)).status).toBe(200);
  expect(await project.api.delete(`/enrollments/${waiting}`)).toMatchObject(gone);
  const done = await (await newSequence(project, { steps: [{ template: 'receipt' }] })).enroll(email);
  await enrollmentEnds(em, done);
  expect(await project.api.delete(`/enrollments/${done}`)).toMatchObject(gone);
  expect(await project.api.delete(`/enrollments/${randomUUID()}`)).toMatchObject(gone);
  expect(await project.api.delete('/enrollments/no-uuid')).toMatchObject(gone);
});

test('after the answer to a cancellation that races the send nothing arrives any more', async () => {
  const sequence = await newSequence(project, { steps: [{ template: 'welcome' }, { template: 'receipt' }] });
  const emails = Array.from({ length: 20 }, (_, n) => project.address(`race${n}`));
  const cancelled = await Promise.all(
    emails.map(async (email, n) => {
      await newContact(project, email);
      await scriptMail(email, { delayMs: 400 });
      const id = await sequence.enroll(email);
      // Cancelled at different stages: before the first submission, within one, and between the two.
      const stages = ['', 'send_1', 'send_2'];
      const stage = stages[n % stages.length];
      if (stage)
        await enrollmentBecomes(em, id, ({ current_node_id, status }) => current_node_id === stage || status !== 'active', { everyMs: 5 });
      const { status } = await project.api.delete(`/enrollments/${id}`);
      return { id, email, status, arrived: (await mailNow(email)).length };
    }),
  );
  for (const { id } of cancelled) await workflowCloses(id);
  // The sink keeps a mail no later than it answers; by now every conversation that was open has ended.
  await mailTo(await lastWord(), (messages) => messages.length === 1);
  for (const { email, arrived } of cancelled) expect(await mailNow(email)).toHaveLength(arrived);
  expect(cancelled.filter(({ status }) => status === 200).length).toBeGreaterThan(10);
});

test('a cancellation waits for a submission that the provider put off twice', async () => {
  const email = project.address();
  await newContact(project, email);
  // The third is accepted. It begins long before the time for that is over, and takes more of it than all tries may wait to begin.
  await scriptMail(email, { delayMs: [2_000, 2_000, 5_500], rejectData: { code: 451, times: 2 } });
  const id = await (await newSequence(project, { steps: [{ template: 'welcome' }] })).enroll(email);
  await eventually(() => row(em, sql`select 1 from sends where enrollment_id = ${id}`));
  expect((await project.api.delete(`/enrollments/${id}`)).status).toBe(200);
  const arrived = await mailNow(email);
  await eventually(() => row(em, sql`select 1 from sends where enrollment_id = ${id} and status = 'sent'`));
  expect(await mailNow(email)).toEqual(arrived);
});

test('a mail in flight when its run is cancelled is told as sent in the trace', async () => {
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { hold: true });
  const id = await (await newSequence(project, { steps: [{ template: 'welcome' }, { template: 'receipt' }] })).enroll(email);
  await cancelInFlight(em, project, id, email);
  expect(await workflowCloses(id)).toBe('CANCELLED');
  // A mail that went through the queue is told of after the end of the workflow.
  await eventually(async () => {
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'send_1 sent']);
    return true;
  });
});

/** A mail that is slower than any of the race, sent after it. */
async function lastWord(): Promise<string> {
  const email = project.address('last');
  await scriptMail(email, { delayMs: 1_000 });
  await project.api.post('/send', { template: 'receipt', to: email });
  return email;
}

test('an operator who cancels the workflow cancels the enrollment', async () => {
  const email = project.address();
  await newContact(project, email);
  const id = await (await newSequence(project)).enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).cancel();
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'cancelled' });
  expect(await workflowCloses(id)).toBe('CANCELLED');
  expect(await mailNow(email)).toEqual([]);
});
