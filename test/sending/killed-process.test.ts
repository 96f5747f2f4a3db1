import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { SendRow } from '../../db/entities/index.ts';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { KEY_VALID_MS, OUTCOME_UNKNOWN_AFTER_MS, SETTLED_AFTER_MS } from '../../domain/sends/submission-times.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import { settleIntents } from '../../sending/left-intents.ts';
import { reportBounce } from '../../usecases/inbound/report-bounce.ts';
import { changeTables } from '../support/change-tables.ts';
import { eventually } from '../support/eventually.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { RATE_LIMITED, UNAVAILABLE } from '../support/resend-server.ts';
import { keyed, mailRequest } from '../support/sending.ts';
import { enableTemplates, must, newContact } from '../support/sequences.ts';
import { keyKeepingProvider, WHILE } from './key-keeping-provider.ts';
import { rowOf } from './send-row.ts';

const { server, newJournal, journals, killed, opening, sendingProcess, neverSubmitting, awayFor, keysOf } = keyKeepingProvider();

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
});

/** Of unknown outcome, and not yet given up by the sweepers of other tests' workers, which cannot read these journals either. */
const AGE_OF_UNKNOWN_MS = (OUTCOME_UNKNOWN_AFTER_MS + SETTLED_AFTER_MS) / 2;

async function timeToSettlePasses(to: string): Promise<void> {
  const age = sql`make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000})`;
  await row(
    em,
    sql`update sends set created_at = created_at - (opened_at - (now() - ${age})), opened_at = now() - ${age} where to_email = ${to}`,
  );
}

test('a call of a process that was killed has its row a while later, and whoever repeats it learns what became of it', async () => {
  const to = project.address();
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(project, to));
  await eventually(() => server().taken(to).length === 1);
  await row(em, sql`update sends set created_at = created_at - ${WHILE}, opened_at = opened_at - ${WHILE} where to_email = ${to}`);
  const second = await sendingProcess();
  await settleIntents(em, { journals: journals(), deduplicates: true, reportBounce });
  expect(await rowOf(em, to)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^outcome_unknown/) });
  expect(await second.sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'sent' });
  expect(await rowOf(em, to)).toMatchObject({ status: 'sent' });
  expect(server().taken(to)).toHaveLength(1);
});

test('a call whose process was killed is not gone on with for somebody who was erased since, whoever repeats it', async () => {
  const to = project.address();
  must(await project.api.post('/contacts', { email: to }), 200);
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(project, to));
  await eventually(() => server().taken(to).length === 1);
  await timeToSettlePasses(to);
  const { id, contact_id } = (await rowOf(em, to)) as SendRow;
  must(await project.api.delete(`/contacts/${contact_id}`), 200);
  const before = server().requests.length;
  const { sending } = await sendingProcess();
  const other = await keyed(project, to, { identity: { by: 'key', key: to, requestHash: Buffer.from('other') } });
  for (const request of [await keyed(project, to), other])
    expect(await sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server().requests.length).toBe(before);
  expect(await row(em, sql`select status, to_email from sends where id = ${id}`)).toEqual({ status: 'failed', to_email: '' });
});

test('a mail that was taken before its process was killed goes under the same key until that is answered for good, whatever comes between', async () => {
  const to = project.address();
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(project, to));
  await eventually(() => server().taken(to).length === 1);
  const { id } = (await rowOf(em, to)) as SendRow;
  const { sending } = await sendingProcess();
  for (const refused of [RATE_LIMITED, UNAVAILABLE]) {
    await timeToSettlePasses(to);
    const comesBack = awayFor(to, refused);
    expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'in_progress' });
    expect(await rowOf(em, to)).toMatchObject({ id, status: null });
    comesBack();
  }
  await timeToSettlePasses(to);
  await eventually(async () => {
    const result = await sending.sendCall(await keyed(project, to));
    if ('state' in result && result.state === 'in_progress') await timeToSettlePasses(to);
    return 'state' in result && result.state === 'sent';
  });
  expect(await rowOf(em, to)).toMatchObject({ id, status: 'sent' });
  expect(server().taken(to)).toHaveLength(1);
  expect(keysOf(to)).toEqual(new Set([`${project.id}:${to}`]));
});

