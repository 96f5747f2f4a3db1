import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { type EntityManager, openDatabase } from '../../db/orm.ts';
import { row, rows } from '../../db/rows.ts';
import { createLogger } from '../../platform/logger.ts';
import { startOutboxDispatcher } from '../../platform/outbox-dispatcher.ts';
import { deliverMessage } from '../../platform/temporal/driver.ts';
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
  for (const id of ids) expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
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
  const message = {
    kind: 'start',
    workflowType: 'enrollment',
    input: { enrollmentId: id },
    searchAttributes: {},
    summary: '',
    fairnessKey: 'p',
  };
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

test('any number of dispatchers start each enrollment once', async () => {
  const dispatchers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const orm = await openDatabase({ url: everpost.databaseUrl, poolSize: 3, applicationName: 'one-more-dispatcher' });
      let delivered = 0;
      const dispatcher = startOutboxDispatcher({
        orm,
        log: createLogger('silent', {}),
        deliver: async (workflowId, message) => {
          delivered += 1;
          return deliverMessage(client, workflowId, message);
        },
      });
      const stop = async () => {
        await dispatcher.stop();
        await orm.close();
        return delivered;
      };
      return { wake: () => dispatcher.wake(), stop };
    }),
  );
  const sequence = await newSequence(project, { steps: WAITS });
  const emails = Array.from({ length: 300 }, (_, n) => project.address(`bulk${n}`));
  must(
    await project.api.post(
      '/contacts',
      emails.map((email) => ({ email })),
    ),
    200,
  );
  await Promise.all(
    [0, 100, 200].map(async (from) => {
      must(await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails: emails.slice(from, from + 100) }), 200);
      for (const { wake } of dispatchers) wake();
    }),
  );
  await eventually(async () => (await outboxSize()) === 0);
  const delivered = await Promise.all(dispatchers.map(({ stop }) => stop()));
  // Otherwise this test would not be about them.
  expect(Math.max(...delivered)).toBeGreaterThan(0);
  const query = `EverpostSequence = '${sequence.key}'`;
  await eventually(async () => (await client.workflow.count(query)).count === 300, { timeoutMs: 30_000 });
  const started: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) started.push(workflowId);
  const wanted = (await enrollmentsOf(sequence.id)).map((id) => `enrollment/${id}`);
  expect(started.toSorted()).toEqual(wanted.toSorted());
});
