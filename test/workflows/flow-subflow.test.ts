import { type RawBuilder, sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { advanceEnrollment } from '../../usecases/sequences/advance-enrollment.ts';
import { chain, TRIGGER } from '../domain/sequences/graphs.ts';
import { untilBlocked } from '../support/blocked.ts';
import { eventually } from '../support/eventually.ts';
import { enrollmentIn, enrollmentsOf, eventTrigger, happens, newEventType, newFlow, standsAt } from '../support/flow.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enrollmentEnds, enrollmentOf, must, newContact, traceOf } from '../support/sequences.ts';
import { historyOf, temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const DAY = { id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };
const enters = (sequenceKey: string, mode?: string) => ({ id: 'sub', kind: 'subflow', config: { sequenceKey, ...(mode ? { mode } : {}) } });

async function contact(): Promise<string> {
  const email = project.address();
  await newContact(project, email);
  return email;
}

test('a subflow that is not waited for enrolls and the run goes on at once', async () => {
  const inner = await newFlow(project, chain(DAY));
  const outer = await newFlow(project, chain(enters(inner.key)));
  const email = await contact();
  const id = await outer.enroll(email);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'sub enrolled', 'exit ended']);
  await standsAt(em, await enrollmentIn(em, inner.id, email), 'd');
});

test.each([
  ['one call enrolled', false, 3],
  ['a bulk call enrolled', true, 5],
])('the run that %s has its priority, and so has its subflow', async (_how, isBulk, priorityKey) => {
  const inner = await newFlow(project, chain(DAY));
  const outer = await newFlow(project, chain(enters(inner.key), DAY));
  const email = await contact();
  must(await project.api.post(`/sequences/${outer.key}/enroll${isBulk ? '/bulk' : ''}`, isBulk ? { emails: [email] } : { email }), 200);
  const client = await temporalClient();
  for (const { id: sequenceId, key } of [outer, inner]) {
    const id = await enrollmentIn(em, sequenceId, email);
    expect(await enrollmentOf(em, id)).toMatchObject({ is_bulk: isBulk });
    const { raw, searchAttributes, staticSummary } = await eventually(() => client.workflow.getHandle(`enrollment/${id}`).describe());
    expect(raw.workflowExecutionInfo?.priority).toMatchObject({ priorityKey, fairnessKey: project.slug });
    expect(searchAttributes).toMatchObject({
      EverpostProject: [project.slug],
      EverpostSequence: [key],
      EverpostNode: [expect.any(String)],
    });
    expect(await staticSummary()).toMatch(new RegExp(`\\(${key}\\) for contact `));
  }
});

test('the event that enrolled a run is what its subflow sees', async () => {
  const type = newEventType();
  const when = { field: 'event.plan', op: 'eq', value: 'pro' };
  const inner = await newFlow(project, chain({ id: 'g', kind: 'goal', config: { condition: when } }));
  const outer = await newFlow(project, { ...chain(enters(inner.key)), triggers: eventTrigger(type) });
  const email = await contact();
  await happens(project, { type, email, data: { plan: 'pro' } });
  await enrollmentEnds(em, await enrollmentIn(em, outer.id, email));
  expect(await enrollmentEnds(em, await enrollmentIn(em, inner.id, email))).toMatchObject({ end_reason: 'goal' });
});

