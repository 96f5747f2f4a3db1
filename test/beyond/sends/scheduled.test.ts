import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { takeDue } from '../../../db/queries/sends/scheduled-sends.ts';
import { row, rows } from '../../../db/rows.ts';
import { changeProject } from '../../../usecases/projects/change-project.ts';
import { CHANGED_SIGNAL, RETRY_NOW_SIGNAL } from '../../../workflows/contracts.ts';
import { eventually } from '../../support/eventually.ts';
import { mailCount, mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MS, inMs, scheduledMails, tomorrow } from '../../support/scheduled-mails.ts';
import { enableTemplates, must, newContact } from '../../support/sequences.ts';
import { tell, temporalClient } from '../../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'receipt', 'welcome');
});

const { later, scheduled, move, sendNow, settled } = scheduledMails(() => project);

/** A row of the same id keeps the opening of a mail waiting, which shares the row of the scheduled mail by then. `begun`: the blocking backend. */
function openingBlocked(id: string, until: Promise<never>): { readonly begun: Promise<number>; readonly ended: Promise<void> } {
  const { promise: begun, resolve } = Promise.withResolvers<number>();
  const ended = em.fork().transactional(async (tx) => {
    await row(
      tx,
      sql`insert into sends (id, project_id, brand_id, to_email, template, type, source_type) values (${id}, ${project.id}, '', '', '', 'marketing', 'api')`,
    );
    resolve((await row(tx, sql<{ pid: number }>`select pg_backend_pid() as pid`))!.pid);
    await until;
  });
  ended.catch(() => undefined);
  return { begun, ended };
}

test('a mail that is asked for later is 202, waits in a list of its own, and goes once under the same id when it is due', async () => {
  const to = project.address();
  const sendAt = tomorrow();
  const { status, body } = await later({ to, sendAt, subject: 'Order {{ orderNumber }}', data: { orderNumber: '7' } });
  expect([status, body]).toEqual([202, { ok: true, id: expect.any(String), status: 'scheduled', sendAt }]);
  const waiting = { id: body.id, status: 'scheduled', send_at: sendAt, to_email: to, template: 'receipt', type: 'transactional' };
  expect((await project.api.get(`/sends/${body.id}`)).body.send).toMatchObject({ ...waiting, closed_at: null, events: [] });
  const listed = async (query: string) => must(await project.api.get(`/sends?q=${encodeURIComponent(to)}${query}`), 200).sends;
  expect(await listed('&status=scheduled')).toMatchObject([waiting]);
  expect(await listed('')).toEqual([]);
  expect(await mailNow(to)).toEqual([]);
  await sendNow(body.id);
  expect(await settled(body.id)).toMatchObject({ id: body.id, status: 'sent', send_at: null, subject: 'Order 7', source_type: 'api' });
  expect(await mailCount(to)).toBe(1);
  expect(await listed('&status=scheduled')).toEqual([]);
  expect(await listed('')).toMatchObject([{ id: body.id, status: 'sent' }]);
});

test('a mail that could not be opened just now goes soon after, once', async () => {
  const to = project.address();
  const id = await scheduled({ to });
  const { promise: rollback, reject } = Promise.withResolvers<never>();
  // For longer than a worker waits for a lock.
  const blocking = openingBlocked(id, rollback);
  await blocking.begun;
  await sendNow(id);
  const isGivenBack = sql`
    select 1 from scheduled_sends where id = ${id} and available_at between now() and now() + interval '30 seconds' and available_at > due_at + interval '4 seconds'`;
  await eventually(async () => (await rows(em, isGivenBack)).length > 0);
  reject(new Error('rolled back'));
  await expect(blocking.ended).rejects.toThrow('rolled back');
  expect(await settled(id)).toMatchObject({ status: 'sent' });
  expect(await mailCount(to)).toBe(1);
});

