import type { Client } from '@temporalio/client';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { lockContact } from '../../db/queries/contacts/contacts.ts';
import { findSequence } from '../../db/queries/sequences/sequences.ts';
import { changeSequence } from '../../usecases/sequences/change-sequence.ts';
import { enroll } from '../../usecases/sequences/enroll.ts';
import { chain, is, MAIL } from '../domain/sequences/graphs.ts';
import { newFlow, type TestFlow } from '../support/flow.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { resetWorkflow } from '../support/reset-workflow.ts';
import { enableTemplates, enrollmentEnds, newContact, traceOf } from '../support/sequences.ts';
import { historyOf, readable, temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let client: Client;

beforeAll(async () => {
  em = await database();
  client = await temporalClient();
  project = await newProject();
  await enableTemplates(project, 'welcome');
});

const DELAY = { id: 'delay', kind: 'wait_delay', config: { minutes: 0.001 } };
const MORE = { ...MAIL, id: 'more' };

/** One run of it to its end, and the summaries of what it did within its workflow tasks. */
async function ran(graph: object): Promise<{ id: string; email: string; did: string[] }> {
  const flow = await newFlow(project, graph);
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ end_reason: 'exit' });
  await client.workflow.getHandle(`enrollment/${id}`).result();
  const { events } = await historyOf(client, id);
  const markers = events.filter(({ eventType }) => eventType === 'EVENT_TYPE_MARKER_RECORDED');
  return { id, email, did: markers.map((marker) => readable({ events: [marker] })) };
}

test('a run that begins with a mail asks nothing before it sends that', async () => {
  const { did, id } = await ran(chain(MAIL));
  expect(did).toHaveLength(1);
  expect(did[0]).toContain('mail: send welcome');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'mail sent', 'exit ended']);
});

test('a run whose goal depends on the contact asks before it sends', async () => {
  const { did } = await ran({ ...chain(MAIL), goal: { condition: is('gone') } });
  expect(did[0]).toContain('where it stands');
});

test('a run that began with a mail and is reset to its start goes on where its trace is, and sends nothing again', async () => {
  const { id, email } = await ran(chain(MAIL, DELAY, MORE));
  const before = await traceOf(em, id);
  await resetWorkflow(client, `enrollment/${id}`);
  expect(await client.workflow.getHandle(`enrollment/${id}`).result()).toBe('completed: exit');
  expect(await traceOf(em, id)).toEqual(before);
  expect(await mailNow(email)).toHaveLength(2);
});

/** In one transaction: somebody enters, and what comes then. */
async function entering({ key }: TestFlow, email: string, then: (tx: EntityManager, id: string) => Promise<void>): Promise<string> {
  const sequence = (await findSequence(em, project.id, key))!;
  return em.fork().transactional(async (tx) => {
    const contact = (await lockContact(tx, project.id, { email }))!;
    const entered = await enroll(tx, {
      project,
      sequence,
      contacts: [contact],
      eventId: null,
      isBulk: false,
      isSandboxed: false,
      newId: uuidv7,
    });
    const id = entered!.enrolled[0]!.enrollmentId;
    await then(tx, id);
    return id;
  });
}

test('a run that begins with a mail stands at it from its first moment, and of one whose sequence is archived then nothing goes', async () => {
  const flow = await newFlow(project, chain(MAIL));
  const email = project.address();
  await newContact(project, email);
  const id = await entering(flow, email, async (tx, entered) => {
    expect(await traceOf(tx, entered)).toEqual(['trigger enrolled', 'mail null']);
    await changeSequence(tx, {
      ...{ projectId: project.id, key: flow.key, name: undefined, graph: undefined, status: 'archived' },
      now: new Date(),
    });
  });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'archived' });
  expect(await mailNow(email)).toEqual([]);
});
