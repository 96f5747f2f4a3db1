import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EntityManager, openDatabase } from '../../db/orm.ts';
import { leaseMessages } from '../../db/queries/operations/outbox-leases.ts';
import { row, rows } from '../../db/rows.ts';
import { createLogger } from '../../platform/logger.ts';
import { startOutboxDispatcher } from '../../platform/outbox-dispatcher.ts';
import { type DispatchedMessage, dispatchMessage } from '../../platform/temporal/driver.ts';
import { TRIGGER } from '../domain/sequences/graphs.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds, must, newContact, newSequence, WAITS } from '../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { temporalClient } from '../support/temporal.ts';

let door: TcpProxy;
let everpost: Everpost;
let em: EntityManager;
let project: TestProject;
let client: Client;

const ONE_MAIL = [{ template: 'receipt' }];

beforeAll(async () => {
  door = await tcpProxy(testEnvironment().temporalAddress);
  everpost = await startEverpost({ temporalAddress: door.address });
  em = await database(everpost.databaseUrl);
  client = await temporalClient(everpost.namespace);
  project = await newProject({ everpost });
  await enableTemplates(project, 'receipt');
});

afterAll(async () => {
  await everpost?.stop();
  await door?.close();
});

/** Posts the event for so many new contacts at once; answers with their addresses. */
async function happens(trigger: string, contacts: number): Promise<string[]> {
  const emails = Array.from({ length: contacts }, (_, n) => project.address(`contact${n}`));
  const answers = await Promise.all(emails.map((email) => project.api.post('/events', { type: trigger, email })));
  for (const answer of answers) expect(must(answer, 200)).toMatchObject({ enrolled: 1, duplicate: false });
  return emails;
}

async function enrollmentsOf(sequenceId: string): Promise<string[]> {
  return (await rows(em, sql<{ id: string }>`select id from enrollments where sequence_id = ${sequenceId}`)).map(({ id }) => id);
}

async function outboxSize(): Promise<number> {
  return (await row(em, sql<{ size: number }>`select count(*) as size from outbox`))!.size;
}

