import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { signalWatchers } from '../../../db/queries/sequences/enrollment-signals.ts';
import { rows } from '../../../db/rows.ts';
import { enrollmentWorkflowId } from '../../../workflows/contracts.ts';
import { fork } from '../../domain/sequences/graphs.ts';
import { testEnvironment } from '../../support/environment.ts';
import { happens, newFlow, standsAt } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { sendMail } from '../../support/sent-mail.ts';
import { DAY_MINUTES, enableTemplates, enrollmentOf, must, newContact, newSequence } from '../../support/sequences.ts';

/** Two projects, each with a contact of the same id. */
const id = randomUUID();
let mine: TestProject;
let theirs: TestProject;
let email: string;
let theirEmail: string;
let em: EntityManager;

beforeAll(async () => {
  em = await database();
  [mine, theirs] = [await newProject(), await newProject()];
  for (const project of [mine, theirs]) await enableTemplates(project, 'newsletter');
  [email, theirEmail] = [mine.address(), theirs.address()];
  expect(await newContact(mine, email, { id, firstName: 'Mine' })).toBe(id);
  expect(await newContact(theirs, theirEmail, { id, firstName: 'Theirs' })).toBe(id);
});

const contactOf = async (project: TestProject) => must(await project.api.get(`/contacts/${id}`), 200).contact;

test('the id of a contact in another project neither collides nor tells', async () => {
  expect(await contactOf(mine)).toMatchObject({ email, first_name: 'Mine' });
  expect(await contactOf(theirs)).toMatchObject({ email: theirEmail, first_name: 'Theirs' });
  expect(await mine.api.post('/contacts', { email: mine.address(), id })).toMatchObject({
    status: 422,
    body: { issues: [{ path: 'id' }] },
  });
});

test('a change of one leaves the other as it is', async () => {
  must(await theirs.api.post('/contacts', { email: theirEmail, lastName: 'Changed', tags: ['t'] }), 200);
  expect(await contactOf(mine)).toMatchObject({ email, first_name: 'Mine', last_name: null, tags: [] });
});

test('the status of one decides about its own mail only, and unsubscribing by id moves only it', async () => {
  must(await theirs.api.post(`/contacts/${id}/unsubscribe`), 200);
  expect((await contactOf(mine)).status).toBe('subscribed');
  must(await mine.api.post('/send', { template: 'newsletter', contactId: id }), 200);
  expect((await theirs.api.post('/send', { template: 'newsletter', contactId: id })).body).toMatchObject({ reason: 'unsubscribed' });
  must(await theirs.api.post('/contacts', { email: theirEmail, status: 'subscribed', resubscribe: true }), 200);
});

test('an unsubscribe link is that of the project that signed it', async () => {
  for (const [project, other, to] of [
    [mine, theirs, email],
    [theirs, mine, theirEmail],
  ] as const) {
    const { unsubscribe } = await sendMail(project, { to });
    const link = unsubscribe!.replace(/^https?:\/\/[^/]+/, testEnvironment().apiUrl);
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    expect([(await contactOf(project)).status, (await contactOf(other)).status]).toEqual(['unsubscribed', 'subscribed']);
    expect((await fetch(link.replace('/unsubscribe', '/resubscribe'), { method: 'POST' })).status).toBe(200);
    expect((await contactOf(project)).status).toBe('subscribed');
  }
});

test('events and changes of one move only its own enrollments', async () => {
  const graph = (type: string) =>
    fork({ id: 'w', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } }, ['event', 'timeout'], {
      goal: { condition: { field: 'contact.first_name', op: 'eq', value: 'Nobody' } },
    });
  const [run, theirRun] = [
    await (await newFlow(mine, graph('same'))).enroll(email),
    await (await newFlow(theirs, graph('same'))).enroll(theirEmail),
  ];
  for (const each of [run, theirRun]) await standsAt(em, each, 'w');
  await em
    .transactional(async (tx) => {
      await signalWatchers(tx, theirs.id, [id]);
      const signalled = await rows(
        tx,
        sql<{
          workflow_id: string;
        }>`select workflow_id from outbox where workflow_id in (${enrollmentWorkflowId(run)}, ${enrollmentWorkflowId(theirRun)})
             and message ->> 'kind' = 'signal'`,
      );
      expect(signalled).toEqual([{ workflow_id: enrollmentWorkflowId(theirRun) }]);
      throw new Error('rolled back');
    })
    .catch((error) => expect(error.message).toBe('rolled back'));
  expect(await happens(theirs, { type: 'same', contactId: id })).toMatchObject({ reArmed: 1 });
  expect(await enrollmentOf(em, run)).toMatchObject({ status: 'active', current_node_id: 'w' });
  expect(await happens(mine, { type: 'same', contactId: id })).toMatchObject({ reArmed: 1 });
});

test('an exit that is asked for the one leaves the run of the other where it is', async () => {
  const { key, enroll } = await newSequence(mine);
  const run = await enroll(email);
  const leaves = { type: 'leaves', contactId: id, exitSequences: [key] };
  expect(await happens(theirs, leaves)).toMatchObject({ exited: 0 });
  expect(await enrollmentOf(em, run)).toMatchObject({ status: 'active' });
  expect(await happens(mine, leaves)).toMatchObject({ exited: 1 });
});

test('what happened to one is no answer to a condition about the other', async () => {
  const quiet = await newProject();
  await newContact(quiet, quiet.address(), { id });
  const asks = (when: object) => newFlow(quiet, fork({ id: 'b', kind: 'branch', config: { when } }, ['true', 'false']));
  for (const when of [{ event: { type: 'same' } }, { email: { event: 'sent' } }]) {
    expect(await (await asks(when)).simulate({ contactId: id })).toContain('to_false');
  }
});