test('a run that waits for its subflow goes on when that ends, however it ends', async () => {
  const type = newEventType();
  const wait = { id: 'w', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } };
  // By itself, by a cancellation, and by the deletion of its sequence.
  const ends: ((inner: { key: string; id: string }, email: string) => Promise<unknown>)[] = [
    (_, email) => happens(project, { type, email }),
    async (inner, email) => must(await project.api.delete(`/enrollments/${await enrollmentIn(em, inner.id, email)}`), 200),
    async (inner) => must(await project.api.delete(`/sequences/${inner.key}`), 200),
  ];
  await Promise.all(
    ends.map(async (end) => {
      const inner = await newFlow(project, chain(wait));
      const outer = await newFlow(project, chain(enters(inner.key, 'wait')));
      const email = await contact();
      const id = await outer.enroll(email);
      await standsAt(em, id, 'sub');
      expect(await enrollmentOf(em, id)).toMatchObject({ status: 'active', waiting_for: 'subflow', wakes_at: null });
      await standsAt(em, await enrollmentIn(em, inner.id, email), 'w');
      await end(inner, email);
      expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
      expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'sub waited', 'exit ended']);
    }),
  );
});

test('a run that enters a sequence while that is deleted goes on: its subflow has ended with the sequence', async () => {
  const type = newEventType();
  const inner = await newFlow(project, chain(DAY));
  const first = { id: 'first', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } };
  const outer = await newFlow(project, chain(first, enters(inner.key, 'wait')));
  const id = await outer.enroll(await contact());
  await standsAt(em, id, 'first');
  const { deletion } = await em.fork().transactional(async (tx) => {
    // The step as the workflow makes it; what it has written is not there yet when the sequence is deleted.
    const report = { step: 2, outcome: 'timeout' };
    await advanceEnrollment(tx, { enrollmentId: id, report, now: new Date(), newId: uuidv7, firstRetrySeconds: 1 });
    const deleting = project.api.delete(`/sequences/${inner.key}`);
    await untilBlocked(tx);
    return { deletion: deleting };
  });
  expect((await deletion).status).toBe(200);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'exit' });
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'first timeout', 'sub waited', 'exit ended']);
});

test('a wait for a subflow, which has no instant, looks again by itself now and then', async () => {
  const inner = await newFlow(project, chain(DAY));
  const outer = await newFlow(project, chain(enters(inner.key, 'wait')));
  const id = await outer.enroll(await contact());
  await standsAt(em, id, 'sub');
  const client = await temporalClient();
  const timer = await eventually(async () => {
    const { events } = await historyOf(client, id);
    return events.findLast(({ eventType }) => eventType === 'EVENT_TYPE_TIMER_STARTED');
  });
  expect(timer).toMatchObject({ timerStartedEventAttributes: { startToFireTimeout: '21600s' } });
});

test('a sequence that is unknown, not active, or refuses the contact is told in the trace and passed over', async () => {
  const paused = await newFlow(project, { ...chain(DAY), status: 'paused' });
  const taken = await newFlow(project, chain(DAY));
  const details = [
    ['no-such-sequence', 'there is no sequence no-such-sequence'],
    [paused.key, 'not entered: sequence_not_active'],
    [taken.key, 'not entered: already_enrolled'],
  ] as const;
  for (const [key, detail] of details) {
    for (const mode of ['enroll', 'wait']) {
      const outer = await newFlow(project, chain(enters(key, mode)));
      const email = await contact();
      if (key === taken.key) await taken.enroll(email);
      const id = await outer.enroll(email);
      await enrollmentEnds(em, id);
      expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'sub passed', 'exit ended']);
      const { steps } = (await project.api.get(`/enrollments/${id}`)).body.enrollment;
      expect(steps[1]).toMatchObject({ node_id: 'sub', outcome: 'passed', detail });
    }
  }
});

test('a sequence of another project is unknown', async () => {
  const other = await newProject();
  const foreign = await newFlow(other, chain(DAY));
  const id = await (await newFlow(project, chain(enters(foreign.key)))).enroll(await contact());
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'sub passed', 'exit ended']);
});

const passedOver = async (id: string): Promise<string[]> => {
  const { steps } = (await project.api.get(`/enrollments/${id}`)).body.enrollment;
  return steps.flatMap(({ kind, outcome, detail }: Record<string, string>) => (kind === 'subflow' && outcome === 'passed' ? [detail] : []));
};

