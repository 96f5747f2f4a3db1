import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { row } from '../../db/rows.ts';
import { chain, fork, MAIL } from '../domain/sequences/graphs.ts';
import { testEnvironment } from '../support/environment.ts';
import { enrollmentsOf, eventTrigger, happens, newEventType, newFlow, standsAt, type TestFlow } from '../support/flow.ts';
import { postInbound, standardHeaders } from '../support/inbound.ts';
import { mailNow, mailTo } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentBecomes,
  enrollmentEnds,
  enrollmentOf,
  must,
  newContact,
  traceOf,
} from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
});

const DAY = { id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };
const RECEIPT = { id: 'receipt', kind: 'send_email', config: { template: 'receipt' } };
const CAP = { frequencyCap: { count: 1, windowHours: 24 } };

async function contact(fields: object = {}): Promise<{ email: string; contactId: string }> {
  const email = project.address();
  return { email, contactId: await newContact(project, email, fields) };
}

async function looksAgain(id: string): Promise<void> {
  await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).signal('changed');
}

/** A contact who is held at the second marketing mail by the cap. */
async function capped(): Promise<{ id: string; email: string; contactId: string }> {
  const flow = await newFlow(project, { ...chain(MAIL, RECEIPT, { ...MAIL, id: 'mail2' }), ...CAP });
  const { email, contactId } = await contact();
  const id = await flow.enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:frequency_cap');
  return { id, email, contactId };
}

test('at the cap a marketing mail waits until the window has a place, and transactional mail does not count', async () => {
  const { id, email, contactId } = await capped();
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'mail sent', 'receipt sent', 'mail2 null']);
  const first = (await row(
    em,
    sql<{ at: Date }>`select created_at as at from sends where contact_id = ${contactId} and type = 'marketing'`,
  ))!;
  const { wakes_at } = await enrollmentOf(em, id);
  expect(wakes_at?.getTime()).toBe(first.at.getTime() + 24 * 3_600_000);
  expect(await mailNow(email)).toHaveLength(2);
  await row(em, sql`update sends set created_at = created_at - interval '24 hours' where contact_id = ${contactId}`);
  await looksAgain(id);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await mailNow(email)).toHaveLength(3);
});

test('a mail that found no place for 72 hours since it first met the cap is skipped, however long ago its node was reached', async () => {
  const { id, email } = await capped();
  await row(em, sql`update enrollment_steps set at = at - interval '80 hours' where enrollment_id = ${id} and node_id = 'mail2'`);
  const before = (await enrollmentOf(em, id)).held_at as Date;
  await looksAgain(id);
  await enrollmentBecomes(em, id, ({ waiting_for, held_at }) => waiting_for === 'held:frequency_cap' && held_at! > before);
  await row(
    em,
    sql`update enrollment_steps set capped_at = capped_at - interval '72 hours' where enrollment_id = ${id} and node_id = 'mail2'`,
  );
  await looksAgain(id);
  await enrollmentEnds(em, id);
  expect((await traceOf(em, id)).slice(3)).toEqual(['mail2 skipped', 'exit ended']);
  const { steps } = (await project.api.get(`/enrollments/${id}`)).body.enrollment;
  expect(steps[3]).toMatchObject({ outcome: 'skipped', detail: 'frequency_cap' });
  expect(await mailNow(email)).toHaveLength(2);
});

test('the cap counts marketing mail of the whole project to the contact, however it was sent', async () => {
  const { email, contactId } = await contact();
  must(await project.api.post('/send', { template: 'welcome', contactId }), 200);
  const id = await (await newFlow(project, { ...chain(MAIL), ...CAP })).enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:frequency_cap');
  const other = await (await newFlow(project, chain(MAIL))).enroll(email);
  expect(await enrollmentEnds(em, other)).toMatchObject({ end_reason: 'exit' });
  expect(await mailNow(email)).toHaveLength(2);
});

test('two capped sequences at once share one place', async () => {
  const { email } = await contact();
  const flows = [await newFlow(project, { ...chain(MAIL), ...CAP }), await newFlow(project, { ...chain(MAIL), ...CAP })];
  const ids = await Promise.all(flows.map((flow) => flow.enroll(email)));
  const states = await Promise.all(
    ids.map((id) => enrollmentBecomes(em, id, ({ waiting_for, status }) => waiting_for === 'held:frequency_cap' || status === 'completed')),
  );
  expect(states.map(({ status }) => status).toSorted()).toEqual(['active', 'completed']);
  expect(await mailNow(email)).toHaveLength(1);
});

/** What another enrollment is answered: 'enrolled' or why not. */
async function again(flow: TestFlow, email: string): Promise<string> {
  const { status, body } = await project.api.post(`/sequences/${flow.key}/enroll`, { email });
  if (status === 200) return 'enrolled';
  expect({ status, code: body.code }).toEqual({ status: 422, code: 'enroll_failed' });
  return body.reason;
}

