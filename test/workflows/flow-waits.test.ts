import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { advanceEnrollment } from '../../usecases/sequences/advance-enrollment.ts';
import { chain, fork, is } from '../domain/sequences/graphs.ts';
import { enrollmentIn, eventTrigger, happens, newEventType, newFlow, standsAt } from '../support/flow.ts';
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
});

const ENDS = ['event', 'timeout'];
const eventWait = (type: string, config: object = {}) => ({
  id: 'w',
  kind: 'wait_until',
  config: { event: { type, ...config }, timeoutMinutes: DAY_MINUTES },
});

/** A new contact who waits for an event of a new type. */
async function waitsForEvent(settings: object = {}): Promise<{ id: string; email: string; contactId: string; type: string }> {
  const type = newEventType();
  const flow = await newFlow(project, fork(eventWait(type), ENDS, settings));
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  return { id, email, contactId, type };
}

async function outcomeOf(id: string): Promise<string[]> {
  await enrollmentEnds(em, id);
  return (await traceOf(em, id)).slice(1);
}

/** The report of a wait whose instant has come, as the workflow makes it. */
async function timesOut(tx: EntityManager, id: string): Promise<void> {
  const report = { step: 2, outcome: 'timeout' };
  await advanceEnrollment(tx, { enrollmentId: id, report, now: new Date(), newId: () => '', firstRetrySeconds: 1 });
}

test('an enrollment that waits for an event shows so, and the event moves it on and is counted', async () => {
  const { id, email, type } = await waitsForEvent();
  expect(await enrollmentOf(em, id)).toMatchObject({ waiting_for: `event:${type}`, current_node_id: 'w', wakes_at: expect.any(Date) });
  expect(await happens(project, { type: newEventType(), email })).toMatchObject({ reArmed: 0 });
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 1, enrolled: 0, exited: 0 });
  expect(await outcomeOf(id)).toEqual(['w event', 'to_event ended']);
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 0 });
});

test('an event of another contact or another project moves nobody on', async () => {
  const { id, email, type } = await waitsForEvent();
  const other = await newProject();
  expect(await happens(project, { type, email: project.address() })).toMatchObject({ reArmed: 0 });
  expect(await happens(other, { type, email })).toMatchObject({ reArmed: 0 });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w null']);
});

test('an event before the wait was reached does not count for it, not even the one that enrolls', async () => {
  const type = newEventType();
  const hold = { id: 'first', kind: 'wait_until', config: { condition: is('x'), timeoutMinutes: DAY_MINUTES } };
  const { nodes, edges } = fork(eventWait(type), ENDS);
  const flow = await newFlow(project, {
    triggers: eventTrigger(type),
    nodes: [...nodes, hold],
    edges: [{ from: 'trigger', to: 'first' }, { from: 'first', to: 'w' }, ...edges.slice(1)],
  });
  const email = project.address();
  expect(await happens(project, { type, email })).toMatchObject({ enrolled: 1, reArmed: 0 });
  const id = await enrollmentIn(em, flow.id, email);
  await standsAt(em, id, 'first');
  expect(await happens(project, { type, email })).toMatchObject({ enrolled: 0, reArmed: 0 });
  await newContact(project, email, { attributes: { is: 'x' } });
  await standsAt(em, id, 'w');
  expect(await happens(project, { type, email })).toMatchObject({ enrolled: 0, reArmed: 1 });
  expect(await outcomeOf(id)).toEqual(['first met', 'w event', 'to_event ended']);
});

test('an event whose payload does not match leaves the wait as it is, and the payload of one that does is what later nodes see', async () => {
  const type = newEventType();
  const match = { field: 'event.total', op: 'gte', value: 10 };
  const sees = { id: 'b', kind: 'branch', config: { when: { field: 'event.total', op: 'eq', value: 12 } } };
  const { nodes, edges } = fork(sees, ['true', 'false']);
  const flow = await newFlow(project, {
    nodes: [...nodes, eventWait(type, { match })],
    edges: [{ from: 'trigger', to: 'w' }, { from: 'w', to: 'b', branchKey: 'event' }, ...edges.slice(1)],
  });
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  expect(await happens(project, { type, email, data: { total: 9 } })).toMatchObject({ reArmed: 0 });
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 0 });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w null']);
  expect(await happens(project, { type, email, data: { total: 12 } })).toMatchObject({ reArmed: 1 });
  expect(await outcomeOf(id)).toEqual(['w event', 'b true', 'to_true ended']);
});