test.each(['enroll', 'wait'])('no subflow (%s) enters the sequence of its own run or of one above it', async (mode) => {
  const flow = () => newFlow(project, { status: 'draft', nodes: [], edges: [] });
  const [first, second] = [await flow(), await flow()];
  const open = { status: 'active', reentry: 'always' };
  const again = (key: string) => ({ id: 'again', kind: 'subflow', config: { sequenceKey: key, mode } });
  await first.put({ ...chain(enters(first.key, mode), again(second.key)), ...open });
  await second.put({ ...chain(enters(first.key, mode), again(second.key)), ...open });
  const email = await contact();
  const id = await first.enroll(email);
  await enrollmentEnds(em, id);
  const child = await enrollmentIn(em, second.id, email);
  await enrollmentEnds(em, child);
  expect(await enrollmentsOf(em, first.id, email)).toEqual([id]);
  expect(await passedOver(id)).toEqual([`not entered: ${first.key} is the sequence of this run or of one above it`]);
  expect(await passedOver(child)).toEqual(
    [first.key, second.key].map((key) => `not entered: ${key} is the sequence of this run or of one above it`),
  );
});

test('subflows are entered five deep and no deeper', async () => {
  let inner = await newFlow(project, { ...chain(), reentry: 'always' });
  for (let level = 0; level < 6; level++) inner = await newFlow(project, { ...chain(enters(inner.key)), reentry: 'always' });
  const email = await contact();
  await inner.enroll(email);
  const ofContact = sql<{ id: string; depth: number; status: string }>`
    select e.id, e.depth, e.status from enrollments e join contacts c on c.id = e.contact_id where c.email = ${email} order by e.depth`;
  const runs = await eventually(async () => {
    const found = await rows(em, ofContact);
    return found.length === 6 && found.every(({ status }) => status !== 'active') && found;
  });
  expect(runs.map(({ depth }) => depth)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await passedOver(runs[5]!.id)).toEqual(['not entered: subflows are at most 5 deep']);
});

test('one run and all its subflows enter at most fifty, however they go round', async () => {
  const leaf = await newFlow(project, { ...chain(), reentry: 'always' });
  // Each of the runs in the middle enters the last as often as it can.
  const middle = await newFlow(project, {
    nodes: [TRIGGER, enters(leaf.key)],
    edges: [
      { from: 'trigger', to: 'sub' },
      { from: 'sub', to: 'sub' },
    ],
    reentry: 'always',
  });
  const outer = await newFlow(project, chain(...['a', 'b', 'c'].map((id) => ({ ...enters(middle.key), id }))));
  const email = await contact();
  const root = await outer.enroll(email);
  const below = sql<{ id: string; sequence_id: string; status: string }>`
    select id, sequence_id, status from enrollments where root_id = ${root} order by id`;
  await eventually(async () => (await rows(em, below)).some(({ status }) => status !== 'active') && (await allEnded(below)), {
    timeoutMs: 40_000,
  });
  const runs = await rows(em, below);
  expect(runs).toHaveLength(50);
  const middles = runs.filter(({ sequence_id }) => sequence_id === middle.id);
  expect(middles).toHaveLength(3);
  for (const { id } of middles)
    expect((await passedOver(id)).at(-1)).toBe('not entered: one run enters at most 50 subflows, those of its subflows included');
});

async function allEnded(of: RawBuilder<{ status: string }>): Promise<boolean> {
  return (await rows(em, of)).every(({ status }) => status !== 'active');
}

test('a contact that the run has unsubscribed does not enter a subflow', async () => {
  const inner = await newFlow(project, chain(DAY));
  const leaves = { id: 'u', kind: 'update_contact', config: { status: 'unsubscribed' } };
  const id = await (await newFlow(project, chain(leaves, enters(inner.key)))).enroll(await contact());
  await enrollmentEnds(em, id);
  expect(await passedOver(id)).toEqual(['not entered: contact_unsubscribed']);
});