test.each([
  ['once_active', 'already_enrolled', 'enrolled'],
  ['once_ever', 'already_enrolled', 'already_completed'],
  ['always', 'enrolled', 'enrolled'],
])('reentry %s: beside an active run %s, after it %s', async (reentry, beside, after) => {
  const flow = await newFlow(project, { ...chain(DAY), reentry });
  const { email } = await contact();
  await flow.enroll(email);
  expect(await again(flow, email)).toBe(beside);
  for (const id of await enrollmentsOf(em, flow.id, email)) must(await project.api.delete(`/enrollments/${id}`), 200);
  expect(await again(flow, email)).toBe(after);
});

test('a cooldown counts from the last start, also where a contact may always enter', async () => {
  const flow = await newFlow(project, { ...chain(DAY), reentry: 'always', cooldownHours: 1.5 });
  const { email } = await contact();
  const first = await flow.enroll(email);
  expect(await again(flow, email)).toBe('cooldown');
  await row(em, sql`update enrollments set started_at = started_at - interval '89 minutes' where id = ${first}`);
  expect(await again(flow, email)).toBe('cooldown');
  await row(em, sql`update enrollments set started_at = started_at - interval '1 minute' where id = ${first}`);
  expect(await again(flow, email)).toBe('enrolled');
  expect(await again(flow, email)).toBe('cooldown');
});

test('of several reasons against an enrollment the first in the order of the rules is told', async () => {
  const flow = await newFlow(project, { ...chain(DAY), reentry: 'once_ever', cooldownHours: 1 });
  const { email, contactId } = await contact();
  const id = await flow.enroll(email);
  expect(await again(flow, email)).toBe('already_enrolled');
  must(await project.api.delete(`/enrollments/${id}`), 200);
  expect(await again(flow, email)).toBe('already_completed');
  must(await project.api.post(`/contacts/${contactId}/unsubscribe`), 200);
  expect(await again(flow, email)).toBe('contact_unsubscribed');
  await flow.put({ ...chain(DAY), status: 'paused' });
  expect(await again(flow, email)).toBe('sequence_not_active');
});

test('an event enrolls as far as the reentry policy allows, and its counts say so', async () => {
  const type = newEventType();
  const triggers = eventTrigger(type);
  await newFlow(project, { ...chain(DAY), triggers });
  await newFlow(project, { ...chain(DAY), triggers, reentry: 'always' });
  await newFlow(project, { ...chain(DAY), triggers, status: 'paused' });
  await newFlow(project, { ...chain(DAY), triggers: [{ ...triggers[0], enabled: false }] });
  const email = project.address();
  expect(await happens(project, { type, email })).toMatchObject({ enrolled: 2 });
  expect(await happens(project, { type, email })).toMatchObject({ enrolled: 1 });
});

test.each(['paused', 'draft'])(
  'while a sequence is %s waits go on, mails are held, nobody enters; active again, what is due goes out',
  async (status) => {
    const graph = chain({ id: 'w', kind: 'wait_delay', config: { minutes: 0.002 } }, MAIL);
    const { nodes, edges } = chain(
      { id: 'first', kind: 'wait_until', config: { event: { type: 'go' }, timeoutMinutes: DAY_MINUTES } },
      ...graph.nodes.slice(1, -1),
    );
    const flow = await newFlow(project, { nodes, edges });
    const { email } = await contact();
    const id = await flow.enroll(email);
    await standsAt(em, id, 'first');
    await flow.put({ nodes, edges, status });
    expect(await again(flow, (await contact()).email)).toBe('sequence_not_active');
    expect(await happens(project, { type: 'go', email })).toMatchObject({ reArmed: 1 });
    await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:paused');
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'first event', 'w waited', 'mail null']);
    expect(await mailNow(email)).toEqual([]);
    await flow.put({ nodes, edges, status: 'active' });
    await enrollmentEnds(em, id);
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'first event', 'w waited', 'mail sent', 'exit ended']);
    expect(await mailNow(email)).toHaveLength(1);
  },
);

test('what a mail comes to wakes a wait that asks for it', async () => {
  const asks = (event: string) => ({
    id: event,
    kind: 'wait_until',
    config: { condition: { email: { template: 'welcome', event } }, timeoutMinutes: DAY_MINUTES },
  });
  const flow = await newFlow(project, chain(MAIL, asks('sent'), asks('delivered'), asks('opened')));
  const { email, contactId } = await contact();
  const id = await flow.enroll(email);
  await standsAt(em, id, 'delivered');
  const [send] = (await project.api.get(`/sends?contactId=${contactId}`)).body.sends;
  const report = JSON.stringify({ type: 'delivered', providerId: send.provider_id, timestamp: new Date().toISOString() });
  expect((await postInbound(project, 'generic', report, standardHeaders(report, { secret: project.inboundSecret }))).status).toBe(200);
  await standsAt(em, id, 'opened');
  const [{ raw } = { raw: '' }] = await mailTo(email);
  const pixel = /\/t\/o\/[\w.~%-]+/.exec(raw.replaceAll(/=\r?\n/g, ''))![0];
  expect(
    (await fetch(testEnvironment().apiUrl + pixel, { headers: { 'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15' } })).status,
  ).toBe(200);
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'mail sent', 'sent met', 'delivered met', 'opened met', 'exit ended']);
});

