import { expect, test } from '@jest/globals';
import { RECONCILE_SCHEDULE } from '../../platform/temporal/schedules.ts';
import { enrollmentWorkflowId } from '../../workflows/contracts.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject } from '../support/project.ts';
import { enableTemplates, enrollmentOf, newContact, newSequence } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

test('an enrollment whose workflow an operator terminates becomes cancelled, reason terminated, when the next look comes', async () => {
  const project = await newProject();
  await enableTemplates(project, 'welcome');
  const sequence = await newSequence(project);
  const email = project.address();
  await newContact(project, email);
  const id = await sequence.enroll(email);
  const client = await temporalClient();
  const handle = client.workflow.getHandle(enrollmentWorkflowId(id));
  await eventually(() =>
    handle
      .describe()
      .then(() => true)
      .catch(() => false),
  );
  await handle.terminate('an operator ended it');
  // The schedule looks every minute by itself; the test need not wait for it, only for visibility to know of the end.
  const schedule = client.schedule.getHandle(RECONCILE_SCHEDULE);
  const em = await database();
  await eventually(
    async () => {
      await schedule.trigger();
      return (await enrollmentOf(em, id)).status !== 'active';
    },
    { timeoutMs: 60_000, everyMs: 1_000 },
  );
  const ended = await enrollmentOf(em, id);
  expect(ended).toMatchObject({ status: 'cancelled', end_reason: 'terminated' });
}, 90_000);
