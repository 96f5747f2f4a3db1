import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { EXIT, TRIGGER } from '../../domain/sequences/graphs.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { actionsOn } from '../../support/enrollment-actions.ts';
import { eventually } from '../../support/eventually.ts';
import { newFlow, standsAt, type TestFlow } from '../../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { mailNow, mailTo, scriptMail } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import {
  DAY_MINUTES,
  enableTemplates,
  enrollmentBecomes,
  enrollmentEnds,
  enrollmentOf,
  must,
  newContact,
  traceOf,
} from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
  receiver = await startHttpReceiver();
});

afterAll(() => receiver?.close());

const mail = (id: string, subject: string) => ({ id, kind: 'send_email', config: { template: 'welcome', subject } });
const wait = (id: string, minutes = DAY_MINUTES) => ({ id, kind: 'wait_delay', config: { minutes } });

/** A trigger, these nodes one after the other, and an exit. */
function way(...nodes: readonly { readonly id: string }[]): object {
  const all = [TRIGGER, ...nodes, EXIT];
  return { nodes: all, edges: all.slice(1).map(({ id }, index) => ({ from: all[index]!.id, to: id })) };
}

async function enter(flow: TestFlow): Promise<{ readonly email: string; readonly id: string; readonly contactId: string }> {
  const email = project.address();
  const contactId = await newContact(project, email);
  return { email, contactId, id: await flow.enroll(email) };
}

const subjectsTo = async (email: string) => (await mailNow(email)).map(({ raw }) => /^subject: (.*)$/im.exec(raw)?.[1]);

test('whoever is moved gets the mail of the new step once and goes on in the current version, and the old step sends nothing', async () => {
  const flow = await newFlow(project, way(wait('first'), mail('old', 'Old'), wait('last')));
  const [one, two] = [await enter(flow), await enter(flow)];
  for (const { id } of [one, two]) await standsAt(em, id, 'first');
  await flow.put(way(mail('new', 'New'), wait('last')));
  const later = await enter(flow);
  await standsAt(em, later.id, 'last');
  const { act, count } = actionsOn(project, flow.key);
  const asked = { action: 'move', filter: { nodeId: 'first' }, to: 'new' };
  expect(await count(asked)).toBe(2);
  expect(await act(asked)).toMatchObject({ status: 'completed', total: 2, done: 2, skipped: 0, version: 3, to: 'new' });
  for (const { id, email } of [one, two]) {
    await standsAt(em, id, 'last');
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'first moved', 'new sent', 'last null']);
    expect(await subjectsTo(email)).toEqual(['New']);
    expect(await enrollmentOf(em, id)).toMatchObject({ sequence_version: 3 });
  }
  const { enrollment } = must(await project.api.get(`/enrollments/${one.id}`), 200);
  expect(enrollment.steps[1]).toMatchObject({ outcome: 'moved', detail: 'moved to new of version 3' });
  // They count with those of the version that they go through now, however long before it they began.
  await row(
    em,
    sql`update enrollments set started_at = started_at - interval '2 days' where sequence_version = 3 and moved_step > 0 and sequence_id = ${flow.id}`,
  );
  const { enrollments } = must(await project.api.get(`/sequences/${flow.key}/enrollments?version=3`), 200);
  expect(enrollments.map((run: { id: string }) => run.id)).toEqual([later.id, two.id, one.id]);
  // Who stands there already stays.
  expect(await act({ ...asked, filter: {}, to: 'last' })).toMatchObject({ total: 0, done: 0, skipped: 0 });
});

