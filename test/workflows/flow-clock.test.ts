import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { chain, fork, is } from '../domain/sequences/graphs.ts';
import { eventually } from '../support/eventually.ts';
import { enrollmentIn, eventTrigger, happens, newEventType, newFlow, standsAt } from '../support/flow.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, traceOf } from '../support/sequences.ts';
import { type History, historyOf, temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter', 'receipt');
});

/** Six seconds: what has just happened is within them when a run gets to its first wait. */
const SHORT_HOURS = 6 / 3600;
const quiet = (type: string, atLeast = 1) => ({ not: { event: { type, atLeast, withinHours: SHORT_HOURS } } });
const waitFor = (condition: object) => ({ id: 'w', kind: 'wait_until', config: { condition, timeoutMinutes: 10 * DAY_MINUTES } });
const DELAY = { id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };

/** An event enrolls, and nothing happens after it. */
async function enrolledBy(type: string, graph: object): Promise<{ readonly id: string; readonly email: string }> {
  const flow = await newFlow(project, { ...graph, triggers: eventTrigger(type) });
  const email = project.address();
  await newContact(project, email);
  await happens(project, { type, email });
  return { id: await enrollmentIn(em, flow.id, email), email };
}

const timers = ({ events }: History): number => events.filter(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED').length;

test('a condition that comes to hold by the clock alone ends its wait', async () => {
  const type = newEventType('login');
  const { id } = await enrolledBy(type, fork(waitFor(quiet(type)), ['met', 'timeout']));
  await standsAt(em, id, 'w');
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
});

test('of several events that are counted, the one that is missing first decides when a wait ends', async () => {
  const [type, other] = [newEventType('login'), newEventType()];
  const flow = await newFlow(project, { ...fork(waitFor(quiet(type, 2)), ['met', 'timeout']), triggers: eventTrigger(other) });
  const email = project.address();
  await newContact(project, email);
  await happens(project, { type, email });
  await happens(project, { type, email });
  await happens(project, { type: other, email });
  const id = await enrollmentIn(em, flow.id, email);
  await standsAt(em, id, 'w');
  await enrollmentEnds(em, id);
  const [first, second] = await rows(
    em,
    sql<{
      at: Date;
    }>`select e.created_at as at from events e join enrollments r on r.contact_id = e.contact_id where r.id = ${id} and e.type = ${type} order by 1`,
  );
  const [, , left] = await rows(em, sql<{ at: Date }>`select at from enrollment_steps where enrollment_id = ${id} order by step`);
  expect(left!.at.getTime() - first!.at.getTime()).toBeGreaterThan(SHORT_HOURS * 3_600_000);
  expect(second!.at.getTime()).toBeGreaterThanOrEqual(first!.at.getTime());
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
});

test('a mail that was sent so long ago ends a wait for that, also where a segment asks for it', async () => {
  const label = `quiet ${newEventType()}`;
  const where = { not: { email: { event: 'sent', template: 'receipt', withinHours: SHORT_HOURS } } };
  must(await project.api.post('/segments', { label, filter: { where } }), 201);
  const flow = await newFlow(project, fork(waitFor({ segment: label }), ['met', 'timeout']));
  const email = project.address();
  const contactId = await newContact(project, email);
  must(await project.api.post('/send', { template: 'receipt', contactId }), 200);
  const id = await flow.enroll(email);
  await standsAt(em, id, 'w');
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
});

test.each([
  ['a delay', () => DELAY],
  [
    'a wait for an event',
    () => ({ id: 'd', kind: 'wait_until', config: { event: { type: newEventType() }, timeoutMinutes: DAY_MINUTES } }),
  ],
  ['a wait for another run', (inner: string) => ({ id: 'd', kind: 'subflow', config: { sequenceKey: inner, mode: 'wait' } })],
])('a goal that is reached by the clock alone ends a run at %s', async (_, node) => {
  const type = newEventType('login');
  const inner = await newFlow(project, chain(DELAY));
  const { id } = await enrolledBy(type, { ...chain(node(inner.key)), goal: { condition: quiet(type) } });
  await standsAt(em, id, 'd');
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
});

test('a goal that is reached by the clock alone ends a run whose mail is held', async () => {
  const type = newEventType('login');
  const mail = { id: 'mail', kind: 'send_email', config: { template: 'newsletter' } };
  const settings = { frequencyCap: { count: 1, windowHours: 1 }, goal: { condition: quiet(type) }, triggers: eventTrigger(type) };
  const flow = await newFlow(project, { ...chain(mail), ...settings });
  const email = project.address();
  const contactId = await newContact(project, email);
  must(await project.api.post('/send', { template: 'newsletter', contactId }), 200);
  await happens(project, { type, email });
  const id = await enrollmentIn(em, flow.id, email);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:frequency_cap');
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
});

test('a condition that the clock has turned without making it hold is not looked at again until something happens', async () => {
  const type = newEventType('login');
  const { id, email } = await enrolledBy(type, fork(waitFor({ all: [quiet(type), is('x')] }), ['met', 'timeout']));
  await standsAt(em, id, 'w');
  const client = await temporalClient();
  await eventually(async () => timers(await historyOf(client, id)) === 2);
  const [, last] = (await historyOf(client, id)).events.filter(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  const { startToFireTimeout } = last!.timerStartedEventAttributes as { startToFireTimeout: string };
  // The rest of the ten days.
  expect(Number.parseFloat(startToFireTimeout)).toBeGreaterThan(9 * DAY_MINUTES * 60);
  await newContact(project, email, { attributes: { is: 'x' } });
  await enrollmentBecomes(em, id, ({ status }) => status === 'completed');
  expect(timers(await historyOf(client, id))).toBe(2);
});