test('an enrollment is read with every node that it visited, where it stands and why it ended', async () => {
  const branch = { id: 'b', kind: 'branch', config: { when: { field: 'contact.status', op: 'eq', value: 'subscribed' } } };
  const { nodes, edges } = fork(branch, ['true']);
  const flow = await newFlow(project, {
    nodes: [...nodes, MAIL, DAY],
    edges: [
      ...edges.filter(({ from }) => from === 'trigger'),
      { from: 'b', to: 'mail', branchKey: 'true' },
      { from: 'mail', to: 'd' },
      { from: 'd', to: 'to_true' },
    ],
  });
  const { email, contactId } = await contact();
  const id = await flow.enroll(email);
  await standsAt(em, id, 'd');
  const read = async () => must(await project.api.get(`/enrollments/${id}`), 200).enrollment;
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const steps = [
    { number: 1, node_id: 'trigger', kind: 'trigger', at, outcome: 'enrolled', detail: expect.any(String) },
    { number: 2, node_id: 'b', kind: 'branch', at, outcome: 'true', detail: expect.any(String) },
    { number: 3, node_id: 'mail', kind: 'send_email', at, outcome: 'sent', detail: expect.any(String) },
    { number: 4, node_id: 'd', kind: 'wait_delay', at, outcome: null, detail: null },
  ];
  const standing = { status: 'active', current_node_id: 'd', waiting_for: 'delay', wakes_at: at, ended_at: null, end_reason: null };
  const run = { sequence_key: flow.key, sequence_version: 2, contact_id: contactId, workflow_id: `enrollment/${id}` };
  const same = { id, ...run, started_at: at, failed_steps: 0, sandboxed: false, steps_pruned: false, cancelled_by_key_id: null };
  expect(await read()).toEqual({ ...same, ...standing, steps });
  must(await project.api.delete(`/enrollments/${id}`), 200);
  const { key } = must(await project.api.get('/me'), 200);
  const ended = {
    ...{ status: 'cancelled', waiting_for: null, wakes_at: null, ended_at: at, end_reason: 'cancelled' },
    cancelled_by_key_id: key.id,
  };
  // What was waited for does not come any more.
  const past = steps.map((step) => (step.node_id === 'd' ? { ...step, outcome: 'ended', detail: 'cancelled' } : step));
  expect(await read()).toEqual({ ...same, current_node_id: 'd', ...ended, steps: past });
  expect((await (await newProject()).api.get(`/enrollments/${id}`)).status).toBe(404);
});

test("a sequence's enrollments are listed in pages, the last started first, by status and contact, and counted", async () => {
  const flow = await newFlow(project, { ...chain(DAY), reentry: 'always' });
  const people = [await contact(), await contact()];
  const ids: string[] = [];
  for (const n of [0, 1, 0, 1, 0]) ids.push(await flow.enroll(people[n]!.email));
  for (const id of ids.slice(0, 2)) must(await project.api.delete(`/enrollments/${id}`), 200);
  const page = async (query: string): Promise<{ found: string[]; nextCursor: string | null }> => {
    const { enrollments, nextCursor } = must(await project.api.get(`/sequences/${flow.key}/enrollments?${query}`), 200);
    return { found: enrollments.map(({ id }: { id: string }) => id), nextCursor };
  };
  const all: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { found, nextCursor } = await page(`limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    expect(found.length).toBeLessThanOrEqual(2);
    all.push(...found);
    cursor = nextCursor;
  }
  expect(all).toEqual(ids.toReversed());
  expect((await page('status=cancelled')).found).toEqual(ids.slice(0, 2).toReversed());
  expect((await page(`contactId=${people[1]!.contactId}`)).found).toEqual([ids[3], ids[1]]);
  expect((await page(`contactId=${people[1]!.contactId}&status=active`)).found).toEqual([ids[3]]);
  const { nextCursor } = await page('limit=2');
  const misused = `/sequences/${flow.key}/enrollments?status=active&cursor=${encodeURIComponent(nextCursor!)}`;
  expect(await project.api.get(misused)).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
  expect((await project.api.get(`/sequences/${flow.key}/enrollments?status=running`)).status).toBe(422);
  const listed = (await project.api.get('/sequences')).body.sequences.find(({ key }: { key: string }) => key === flow.key);
  expect(listed.enrollments).toEqual({ active: 3, completed: 0, cancelled: 2 });
});
