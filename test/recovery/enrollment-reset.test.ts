import type { Client } from '@temporalio/client';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { eventually } from '../support/eventually.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentBecomes,
  enrollmentEnds,
  newContact,
  newSequence,
  type StepInput,
  traceOf,
} from '../support/sequences.ts';
import { historyOf, temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let client: Client;

beforeAll(async () => {
  em = await database();
  client = await temporalClient();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
});

async function enroll(steps: readonly StepInput[]): Promise<{ id: string; email: string }> {
  const email = project.address();
  await newContact(project, email);
  return { id: await (await newSequence(project, { steps })).enroll(email), email };
}

test('a run that is reset while it waits goes on waiting and sends nothing twice', async () => {
  const { id, email } = await enroll([{ template: 'welcome' }, { template: 'receipt', delayMinutes: DAY_MINUTES }]);
  const before = await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay');
  await resetWorkflow(client, `enrollment/${id}`);
  const timer = await eventually(async () => {
    const { events } = await historyOf(client, id);
    return events.findLast(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  });
  expect(JSON.stringify(timer)).toContain('startToFireTimeout');
  expect(await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'delay')).toEqual(before);
  expect(await mailNow(email)).toHaveLength(1);
  await project.api.delete(`/enrollments/${id}`);
});

test('a run that is reset after its end sends nothing and stays as it was', async () => {
  const { id, email } = await enroll([{ template: 'welcome' }, { template: 'receipt' }]);
  const ended = await enrollmentEnds(em, id);
  const handle = client.workflow.getHandle(`enrollment/${id}`);
  await handle.result();
  const trace = await traceOf(em, id);
  await resetWorkflow(client, `enrollment/${id}`);
  expect(await handle.result()).toBe('completed: exit');
  expect(await enrollmentEnds(em, id)).toEqual(ended);
  expect(await traceOf(em, id)).toEqual(trace);
  expect(await mailNow(email)).toHaveLength(2);
});