test('a mail that is in flight when its run is moved goes once, stands as sent in the trace, and is followed by that of the new step', async () => {
  const flow = await newFlow(project, way(mail('old', 'Old'), wait('last')));
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { hold: true });
  const id = await flow.enroll(email);
  await eventually(() => row(em, sql`select 1 from sends where enrollment_id = ${id} and status is null`));
  await flow.put(way(mail('old', 'New'), wait('last')));
  expect(await actionsOn(project, flow.key).act({ action: 'move', filter: {}, to: 'old' })).toMatchObject({ done: 1 });
  await scriptMail(email, {});
  await standsAt(em, id, 'last');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'old sent', 'old sent', 'last null']);
  expect(await subjectsTo(email)).toEqual(['Old', 'New']);
  const sends = await rows(
    em,
    sql<{ status: string; visit: number }>`select status, visit from sends where enrollment_id = ${id} order by visit`,
  );
  expect(sends).toEqual([
    { status: 'sent', visit: 1 },
    { status: 'sent', visit: 2 },
  ]);
});

test('a run held before a mail is moved without it, and a step that is tried again is left', async () => {
  const flow = await newFlow(project, way(mail('old', 'Old'), wait('last')));
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { rejectRecipient: { code: 451 } });
  const id = await flow.enroll(email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:provider_unavailable');
  const { act } = actionsOn(project, flow.key);
  expect(await act({ action: 'move', filter: { held: 'provider_unavailable' }, to: 'last' })).toMatchObject({ done: 1 });
  await scriptMail(email, {});
  await standsAt(em, id, 'last');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'old moved', 'last null']);
  expect(await subjectsTo(email)).toEqual([]);
});

