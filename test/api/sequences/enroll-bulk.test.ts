import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { registerSearchAttributes } from '../../../platform/temporal/search-attributes.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type Everpost, startEverpost } from '../../support/everpost.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { must, newContact, newSequence, type TestSequence } from '../../support/sequences.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';
import { temporalClient } from '../../support/temporal.ts';

const MOST = 5000;
/** As many batches of the outbox as show that one follows the other to the end. */
const STARTED = 500;

let temporal: TcpProxy;
let everpost: Everpost;
let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  temporal = await tcpProxy(testEnvironment().temporalAddress);
  // Nothing has to be carried out here.
  everpost = await startEverpost({ temporalAddress: temporal.address, worker: false });
  const client = await temporalClient(everpost.namespace);
  await registerSearchAttributes(client.connection, everpost.namespace);
  em = await database(everpost.databaseUrl);
  project = await newProject({ everpost });
});

afterAll(async () => {
  await everpost?.stop();
  await temporal?.close();
});

async function newContacts(count: number): Promise<{ id: string; email: string }[]> {
  const emails = Array.from({ length: count }, (_, n) => project.address(`bulk${n}`));
  const contacts: { id: string; email: string }[] = [];
  for (let from = 0; from < count; from += 1000) {
    const some = emails.slice(from, from + 1000).map((email) => ({ email }));
    contacts.push(...must(await project.api.post('/contacts', some), 200).contacts);
  }
  return contacts;
}

async function count({ id }: TestSequence): Promise<number> {
  return (await row(em, sql<{ count: number }>`select count(*) as count from enrollments where sequence_id = ${id}`))!.count;
}

test('repeats, unknown and refused contacts count as skipped', async () => {
  const sequence = await newSequence(project);
  const [free, enrolled, gone] = await newContacts(3);
  await sequence.enroll(enrolled!.email);
  await project.api.post(`/contacts/${gone!.id}/unsubscribe`);
  const emails = [free!.email, ` ${free!.email.toUpperCase()} `, enrolled!.email, gone!.email, project.address(), 'no address', ''];
  const byEmail = await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails });
  expect(byEmail).toMatchObject({ status: 200, body: { ok: true, requested: 7, enrolled: 1, skipped: 6 } });
  expect(byEmail.body.reasons).toEqual({ already_enrolled: 1, contact_unsubscribed: 1, unknown_contact: 3, repeated: 1 });
  const more = await newContact(project, project.address());
  const contactIds = [more, more.toUpperCase(), free!.id, randomUUID()];
  const byId = await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { contactIds });
  expect(byId.body).toEqual({
    ...{ ok: true, requested: 4, enrolled: 1, skipped: 3 },
    reasons: { already_enrolled: 1, unknown_contact: 1, repeated: 1 },
  });
  const nobody = await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails: [] });
  expect(nobody.body).toEqual({ ok: true, requested: 0, enrolled: 0, skipped: 0, reasons: {} });
});

test('an address is found in whatever Unicode form it is written', async () => {
  const sequence = await newSequence(project);
  const email = `caf\u00e9@${project.domain}`;
  await newContact(project, email);
  const { body } = await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { emails: [email.normalize('NFD')] });
  expect(body).toEqual({ ok: true, requested: 1, enrolled: 1, skipped: 0, reasons: {} });
});

test('neither list, a bad id and more than 5000 are refused', async () => {
  const active = await newSequence(project);
  const call = (sequence: TestSequence, body: object) => project.api.post(`/sequences/${sequence.key}/enroll/bulk`, body);
  for (const body of [{}, { emails: 'a@b.example' }, { emails: [5] }, { contactIds: ['no-uuid'] }])
    expect(await call(active, body)).toMatchObject({ status: 422, body: { code: 'invalid_request', issues: [expect.anything()] } });
  const tooMany = { emails: Array.from({ length: MOST + 1 }, (_, n) => `p${n}@many.example`) };
  expect(await call(active, tooMany)).toMatchObject({ status: 422, body: { code: 'audience_too_large' } });
});

test('a sequence that is not active enrolls nobody: everyone counts as skipped', async () => {
  const paused = await newSequence(project, { status: 'paused' });
  const email = project.address();
  await newContact(project, email);
  const answer = await project.api.post(`/sequences/${paused.key}/enroll/bulk`, { emails: [email] });
  expect(answer).toMatchObject({ status: 200, body: { requested: 1, enrolled: 0, skipped: 1 } });
});

test('bulk calls that overlap enroll each contact once, and their counts add up', async () => {
  const sequence = await newSequence(project);
  const contacts = await newContacts(300);
  const slices = [0, 50, 100, 0, 50, 100].map((from) => contacts.slice(from, from + 200).map(({ id }) => id));
  const answers = await Promise.all(
    slices.map((contactIds, n) =>
      project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { contactIds: n % 2 ? contactIds : contactIds.toReversed() }),
    ),
  );
  const sums = answers
    .map((answer) => must(answer, 200))
    .map(({ enrolled, skipped, requested }) => ({ enrolled, whole: enrolled + skipped - requested }));
  expect(sums.reduce((sum, { enrolled }) => sum + enrolled, 0)).toBe(300);
  expect(sums.every(({ whole }) => whole === 0)).toBe(true);
  expect(await count(sequence)).toBe(300);
});

test(`a bulk call of ${MOST} answers, and the start of every one of its workflows is kept until it can be made`, async () => {
  const sequence = await newSequence(project);
  const contactIds = (await newContacts(MOST)).map(({ id }) => id);
  await temporal.down();
  const { status, body } = await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { contactIds });
  expect({ status, body }).toEqual({ status: 200, body: { ok: true, requested: MOST, enrolled: MOST, skipped: 0, reasons: {} } });
  expect(await count(sequence)).toBe(MOST);
  const kept = await rows(
    em,
    sql<{ contact_id: string }>`
      select e.contact_id from outbox o join enrollments e on o.workflow_id = 'enrollment/' || e.id
      where e.sequence_id = ${sequence.id} and o.message ->> 'kind' = 'start'`,
  );
  expect(kept.map(({ contact_id }) => contact_id).toSorted()).toEqual(contactIds.toSorted());
  await row(em, sql`delete from outbox`);
  await temporal.up();
});

test(`of a bulk call of ${STARTED} every workflow starts`, async () => {
  const sequence = await newSequence(project);
  const contactIds = (await newContacts(STARTED)).map(({ id }) => id);
  must(await project.api.post(`/sequences/${sequence.key}/enroll/bulk`, { contactIds }), 200);
  const client = await temporalClient(everpost.namespace);
  const query = `EverpostSequence = '${sequence.key}'`;
  await eventually(async () => (await client.workflow.count(query)).count === STARTED, { timeoutMs: 100_000, everyMs: 250 });
  await eventually(async () => (await row(em, sql`select 1 from outbox`)) === undefined);
});