test('an event wait whose time is over takes the timeout', async () => {
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type: newEventType() }, timeoutMinutes: 0.005 } };
  const flow = await newFlow(project, fork(wait, ENDS));
  const email = project.address();
  await newContact(project, email);
  expect(await outcomeOf(await flow.enroll(email))).toEqual(['w timeout', 'to_timeout ended']);
});

test('the event first: the timeout that comes after it changes nothing', async () => {
  const { id, email, type } = await waitsForEvent();
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 1 });
  await timesOut(em, id);
  expect(await outcomeOf(id)).toEqual(['w event', 'to_event ended']);
});

test('a report that comes late, about an earlier visit, moves the present one by nothing', async () => {
  const [first, second] = [newEventType(), newEventType()];
  const flow = await newFlow(project, chain(eventWait(first), { ...eventWait(second), id: 'w2' }));
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  await happens(project, { type: first, email });
  await standsAt(em, id, 'w2');
  await timesOut(em.fork(), id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w event', 'w2 null']);
  expect(await enrollmentOf(em, id)).toMatchObject({ current_node_id: 'w2', status: 'active' });
});

test('the timeout first: the event that comes after it claims nothing', async () => {
  const { id, email, type } = await waitsForEvent();
  await timesOut(em, id);
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 0 });
  expect((await traceOf(em, id)).slice(1, 2)).toEqual(['w timeout']);
  // The timer of the workflow is still running; whatever wakes it finds where the enrollment stands.
  await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).signal('changed');
  expect(await outcomeOf(id)).toEqual(['w timeout', 'to_timeout ended']);
});

test('event and timeout at the same instant: one of them wins, and the count says which', async () => {
  const runs = await Promise.all(Array.from({ length: 10 }, () => waitsForEvent()));
  await Promise.all(
    runs.map(async ({ id, email, type }, n) => {
      const races = [() => timesOut(em.fork(), id).then(() => undefined), () => happens(project, { type, email })];
      const [first, second] = await Promise.all((n % 2 === 0 ? races : races.toReversed()).map((race) => race()));
      const reArmed = (first ?? second)?.reArmed;
      await (await temporalClient()).workflow
        .getHandle(`enrollment/${id}`)
        .signal('changed')
        .catch(() => {});
      const won = reArmed === 1 ? 'event' : 'timeout';
      expect(await outcomeOf(id)).toEqual([`w ${won}`, `to_${won} ended`]);
    }),
  );
});

test('of many events at once exactly one claims a wait', async () => {
  const { id, email, type } = await waitsForEvent();
  const answers = await Promise.all(Array.from({ length: 8 }, () => happens(project, { type, email })));
  expect(answers.map(({ reArmed }) => reArmed).toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  expect(await outcomeOf(id)).toEqual(['w event', 'to_event ended']);
});

test('one event claims the waits of all enrollments of its contact', async () => {
  const type = newEventType();
  const email = project.address();
  await newContact(project, email);
  const flow = await newFlow(project, { ...fork(eventWait(type), ENDS), reentry: 'always' });
  const ids = [await flow.enroll(email), await flow.enroll(email), await flow.enroll(email)];
  for (const id of ids) await standsAt(em, id, 'w');
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 3 });
  for (const id of ids) expect(await outcomeOf(id)).toEqual(['w event', 'to_event ended']);
});

test('the cancellation first: the event that comes after it claims nothing; the event first: the cancellation still ends the run', async () => {
  const [first, second] = [await waitsForEvent(), await waitsForEvent()];
  must(await project.api.delete(`/enrollments/${first.id}`), 200);
  expect(await happens(project, { type: first.type, email: first.email })).toMatchObject({ reArmed: 0 });
  expect(await enrollmentEnds(em, first.id)).toMatchObject({ status: 'cancelled', end_reason: 'cancelled' });
  const [event, cancelled] = await Promise.all([
    happens(project, { type: second.type, email: second.email }),
    project.api.delete(`/enrollments/${second.id}`),
  ]);
  const ended = await enrollmentEnds(em, second.id);
  // Whoever was first: the two answers and the row agree.
  expect(cancelled.status).toBe(ended.end_reason === 'cancelled' ? 200 : 404);
  expect((await traceOf(em, second.id))[1]).toBe(event.reArmed === 1 ? 'w event' : 'w ended');
});