test('a call in flight when its run is moved is made once and stands in the trace', async () => {
  const path = `/${project.slug}-move`;
  const held = Promise.withResolvers<void>();
  receiver.holdUp(path, held.promise);
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}` } };
  const flow = await newFlow(project, way(hook, wait('last')));
  const { id } = await enter(flow);
  await eventually(async () => receiver.calls(path).length === 1);
  await actionsOn(project, flow.key).act({ action: 'move', filter: {}, to: 'last' });
  await standsAt(em, id, 'last');
  held.resolve();
  await eventually(async () => {
    expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook called', 'last null']);
    return true;
  });
  expect(receiver.calls(path)).toHaveLength(1);
});

test('runs that match are cancelled with their workflows, by the key that asked; others and those of another project are not touched', async () => {
  const flow = await newFlow(project, way(wait('first'), wait('last')));
  const runs = [await enter(flow), await enter(flow), await enter(flow)];
  for (const { id } of runs) await standsAt(em, id, 'first');
  const { act, path, ask } = actionsOn(project, flow.key);
  const chosen = runs.slice(0, 2).map(({ contactId }) => contactId);
  const { id } = await act({ action: 'cancel', filter: { contactIds: chosen, status: null } });
  expect(must(await project.api.get(`${path}/${id}`), 200).action).toMatchObject({ status: 'completed', total: 2, done: 2 });
  const statuses = await Promise.all(runs.map(async (run) => (await enrollmentOf(em, run.id)).status));
  expect(statuses).toEqual(['cancelled', 'cancelled', 'active']);
  expect(must(await project.api.get(`/enrollments/${runs[0]!.id}`), 200).enrollment.cancelled_by_key_id).toEqual(expect.any(String));
  const other = await newProject();
  const theirs = actionsOn(other, flow.key);
  expect((await theirs.ask({ action: 'cancel', filter: {} })).status).toBe(404);
  for (const url of [path, `${path}/${id}`]) expect((await other.api.get(url)).status).toBe(404);
  expect((await theirs.cancel(id)).status).toBe(404);
  const refused = { status: 422, body: { code: 'invalid_request' } };
  expect(await ask({ action: 'cancel' })).toMatchObject(refused);
  expect(await ask({ action: 'cancel', filter: { name: 'x' } })).toMatchObject(refused);
  expect(await ask({ action: 'cancel', filter: {}, to: 'last' })).toMatchObject(refused);
  expect(await ask({ action: 'move', filter: {} })).toMatchObject(refused);
  for (const to of ['nowhere', 'trigger'])
    expect(await ask({ action: 'move', filter: {}, to })).toMatchObject({ ...refused, body: { issues: [{ path: 'to' }] } });
});

test('an action that was cancelled touches nobody more, and the list has the newest first, page by page', async () => {
  const flow = await newFlow(project, way(wait('first'), wait('last')));
  const total = 12;
  const runs = (await Promise.all(Array.from({ length: total }, () => enter(flow)))).map(({ id }) => id);
  for (const id of runs) await standsAt(em, id, 'first');
  const { begin, ended, cancel, path, act } = actionsOn(project, flow.key);
  const [first, second] = runs.toSorted();
  // It stops before the second run.
  const begun = await em.fork().transactional(async (tx) => {
    await row(tx, sql`select 1 from enrollments where id = ${second} for update`);
    const asked = await begin({ action: 'move', filter: {}, to: 'last' });
    await eventually(async () => (await enrollmentOf(em.fork(), first!)).current_node_id === 'last');
    await untilBlocked(tx);
    const cancelling = cancel(asked.id);
    await untilBlocked(tx, 2);
    return { asked, cancelling };
  });
  const moved = async (): Promise<string[]> => {
    const found = await Promise.all(runs.map((id) => enrollmentOf(em.fork(), id)));
    return found.flatMap(({ id, current_node_id }) => (current_node_id === 'last' ? [id] : [])).toSorted();
  };
  expect((await begun.cancelling).status).toBe(200);
  // The run whose turn it is comes before the cancellation, whole; the turn after it may, too, since a freed row goes to whoever asks first.
  const byThen = await moved();
  expect(byThen.length).toBeGreaterThanOrEqual(2);
  expect(byThen.length).toBeLessThan(total);
  expect(await ended(begun.asked.id)).toMatchObject({ status: 'cancelled', total, done: byThen.length });
  expect((await cancel(begun.asked.id)).status).toBe(404);
  expect(await moved()).toEqual(byThen);
  // Nobody went there by the edge.
  const { edges } = must(await project.api.get(`/sequences/${flow.key}/flow`), 200);
  expect(edges.find(({ from }: { from: string }) => from === 'first')).toMatchObject({ to: 'last', passed: 0 });
  const ids = [begun.asked.id];
  for (let n = 0; n < 2; n++) ids.unshift((await act({ action: 'resume', filter: {} })).id);
  const page = must(await project.api.get(`${path}?limit=2`), 200);
  const next = must(await project.api.get(`${path}?limit=2&cursor=${encodeURIComponent(page.nextCursor)}`), 200);
  expect([...page.actions, ...next.actions].map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(next.nextCursor).toBeNull();
});

test('a run that leaves before its turn is skipped, and one that enters later is not touched', async () => {
  const flow = await newFlow(project, way(wait('first'), wait('last')));
  const [gone, stays] = [await enter(flow), await enter(flow)];
  for (const { id } of [gone, stays]) await standsAt(em, id, 'first');
  const { begin, ended } = actionsOn(project, flow.key);
  const begun = await em.fork().transactional(async (tx) => {
    // Its turn comes when this is over: it stands at the other node then.
    await row(tx, sql`update enrollments set current_node_id = 'last' where id = ${gone.id}`);
    const asked = await begin({ action: 'cancel', filter: { nodeId: 'first' } });
    const later = await enter(flow);
    await standsAt(em.fork(), later.id, 'first');
    return { asked, later };
  });
  expect(await ended(begun.asked.id)).toMatchObject({ status: 'completed', total: 2, done: 1, skipped: 1 });
  const statusOf = async (id: string) => (await enrollmentOf(em, id)).status;
  expect([await statusOf(gone.id), await statusOf(stays.id), await statusOf(begun.later.id)]).toEqual(['active', 'cancelled', 'active']);
});

test('a run that ended since a step failed goes on at that step, with its id, once; one that is held looks again', async () => {
  const path = `/${project.slug}-retry`;
  receiver.answer(path, ...Array.from({ length: 5 }, () => 500));
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}`, onError: 'fail' } };
  const flow = await newFlow(project, way(hook, wait('last')));
  const { id } = await enter(flow);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'failed' });
  const { act, count } = actionsOn(project, flow.key);
  expect(await count({ action: 'cancel', filter: {} })).toBe(0);
  expect(await act({ action: 'retry', filter: { nodeId: 'hook' } })).toMatchObject({ total: 1, done: 1, skipped: 0 });
  await standsAt(em, id, 'last');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook failed', 'hook called', 'last null']);
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active', end_reason: null, ended_at: null });
  expect(receiver.calls(path)).toHaveLength(6);

  const mails = await newFlow(project, way(mail('only', 'Only')));
  const email = project.address();
  await newContact(project, email);
  await scriptMail(email, { rejectRecipient: { code: 451 } });
  const held = await mails.enroll(email);
  await enrollmentBecomes(em, held, ({ waiting_for }) => waiting_for === 'held:provider_unavailable');
  await scriptMail(email, {});
  expect(await actionsOn(project, mails.key).act({ action: 'resume', filter: {} })).toMatchObject({ total: 1, done: 1 });
  await mailTo(email);
  await enrollmentEnds(em, held);
});