test('content of the call goes later, too, with all that the call says of its mail', async () => {
  const to = project.address();
  const own = { template: undefined, type: 'transactional', subject: 'Hi {{ name }}', html: '<p>At {{ hour }}</p>' };
  const said = { tags: ['greeting'], metadata: { order: '7' }, replyTo: 'Help <help@acme.example>', headers: { 'X-Order': '7' } };
  const id = await scheduled({ ...own, ...said, to: `Ada <${to}>`, data: { name: 'Ada', hour: 9 } });
  expect((await project.api.get(`/sends/${id}`)).body.send).toMatchObject({
    ...{ status: 'scheduled', template: null, type: 'transactional', to_email: to, tags: said.tags, metadata: said.metadata },
    ...{ headers: said.headers, reply_to: expect.stringContaining('help@acme.example') },
  });
  const found = async (filter: string) => must(await project.api.get(`/sends?status=scheduled&${filter}`), 200).sends;
  for (const filter of ['tag=greeting', 'metadata=order:7']) expect(await found(filter)).toMatchObject([{ id }]);
  expect(await found('tag=other')).toEqual([]);
  await sendNow(id);
  expect(await settled(id)).toMatchObject({ status: 'sent', template: null, subject: 'Hi Ada', to_email: to, tags: ['greeting'] });
  const { raw } = (await mailTo(to))[0]!;
  for (const part of ['<p>At 9</p>', 'X-Order: 7', 'help@acme.example']) expect(raw).toContain(part);
  expect((await later({ ...own, to, html: '{% if %}' })).body.code).toBe('invalid_content');
});

test('no mail goes before its time, and those of a project go in the order of their times', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const times = [inMs(2_500), inMs(1_500)];
  const ids = await Promise.all(times.map((sendAt) => scheduled({ to: own.address(), sendAt }, own)));
  const sends = await Promise.all(ids.map((id) => settled(id, own)));
  for (const [index, { status, created_at }] of sends.entries()) {
    expect(status).toBe('sent');
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(Date.parse(times[index]!));
  }
});

test('of cancellations and mails that are due at the same moment each is one or the other: cancelled never goes, the others go once', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const people = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const to = own.address();
      return { to, id: await scheduled({ to, sendAt: inMs(2_000) }, own) };
    }),
  );
  const answers = await Promise.all(
    people.map(({ id }, index) =>
      eventually(async () => {
        // Some before the moment, some in it, some after.
        const gone = await rows(em, sql`select 1 from sends where project_id = ${own.id} limit ${index + 1}`);
        return gone.length >= index / 4 && (await own.api.delete(`/sends/${id}`));
      }),
    ),
  );
  await eventually(async () => (await rows(em, sql`select 1 from scheduled_sends where project_id = ${own.id}`)).length === 0);
  await eventually(async () => (await rows(em, sql`select 1 from sends where project_id = ${own.id} and status is null`)).length === 0);
  const outcomes = await Promise.all(people.map(async ({ to }, index) => [answers[index]!.status, await mailCount(to)]));
  for (const outcome of outcomes)
    expect([
      [200, 0],
      [422, 1],
    ]).toContainEqual(outcome);
});

test('whoever cancels a mail that is just being opened waits for that, and is told that it goes', async () => {
  const to = project.address();
  const id = await scheduled({ to });
  const { promise: rollback, reject } = Promise.withResolvers<never>();
  const blocking = openingBlocked(id, rollback);
  const blockedBy = (other: number) =>
    eventually(async () => {
      const [blocked] = await rows(
        em,
        sql<{ pid: number }>`select pid from pg_stat_activity where ${other}::integer = any(pg_blocking_pids(pid))`,
      );
      return blocked?.pid ?? false;
    });
  const blocker = await blocking.begun;
  await sendNow(id);
  const opening = await blockedBy(blocker);
  const cancelling = project.api.delete(`/sends/${id}`);
  await blockedBy(opening);
  reject(new Error('rolled back'));
  await expect(blocking.ended).rejects.toThrow('rolled back');
  expect((await cancelling).body.code).toBe('invalid_status');
  expect(await settled(id)).toMatchObject({ status: 'sent' });
  expect(await mailCount(to)).toBe(1);
});