test('an exit and an event in one call: the exit comes first, so nothing is re-armed', async () => {
  const type = newEventType();
  const email = project.address();
  await newContact(project, email);
  const flow = await newFlow(project, { ...fork(eventWait(type), ENDS), triggers: eventTrigger(type) });
  const old = await flow.enroll(email);
  await standsAt(em, old, 'w');
  const body = { type, email, exitSequences: [flow.key, 'no-such-key'] };
  expect(await happens(project, body)).toMatchObject({ exited: 1, reArmed: 0, enrolled: 1 });
  expect(await enrollmentOf(em, old)).toMatchObject({ status: 'cancelled', end_reason: 'exit_sequences' });
});

test('a changed contact wakes a wait for a condition', async () => {
  const wait = { id: 'w', kind: 'wait_until', config: { condition: is('x'), timeoutMinutes: DAY_MINUTES } };
  const flow = await newFlow(project, fork(wait, ['met', 'timeout']));
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  expect(await enrollmentOf(em, id)).toMatchObject({ waiting_for: 'condition' });
  await newContact(project, email, { attributes: { is: 'y' } });
  await newContact(project, email, { attributes: { is: 'x' } });
  await enrollmentBecomes(em, id, ({ status }) => status === 'completed');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
});

test('a mail that was just sent wakes a wait whose condition asks for it', async () => {
  await enableTemplates(project, 'receipt');
  const condition = { email: { event: 'sent', template: 'receipt' } };
  const wait = { id: 'w', kind: 'wait_until', config: { condition, timeoutMinutes: DAY_MINUTES } };
  const flow = await newFlow(project, fork(wait, ['met', 'timeout']));
  const email = project.address();
  const contactId = await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  must(await project.api.post('/send', { template: 'receipt', contactId }), 200);
  expect(await outcomeOf(id)).toEqual(['w met', 'to_met ended']);
});

test('an event that happened wakes a wait whose condition asks for it', async () => {
  const type = newEventType();
  const condition = { event: { type, atLeast: 2 } };
  const wait = { id: 'w', kind: 'wait_until', config: { condition, timeoutMinutes: DAY_MINUTES } };
  const flow = await newFlow(project, fork(wait, ['met', 'timeout']));
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  for (const reArmed of [0, 0]) expect(await happens(project, { type, email })).toMatchObject({ reArmed });
  await enrollmentBecomes(em, id, ({ status }) => status === 'completed');
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
});

test('a goal met by an event ends the enrollment wherever it stands, and is counted as a goal, not as a re-arm', async () => {
  const goal = newEventType('goal');
  const match = { field: 'event.total', op: 'gte', value: 10 };
  const { id, email, type } = await waitsForEvent({ goal: { event: { type: goal, match } } });
  expect(await happens(project, { type: goal, email, data: { total: 1 } })).toMatchObject({ reArmed: 0, goals: 0 });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active' });
  expect(await happens(project, { type: goal, email, data: { total: 10 } })).toMatchObject({ reArmed: 0, goals: 1 });
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal', waiting_for: null });
  expect(await happens(project, { type, email })).toMatchObject({ reArmed: 0 });
  expect(await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).result()).toBe('completed: goal');
});

test('a goal met by a changed contact ends the enrollment at any wait', async () => {
  const flow = await newFlow(project, {
    ...chain({ id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } }),
    goal: { condition: is('x') },
  });
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'd');
  await newContact(project, email, { attributes: { is: 'x' } });
  await enrollmentBecomes(em, id, ({ status }) => status !== 'active');
  expect(await enrollmentOf(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
});

test('whoever meets the goal on entering visits the trigger alone', async () => {
  const flow = await newFlow(project, { ...chain({ id: 'd', kind: 'wait_delay', config: { minutes: 1 } }), goal: { condition: is('x') } });
  const email = project.address();
  await newContact(project, email, { attributes: { is: 'x' } });
  const id = await flow.enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled']);
});
