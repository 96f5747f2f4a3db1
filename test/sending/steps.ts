import type { EntityManager } from '../../db/orm.ts';
import type { StepRequest } from '../../sending/sources/step.ts';
import { eventually } from '../support/eventually.ts';
import type { TestProject } from '../support/project.ts';
import { mailRequest } from '../support/sending.ts';
import { enrollmentOf, newContact, newSequence } from '../support/sequences.ts';

export const CAP = { count: 1, windowHours: 24 };

export interface Run {
  readonly enrollmentId: string;
  readonly contactId: string;
}

/** A run that waits for a day, so that no worker sends its mail. */
export async function newRun(em: EntityManager, project: TestProject): Promise<Run & { readonly email: string }> {
  const email = project.address();
  const contactId = await newContact(project, email);
  const enrollmentId = await (await newSequence(project)).enroll(email);
  await eventually(async () => (await enrollmentOf(em, enrollmentId)).waiting_for === 'delay');
  return { enrollmentId, contactId, email };
}

/** The mail of a run's first step. */
export async function stepOf(
  project: TestProject,
  { enrollmentId, contactId }: Run,
  given: Partial<StepRequest> = {},
): Promise<StepRequest> {
  return {
    ...(await mailRequest(project, '', { template: 'welcome' })),
    recipient: { contactId },
    identity: { by: 'visit', enrollmentId, nodeId: 'send_1', visit: 1, step: 1 },
    now: new Date(),
    outages: 0,
    outageMs: 0,
    cappedAt: null,
    ...given,
  };
}
