import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds, newContact, newSequence, type TestSequence, traceOf } from '../support/sequences.ts';
import { type History, historyOf, readable, temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let sequence: TestSequence;
let email: string;
let contactId: string;
let enrollmentId: string;
let history: History;

const SHORT = 0.005;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt', 'newsletter');
  sequence = await newSequence(project, {
    steps: [
      { template: 'welcome', subject: 'one' },
      { template: 'receipt', subject: 'two', delayMinutes: SHORT },
      { template: 'newsletter', subject: 'three', delayMinutes: SHORT },
    ],
  });
  email = project.address('drip');
  contactId = await newContact(project, email, { firstName: 'Dripper' });
  enrollmentId = await sequence.enroll(email);
  await enrollmentEnds(em, enrollmentId);
  const client = await temporalClient();
  await client.workflow.getHandle(`enrollment/${enrollmentId}`).result();
  history = await historyOf(client, enrollmentId);
});

test('the mails of a drip come in their order, each once', async () => {
  const subjects = (await mailNow(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1]?.trim());
  expect(subjects).toEqual(['one', 'two', 'three']);
});

test('a drip that ran through is completed and every node is in its trace', async () => {
  expect(await enrollmentEnds(em, enrollmentId)).toMatchObject({
    status: 'completed',
    end_reason: 'exit',
    waiting_for: null,
    wakes_at: null,
  });
  expect(await traceOf(em, enrollmentId)).toEqual([
    'trigger enrolled',
    'send_1 sent',
    'delay_2 waited',
    'send_2 sent',
    'delay_3 waited',
    'send_3 sent',
    'exit ended',
  ]);
});

test('a three-mail drip with two waits has at most 60 events in its history', () => {
  expect(history.events.length).toBeGreaterThan(10);
  expect(history.events.length).toBeLessThanOrEqual(60);
});

test('GET /sends lists the mails of a drip with the sequence as their source', async () => {
  const { body } = await project.api.get(`/sends?sourceType=sequence&sourceId=${sequence.id}`);
  expect(body.sends.map(({ template }: { template: string }) => template)).toEqual(['newsletter', 'receipt', 'welcome']);
  for (const send of body.sends) {
    expect(send).toMatchObject({ source_type: 'sequence', source_id: sequence.id, contact_id: contactId, to_email: email, status: 'sent' });
  }
});

test('an operator finds an enrollment by its id and by project, sequence and contact, and reads where it stood', async () => {
  const client = await temporalClient();
  const { searchAttributes, status } = await client.workflow.getHandle(`enrollment/${enrollmentId}`).describe();
  expect(status.name).toBe('COMPLETED');
  expect(searchAttributes).toMatchObject({
    EverpostProject: [project.slug],
    EverpostSequence: [sequence.key],
    EverpostContact: [contactId],
    EverpostNode: ['send_3'],
    EverpostState: ['running'],
  });
});

test('each wait is a timer and each send an activity, named by its node', () => {
  const summaries = [...readable(history).matchAll(/"summary":\{[^}]*?\},"data":"\\?"?([^"\\]*)/g)].map(([, text]) => text);
  for (const node of ['send_1', 'delay_2', 'send_2', 'delay_3', 'send_3']) {
    expect(summaries).toContainEqual(expect.stringContaining(node));
  }
});

test('no address and no name of a person is anywhere in a history', () => {
  const text = readable(history);
  // The payloads are really open: what is known to be in one is found.
  expect(text).toContain(`{\\"enrollmentId\\":\\"${enrollmentId}\\",`);
  expect(text).not.toContain('@to.');
  expect(text).not.toContain(project.domain);
  expect(text).not.toContain('Dripper');
});