test.each([
  ['more than 90 days ahead', { sendAt: inMs(90 * DAY_MS + 60_000) }, 422, 'invalid_request'],
  ['without a time zone', { sendAt: '2026-12-01T09:00:00' }, 422, 'invalid_request'],
  ['no time at all', { sendAt: 'tomorrow' }, 422, 'invalid_request'],
  ['a template that nobody knows', { template: 'nope' }, 404, 'unknown_template'],
  ['a brand that nobody knows', { brand: 'nope' }, 422, 'invalid_request'],
  ['a sender of a domain that is not verified', { from: { email: 'ann@other.example' } }, 422, 'invalid_from'],
  ['a template that is not enabled', { template: 'welcome' }, 422, 'template_not_enabled'],
  ['a contact that nobody knows', { to: null, contactId: '01a203fa-2920-750f-8df6-0398873c3368' }, 404, 'not_found'],
])('a mail for later with %s is refused, and nothing waits', async (_, fields, status, code) => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const reply = await later({ to: own.address(), ...fields }, own);
  expect([reply.status, reply.body.code]).toEqual([status, code]);
  expect((await own.api.get('/sends?status=scheduled')).body.sends).toEqual([]);
});

test('what has gone is neither moved nor cancelled', async () => {
  const id = await scheduled({ to: project.address(), sendAt: inMs(-1_000) });
  await settled(id);
  for (const reply of [await move(id, tomorrow()), await project.api.delete(`/sends/${id}`)])
    expect([reply.status, reply.body.code]).toEqual([422, 'invalid_status']);
});

test('the gates are passed when it goes: suppressed or disabled since, the mail has a failed row and does not leave', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt', 'welcome');
  const [suppressed, disabled] = [own.address(), own.address()];
  const ids = [await scheduled({ to: suppressed }, own), await scheduled({ to: disabled, template: 'welcome', subject: 'Hello' }, own)];
  must(await own.api.post('/suppressions', { email: suppressed }), 201);
  must(await own.api.put('/templates/welcome', { enabled: false }), 200);
  for (const id of ids) await sendNow(id, own);
  const errors = [];
  for (const id of ids) errors.push((await settled(id, own)).error.split(':')[0]);
  expect(errors).toEqual(['suppressed', 'template_not_enabled']);
  expect((await settled(ids[1]!, own)).subject).toBe('Hello');
  expect([await mailCount(suppressed), await mailCount(disabled)]).toEqual([0, 0]);
});

test('with a contact that is erased its scheduled mails go, those to its address too', async () => {
  const email = project.address();
  const contactId = await newContact(project, email);
  const ids = [await scheduled({ to: null, contactId }), await scheduled({ to: email })];
  must(await project.api.delete(`/contacts/${contactId}`), 200);
  for (const id of ids) expect((await project.api.get(`/sends/${id}`)).status).toBe(404);
});

test('mails of a suspended project are held, and go when it is resumed', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const to = own.address();
  const id = await scheduled({ to }, own);
  await changeProject(em, own.id, { status: 'suspended' });
  await rows(em, sql`update scheduled_sends set due_at = now() - interval '1 s', available_at = now() - interval '1 s' where id = ${id}`);
  // Nor by whoever saw the project before it was suspended.
  expect(await takeDue(em.fork(), own.id, 1)).toEqual([]);
  const client = await temporalClient();
  // It may have begun before, and wait for tomorrow.
  await tell(client, `scheduled/${own.id}`, CHANGED_SIGNAL);
  const state = async () => (await client.workflow.getHandle(`scheduled/${own.id}`).describe()).searchAttributes.EverpostState?.[0];
  await eventually(async () => (await state()) === 'held');
  expect(await mailNow(to)).toEqual([]);
  await changeProject(em, own.id, { status: 'active' });
  expect(await settled(id, own)).toMatchObject({ status: 'sent' });
});