test('a key that the provider may have forgotten is not used again: its mail is outcome_unknown', async () => {
  const to = project.address();
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(await keyed(project, to));
  await eventually(() => server().taken(to).length === 1);
  await row(em, sql`update sends set created_at = now() - make_interval(secs => ${KEY_VALID_MS / 1000}) where to_email = ${to}`);
  await row(em, sql`update sends set opened_at = now() - make_interval(secs => ${AGE_OF_UNKNOWN_MS / 1000}) where to_email = ${to}`);
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server().requests.filter((request) => request.to === to)).toHaveLength(1);
});

test('a mail that its process never submitted before it was killed goes through the gates again, and to nobody who was suppressed since', async () => {
  const [to, suppressed] = [project.address(), project.address()];
  const dying = await neverSubmitting();
  for (const each of [to, suppressed]) void dying.sending.sendCall(await keyed(project, each));
  for (const each of [to, suppressed]) await eventually(() => rowOf(em, each));
  must(await project.api.post('/suppressions', { email: suppressed }), 201);
  for (const each of [to, suppressed]) await timeToSettlePasses(each);
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'sent' });
  expect(await sending.sendCall(await keyed(project, suppressed))).toMatchObject({ state: 'failed', reason: 'suppressed' });
  expect([to, suppressed].map((each) => server().taken(each).length)).toEqual([1, 0]);
  expect(await rowOf(em, suppressed)).toMatchObject({ status: 'failed', error: 'suppressed' });
});

test('a mail that may have gone to somebody who unsubscribed since is not submitted again, and its outcome stays unknown', async () => {
  const to = project.address();
  const contactId = await newContact(project, to);
  const request = await keyed(project, to, {
    ...(await mailRequest(project, to, { template: 'welcome' })),
    identity: { by: 'key', key: to, requestHash: Buffer.from('s') },
  });
  const dying = await sendingProcess(killed);
  void dying.sending.sendCall(request);
  await eventually(() => server().taken(to).length === 1);
  must(await project.api.post(`/contacts/${contactId}/unsubscribe`), 200);
  await timeToSettlePasses(to);
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(request)).toMatchObject({ state: 'failed', reason: 'outcome_unknown' });
  expect(server().requests.filter(({ to: each }) => each === to)).toHaveLength(1);
});

test('what was answered before its process was killed is recorded as it was answered', async () => {
  const to = project.address();
  const real = createMailProvider(new URL(server().providerUrl), { maxConnections: 4 });
  const journal = await newJournal();
  // Killed behind the line that tells of the answer, before the row was written.
  await changeTables(
    em,
    `
    create function never_close() returns trigger language plpgsql as $$ begin raise exception 'away' using errcode = '57P01'; end $$;
    create trigger never_close before update on sends for each row when (new.to_email = '${to}' and new.status is not null) execute function never_close();`,
  );
  const dying = await opening({ provider: real, journal });
  void dying.sending.sendCall(await keyed(project, to));
  await eventually(async () => (await journals().read(journal.id))?.((await rowOf(em, to))?.id ?? '').state === 'answered');
  await timeToSettlePasses(to);
  await changeTables(em, 'drop trigger never_close on sends; drop function never_close;');
  const { sending } = await sendingProcess();
  const [mail] = server().taken(to);
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'sent', providerId: mail?.id });
  expect(server().requests.filter((request) => request.to === to)).toHaveLength(1);
});

test('a call that nobody repeats and whose mail was never submitted has its row, and its key is free again', async () => {
  const to = project.address();
  const dying = await neverSubmitting();
  void dying.sending.sendCall(await keyed(project, to));
  await eventually(() => rowOf(em, to));
  // In one transaction: the sweepers of other tests' workers cannot read the journal.
  const settleAt = (ageMs: number): Promise<void> =>
    em.transactional(async (tx) => {
      const age = sql`make_interval(secs => ${ageMs / 1000})`;
      await row(tx, sql`update sends set created_at = now() - ${age}, opened_at = now() - ${age} where to_email = ${to}`);
      await settleIntents(tx, { journals: journals(), deduplicates: true, reportBounce });
    });
  // Whoever may ask for it again has its time.
  await settleAt(SETTLED_AFTER_MS - 1_000);
  expect(await rowOf(em, to)).toMatchObject({ status: null, idempotency_key: to });
  await settleAt(SETTLED_AFTER_MS + 1_000);
  expect(await rowOf(em, to)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^provider_unavailable: not submitted/),
    idempotency_key: null,
  });
  const { sending } = await sendingProcess();
  expect(await sending.sendCall(await keyed(project, to))).toMatchObject({ state: 'sent', replayed: false });
  expect(server().taken(to)).toHaveLength(1);
});