/** Waits until every enrollment of the sequence has ended and nothing is left in the outbox; then each contact has one mail. */
async function allEndWithOneMail(sequenceId: string, emails: readonly string[]): Promise<void> {
  const ids = await enrollmentsOf(sequenceId);
  expect(ids).toHaveLength(emails.length);
  // After an outage whoever talks with Temporal comes back after pauses of its own.
  const patience = { timeoutMs: 40_000 };
  for (const id of ids) expect(await enrollmentEnds(em, id, patience)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  for (const email of emails) expect(await mailNow(email)).toHaveLength(1);
  await eventually(async () => (await outboxSize()) === 0);
}

async function ready(): Promise<{ status: number; body: unknown }> {
  const { status, body } = await project.api.get('/ready');
  return { status, body };
}

test('while Temporal is away events are accepted and /ready says so; the enrollments start when it is back', async () => {
  const sequence = await newSequence(project, { steps: ONE_MAIL });
  await door.down();
  await eventually(async () => (await ready()).status === 503);
  expect(await ready()).toMatchObject({
    status: 503,
    body: { ok: false, code: 'not_ready', checks: { database: 'ok', temporal: 'down' } },
  });
  const emails = await happens(sequence.trigger, 10);
  for (const email of emails) expect(await mailNow(email)).toEqual([]);
  expect(await outboxSize()).toBe(10);
  await door.up();
  await allEndWithOneMail(sequence.id, emails);
  await eventually(async () => (await ready()).status === 200);
});

test('what a crash leaves between commit and dispatch is started by whoever runs next', async () => {
  const sequence = await newSequence(project, { steps: ONE_MAIL });
  await door.down();
  const emails = await happens(sequence.trigger, 10);
  await everpost.kill();
  expect(await outboxSize()).toBe(10);
  await door.up();
  await everpost.start();
  await allEndWithOneMail(sequence.id, emails);
});

test('an outbox row that nobody was woken for is dispatched too', async () => {
  const sequence = await newSequence(project, { steps: ONE_MAIL });
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = uuidv7();
  const message = { kind: 'start', workflowType: 'enrollment' };
  await em.transactional(async (tx) => {
    await row(
      tx,
      sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id)
          values (${id}, ${project.id}, ${sequence.id}, 1, ${contactId})`,
    );
    await row(
      tx,
      sql`insert into outbox (workflow_id, message, priority) values (${`enrollment/${id}`}, ${JSON.stringify(message)}::jsonb, 1)`,
    );
  });
  await allEndWithOneMail(sequence.id, [email]);
});

test('what concerns many contacts is bulk in the outbox, what concerns one is not', async () => {
  const sequence = await newSequence(project, { status: 'paused', steps: WAITS });
  const emails = Array.from({ length: 21 }, (_, n) => project.address(`many${n}`));
  const contacts = (firstName: string) => emails.map((email) => ({ email, firstName }));
  must(await project.api.post('/contacts', contacts('Before')), 200);
  await row(
    em,
    sql`insert into enrollments (id, project_id, sequence_id, sequence_version, contact_id, watches_contact, waiting_for)
        select uuid_v7(), project_id, ${sequence.id}, 1, id, true, 'held:paused' from contacts where email = any(${emails})`,
  );
  /** How many messages of each priority a call brings into the outbox. */
  const broughtBy = async (call: () => Promise<{ status: number; body: unknown }>): Promise<object[]> => {
    await row(em, sql`delete from outbox`);
    must(await call(), 200);
    return rows(
      em,
      sql<object>`select message ->> 'kind' as kind, priority, count(*) as count, project_id from outbox group by 1, 2, 4 order by 1, 2`,
    );
  };
  const put = (status: string) => project.api.put(`/sequences/${sequence.key}`, { status, nodes: [TRIGGER], edges: [] });
  const many = { priority: 5, count: 21, project_id: project.id };
  await door.down();
  try {
    expect(await broughtBy(() => project.api.post('/contacts', contacts('After')))).toEqual([{ kind: 'signal', ...many }]);
    expect(await broughtBy(() => project.api.post('/contacts', { email: emails[0], firstName: 'Once more' }))).toEqual([
      { kind: 'signal', priority: 1, count: 1, project_id: project.id },
    ]);
    expect(await broughtBy(() => put('active'))).toEqual([{ kind: 'signal', ...many }]);
    expect(await broughtBy(() => put('archived'))).toEqual([{ kind: 'cancel', ...many }]);
    const open = await newSequence(project, { steps: WAITS });
    const enroll = (path: string, body: object) => broughtBy(() => project.api.post(`/sequences/${open.key}/${path}`, body));
    expect(await enroll('enroll/bulk', { emails: emails.slice(0, 1) })).toMatchObject([{ kind: 'start', priority: 5 }]);
    expect(await enroll('enroll', { email: emails[1] })).toMatchObject([{ kind: 'start', priority: 1 }]);
  } finally {
    await row(em, sql`delete from outbox`);
    await door.up();
  }
});

test('any number of dispatchers start each enrollment once, and none waits for what another is just leasing', async () => {
  const handed: string[] = [];
  const startDispatcher = async (): Promise<() => Promise<void>> => {
    const orm = await openDatabase({ url: everpost.databaseUrl, poolSize: 3, applicationName: 'one-more-dispatcher' });
    // One whose answer does not come in time is dispatched again, rightly.
    const deliver = async (workflowId: string, message: DispatchedMessage) => {
      const delivered = await dispatchMessage(client, workflowId, message);
      handed.push(workflowId);
      return delivered;
    };
    const dispatcher = startOutboxDispatcher({ orm, log: createLogger('silent', {}), deliver });
    return async () => {
      await dispatcher.stop();
      await orm.close();
    };
  };
  const sequence = await newSequence(project, { steps: WAITS });
  const emails = Array.from({ length: 150 }, (_, n) => project.address(`bulk${n}`));
  const contacts = emails.map((email) => ({ email }));
  must(await project.api.post('/contacts', contacts), 200);
  await door.down();
  must(await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails }), 200);
  await everpost.kill();
  await row(em, sql`update outbox set due_at = now()`);
  const wanted = (await enrollmentsOf(sequence.id)).map((id) => `enrollment/${id}`);

  const leased = Promise.withResolvers<string[]>();
  const crash = Promise.withResolvers<never>();
  const leasing = em.fork().transactional(async (tx) => {
    leased.resolve((await leaseMessages(tx, { single: 10, bulk: 10 }, 10)).map(({ workflowId }) => workflowId));
    await crash.promise;
  });
  const leasedNow = await leased.promise;
  const dispatchers = await Promise.all(Array.from({ length: 3 }, startDispatcher));
  await eventually(() => handed.length === wanted.length - leasedNow.length);
  crash.reject(new Error('it dies with what it was leasing'));
  await expect(leasing).rejects.toThrow('it dies');
  await eventually(async () => (await outboxSize()) === 0);
  for (const stop of dispatchers) await stop();
  expect(handed.toSorted()).toEqual(wanted.toSorted());
  expect(handed.slice(-leasedNow.length).toSorted()).toEqual(leasedNow.toSorted());

  const query = `EverpostSequence = '${sequence.key}'`;
  await eventually(async () => (await client.workflow.count(query)).count === wanted.length, { timeoutMs: 30_000 });
  await door.up();
  await everpost.start();
});