test('a mail that its provider takes later waits, holds no other up, and goes once', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const [busy, free] = [own.address(), own.address()];
  await scriptMail(busy, { rejectRecipient: { code: 451, message: 'later, please' } });
  const ids = [await scheduled({ to: busy, sendAt: inMs(0) }, own), await scheduled({ to: free, sendAt: inMs(0) }, own)];
  await settled(ids[1]!, own);
  // Put off, and not only taken.
  const isPutOff = sql`select 1 from scheduled_sends where id = ${ids[0]} and available_at between now() and now() + interval '30 seconds'`;
  await eventually(async () => (await rows(em, isPutOff)).length > 0);
  await scriptMail(busy, {});
  expect(await settled(ids[0]!, own)).toMatchObject({ status: 'sent' });
  expect((await mailTo(busy)).length).toBe(1);
});

test('a mail that is put off for minutes holds no other up, and goes when an operator says retryNow', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const [busy, free] = [own.address(), own.address()];
  await scriptMail(busy, { rejectRecipient: { code: 451, message: 'later, please' } });
  const freeId = await scheduled({ to: free, sendAt: inMs(8_000) }, own);
  // Nobody is told of what is due later than another.
  const ids = [await scheduled({ to: busy }, own), freeId];
  const handle = (await temporalClient()).workflow.getHandle(`scheduled/${own.id}`);
  const state = async () => (await handle.describe().catch(() => undefined))?.searchAttributes.EverpostState?.[0];
  await eventually(async () => (await state()) === 'waiting');
  // Long overdue, so that its pauses have grown.
  await rows(em, sql`update scheduled_sends set due_at = now() - interval '1 hour', available_at = now() where id = ${ids[0]}`);
  await handle.signal(CHANGED_SIGNAL);
  const isPutOff = sql`
    select 1 from scheduled_sends where id = ${ids[0]} and available_at > now() + interval '2 minutes'`;
  await eventually(async () => (await rows(em, isPutOff)).length > 0);
  expect(await settled(ids[1]!, own)).toMatchObject({ status: 'sent' });
  expect(await rows(em, isPutOff)).toHaveLength(1);
  await scriptMail(busy, {});
  await handle.signal(RETRY_NOW_SIGNAL);
  expect(await settled(ids[0]!, own)).toMatchObject({ status: 'sent' });
  expect(await mailCount(busy)).toBe(1);
});

test('more than a batch that is due together goes once each, and their list has pages', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const count = 230;
  const ids: string[] = [];
  while (ids.length < count) ids.push(...(await Promise.all(Array.from({ length: 23 }, () => scheduled({ to: own.address() }, own)))));
  const listed: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { sends, nextCursor } = must(await own.api.get(`/sends?status=scheduled&limit=100${cursor && `&cursor=${cursor}`}`), 200);
    listed.push(...sends.map(({ id }: { id: string }) => id));
    cursor = nextCursor;
  }
  expect(new Set(listed)).toEqual(new Set(ids));
  expect(listed.length).toBe(count);
  // The first is moved by a call, which wakes the workflow: it must not have gone by then.
  await rows(em, sql`update scheduled_sends set due_at = now(), available_at = now() where project_id = ${own.id} and id <> ${ids[0]}`);
  must(await move(ids[0]!, inMs(-60_000), own), 200);
  await eventually(
    async () => (await rows(em, sql`select 1 from sends where project_id = ${own.id} and status = 'sent'`)).length === count,
  );
  expect(await mailCount(`@to.${own.domain}`)).toBe(count);
});

test('an operator finds the workflow of a project by its id, and reads how many wait and until when', async () => {
  const own = await newProject();
  await enableTemplates(own, 'receipt');
  const sendAt = tomorrow();
  await scheduled({ to: own.address(), sendAt }, own);
  const handle = (await temporalClient()).workflow.getHandle(`scheduled/${own.id}`);
  const details = async () => (await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata')).currentDetails ?? '';
  const words = await eventually(async () => (await details().catch(() => '')) || false);
  expect(words).toMatch(/^1 scheduled, the next until \d{4}-/);
  expect((await handle.describe()).searchAttributes).toMatchObject({ EverpostProject: [own.slug], EverpostState: ['waiting'] });
});