test('a run that failed goes on at another step of the current version, where its step has been mended', async () => {
  const path = `/${project.slug}-mended`;
  receiver.answer(path, ...Array.from({ length: 5 }, () => 500));
  const hook = (url: string) => ({ id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${url}`, onError: 'fail' } });
  const flow = await newFlow(project, way(hook(path), wait('last')));
  const { id } = await enter(flow);
  await enrollmentEnds(em, id);
  await flow.put(way(hook('/mended'), wait('last')));
  const { act, ask, count } = actionsOn(project, flow.key);
  expect((await ask({ action: 'cancel', filter: {}, to: 'hook' })).status).toBe(422);
  expect((await ask({ action: 'retry', filter: {}, to: 'none' })).status).toBe(422);
  expect(await count({ action: 'retry', filter: { version: 2 }, to: 'hook' })).toBe(1);
  expect(await act({ action: 'retry', filter: {}, to: 'hook' })).toMatchObject({ total: 1, done: 1, to: 'hook' });
  await standsAt(em, id, 'last');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'hook failed', 'hook called', 'last null']);
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active', sequence_version: 3 });
  expect(await count({ action: 'move', filter: { version: '3' }, to: 'last' })).toBe(0);
});

test('who is erased is no longer named by the actions that were asked for', async () => {
  const flow = await newFlow(project, way(wait('first')));
  const [gone, stays] = [await enter(flow), await enter(flow)];
  const contactIds = [gone.contactId, stays.contactId];
  const { id } = await actionsOn(project, flow.key).act({ action: 'resume', filter: { contactIds } });
  must(await project.api.delete(`/contacts/${gone.contactId}`), 200);
  await eventually(async () => {
    const { action } = must(await project.api.get(`/sequences/${flow.key}/enrollments/actions/${id}`), 200);
    expect(action.filter).toEqual({ contactIds: [stays.contactId] });
    return true;
  });
});

test('who is in the sequence by another run already is not begun again', async () => {
  const path = `/${project.slug}-twice`;
  receiver.answer(path, ...Array.from({ length: 5 }, () => 500));
  const hook = { id: 'hook', kind: 'webhook', config: { url: `${receiver.url}${path}`, onError: 'fail' } };
  const flow = await newFlow(project, way(hook, wait('last')));
  const { id, email } = await enter(flow);
  await enrollmentEnds(em, id);
  await standsAt(em, await flow.enroll(email), 'last');
  expect(await actionsOn(project, flow.key).act({ action: 'retry', filter: {} })).toMatchObject({ total: 1, done: 0, skipped: 1 });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'cancelled', end_reason: 'failed' });
});
