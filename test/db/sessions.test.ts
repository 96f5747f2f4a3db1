import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EntityManager, type MikroORM, openDatabase } from '../../db/orm.ts';
import { preparedRows, row, rows } from '../../db/rows.ts';
import { upsertContacts } from '../../usecases/contacts/upsert-contacts.ts';
import { untilBlocked } from '../support/blocked.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { must, newContact, newSequence } from '../support/sequences.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
const opened: MikroORM[] = [];

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

afterAll(async () => {
  for (const orm of opened) await orm.close();
});

async function open(options: Partial<Parameters<typeof openDatabase>[0]> = {}): Promise<EntityManager> {
  const orm = await openDatabase({
    url: testEnvironment().databaseUrl,
    poolSize: 1,
    applicationName: 'everpost-test-sessions',
    ...options,
  });
  opened.push(orm);
  return orm.em.fork();
}

/** Two new contacts, in the order in which everybody locks them. */
async function twoContacts(): Promise<[string, string]> {
  const emails = [project.address('a'), project.address('b')] as [string, string];
  for (const email of emails) await newContact(project, email);
  return emails;
}

/**
 * Meets a call that locks both contacts in a deadlock: the transaction here holds the second one, and asks for the first one when the call
 * waits for the second. PostgreSQL ends whoever has waited for a second first, which is the call.
 */
async function inDeadlock<T>([first, second]: [string, string], call: () => Promise<T>): Promise<T> {
  const met = await em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from contacts where email = ${second} for update`);
    const answer = call();
    answer.catch(() => {});
    await untilBlocked(tx);
    await row(tx, sql`select 1 from contacts where email = ${first} for update`);
    return { answer };
  });
  return met.answer;
}

test('a call whose transaction is the victim of a deadlock does its work all the same', async () => {
  const emails = await twoContacts();
  const body = emails.map((email) => ({ email, firstName: 'Ada' }));
  const { contacts } = must(await inDeadlock(emails, () => project.api.post('/contacts', body)), 200);
  expect(contacts).toMatchObject([{ first_name: 'Ada' }, { first_name: 'Ada' }]);
});

test.each([
  ['a statement', rows],
  ['a prepared statement', preparedRows],
] as const)('%s alone that is the victim of a deadlock is asked again', async (_what, ask) => {
  const emails = await twoContacts();
  const own = await open();
  const found = await inDeadlock(emails, () =>
    ask(own, sql`select email from contacts where email = any(${emails}) order by email for update`),
  );
  expect(found).toEqual(emails.map((email) => ({ email })));
});

test('a taken id is refused without a second connection', async () => {
  const only = await open();
  const id = randomUUID();
  await newContact(project, project.address(), { id });
  const upsert = {
    projectId: project.id,
    defaultBrand: project.slug,
    inputs: [{ id, email: project.address() }],
    isList: false,
    origin: { source: 'api', ip: undefined, userAgent: undefined, isSandboxed: false, now: new Date() },
    newId: uuidv7,
  };
  await expect(only.transactional((tx) => upsertContacts(tx, upsert))).rejects.toMatchObject({
    code: 'invalid_request',
    details: { body: { issues: [{ path: 'id' }] } },
  });
});

test('an id that a call took which commits only later is refused too', async () => {
  const id = randomUUID();
  const late = await em.fork().transactional(async (tx) => {
    await row(
      tx,
      sql`insert into contacts (id, project_id, email, status, brand_id)
          values (${id}, ${project.id}, ${project.address()}, 'subscribed', ${project.slug})`,
    );
    const answer = project.api.post('/contacts', { email: project.address(), id });
    await untilBlocked(tx);
    return { answer };
  });
  expect(await late.answer).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [{ path: 'id' }] } });
});

test('the limits of a session hold on every connection', async () => {
  const own = await open({ poolSize: 8, limits: { statement: 7_000, lock: 3_000, idleInTransaction: 5_000 } });
  const shown = sql<object>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
           current_setting('idle_in_transaction_session_timeout') as idle`;
  const wanted = [{ statement: '7s', lock: '3s', idle: '5s' }];
  expect(await rows(own, shown)).toEqual(wanted);
  expect(await preparedRows(own, shown)).toEqual(wanted);
});

test('a worker does not wait for ever for a row that nobody lets go of', async () => {
  const sequence = await newSequence(project);
  const email = project.address();
  await newContact(project, email);
  const id = await sequence.enroll(email);
  await eventually(async () => (await row(em, sql`select 1 from enrollments where id = ${id} and waiting_for = 'delay'`)) !== undefined);
  await em.fork().transactional(async (tx) => {
    const holder = await row(tx, sql<{ pid: number }>`select pg_backend_pid() as pid from enrollments where id = ${id} for update`);
    await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).signal('changed');
    const waiting = sql<{ pid: number; xact_start: Date }>`
      select pid, xact_start from pg_stat_activity where application_name = 'everpost-worker' and ${holder!.pid} = any(pg_blocking_pids(pid))`;
    const first = await eventually(async () => (await rows(em, waiting))[0]);
    await eventually(async () => {
      const now = await rows(em, waiting);
      return !now.some(({ pid, xact_start }) => pid === first.pid && xact_start.getTime() === first.xact_start.getTime());
    });
  });
});

test('a connection that breaks while it is being set up is told to whoever asked, and ends no process', async () => {
  const url = new URL(testEnvironment().databaseUrl);
  const door = await tcpProxy(url.host, { cutAt: 'enable_seqscan' });
  url.host = door.address;
  const uncaught: Error[] = [];
  const catching = (error: Error): unknown => uncaught.push(error);
  process.on('uncaughtException', catching);
  const own = await open({ url: url.href, poolSize: 8 });
  await expect(preparedRows(own, sql<object>`select 1 as one`)).rejects.toThrow('Connection terminated');
  // It is told in the turn of the event that it broke off by.
  await door.close();
  process.off('uncaughtException', catching);
  expect(uncaught).toEqual([]);
});
