import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { rows } from '../../db/rows.ts';
import { EXIT, is, type LooseGraph, type LooseNode, TRIGGER } from '../domain/sequences/graphs.ts';
import { eventually } from '../support/eventually.ts';
import { happens, newEventType, newFlow, standsAt, type TestFlow } from '../support/flow.ts';
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, traceOf } from '../support/sequences.ts';
import { temporalClient } from '../support/temporal.ts';

let em: EntityManager;
let project: TestProject;
let receiver: HttpReceiver;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  receiver = await startHttpReceiver();
  await enableTemplates(project, 'welcome');
});

afterAll(() => receiver?.close());

const DELAYS = { node: 'd', kind: 'wait_delay', outcome: 'waited' };

/** trigger → these nodes → d → b → d …, until the attribute `is` is x. */
function loop(...before: readonly { id: string; kind: string; config?: unknown }[]): LooseGraph {
  const way = [TRIGGER, ...before];
  return {
    nodes: [
      ...way,
      { id: 'd', kind: 'wait_delay', config: { minutes: 0.0001 } },
      { id: 'b', kind: 'branch', config: { when: is('x') } },
      EXIT,
    ],
    edges: [
      ...way.map(({ id }, index) => ({ from: id, to: way[index + 1]?.id ?? 'd' })),
      { from: 'd', to: 'b' },
      { from: 'b', to: 'd', branchKey: 'false' },
      { from: 'b', to: 'exit', branchKey: 'true' },
    ],
  };
}

/**
 * A run that waits at `w` and has gone round so often within the last minute that it takes 60 steps soon, however slow the machine: the wait ends
 * with an event of this type.
 */
async function aboutToBeSlowed(more: object = {}): Promise<Awaited<ReturnType<typeof entered>>> {
  const type = newEventType();
  const run = await entered({ ...loop(waitForEvent(type)), ...more });
  await standsAt(em, run.id, 'w');
  await goneRound(run.id, 54, 'now()');
  await happens(project, { type, email: run.email });
  return run;
}

function waitForEvent(type: string): LooseNode {
  return { id: 'w', kind: 'wait_until', config: { event: { type }, timeoutMinutes: DAY_MINUTES } };
}

/** Gives a run that stands at `w` so many steps at a node before that, at this instant. */
async function goneRound(id: string, steps: number, at: string, { node, kind, outcome } = DELAYS): Promise<void> {
  await rows(
    em,
    sql`update enrollment_steps set step = step + ${steps}, visit = visit + ${steps} where enrollment_id = ${id} and node_id = 'w'`,
  );
  await rows(
    em,
    sql`insert into enrollment_steps (enrollment_id, step, node_id, visit, kind, at, outcome)
        select ${id}, n, ${node}, n - 1, ${kind}, ${sql.raw(at)}, ${outcome} from generate_series(2, ${steps + 1}::integer) n`,
  );
}

async function entered(graph: object): Promise<{ readonly id: string; readonly email: string; readonly flow: TestFlow }> {
  const flow = await newFlow(project, graph);
  const email = project.address();
  await newContact(project, email);
  return { id: await flow.enroll(email), email, flow };
}

test('a run that took more than 60 steps within a minute makes one pass a minute, and is seen to', async () => {
  const { id, email, flow } = await aboutToBeSlowed();
  const { wakes_at } = await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:too_many_steps');
  const trace = await traceOf(em, id);
  expect([61, 62]).toContain(trace.length);
  expect(trace.at(-1)).toBe('d waited');
  const { enrollment } = must(await project.api.get(`/enrollments/${id}`), 200);
  expect(enrollment).toMatchObject({ status: 'active', waiting_for: 'held:too_many_steps', wakes_at: wakes_at!.toISOString() });
  expect(wakes_at!.getTime() - new Date(enrollment.steps.at(-1).at).getTime()).toBe(60_000);
  const { items } = must(await project.api.get('/attention'), 200);
  expect(items).toContainEqual({
    ...{ kind: 'runs_held', about: 'too_many_steps', count: 1, sequences: [flow.key] },
    message: expect.stringContaining('took more than 60 steps within a minute'),
  });
  const run = (await temporalClient()).workflow.getHandle(`enrollment/${id}`);
  await eventually(async () => {
    const { currentDetails } = await run.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    return currentDetails?.includes('slowed it to one pass a minute until ');
  });
  // What happens meanwhile does not hurry it.
  await newContact(project, email, { firstName: 'Ada' });
  await run.signal('retryNow');
  // A minute later: one pass, and a minute of rest although few steps are a minute old.
  await rows(em, sql`update enrollment_steps set at = at - interval '2 minutes' where enrollment_id = ${id}`);
  await run.signal('changed');
  await eventually(async () => (await traceOf(em, id)).length > trace.length);
  await enrollmentBecomes(em, id, (is) => is.waiting_for === 'held:too_many_steps' && is.wakes_at!.getTime() !== wakes_at!.getTime());
  expect(await traceOf(em, id)).toEqual([...trace, 'b false', 'd waited']);
});

test('a run that is slowed ends by its goal, and when it is cancelled, as any other', async () => {
  const { id, email } = await aboutToBeSlowed({ goal: { condition: is('goal') } });
  const other = await aboutToBeSlowed();
  for (const run of [id, other.id]) await enrollmentBecomes(em, run, ({ waiting_for }) => waiting_for === 'held:too_many_steps');
  await newContact(project, email, { attributes: { is: 'goal' } });
  must(await project.api.delete(`/enrollments/${other.id}`), 200);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'goal', waiting_for: null });
  expect(await enrollmentEnds(em, other.id)).toMatchObject({ status: 'cancelled' });
});

test('a run is slowed in the second round of a loop, however long the loop is', async () => {
  const fillers = Array.from({ length: 70 }, (_, n) => ({ id: `f${n}`, kind: 'goal', config: { condition: is('never') } }));
  const pause = { id: 'p', kind: 'wait_delay', config: { minutes: 0.0001 } };
  const way = [TRIGGER, ...fillers, pause];
  const edges = [...way.slice(1).map(({ id }, index) => ({ from: way[index]!.id, to: id })), { from: 'p', to: 'f0' }];
  const { id } = await entered({ nodes: way, edges });
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:too_many_steps');
  expect((await traceOf(em, id)).filter((visit) => visit === 'p waited')).toHaveLength(2);
});

test.each([
  ['calls', 'webhook', 'called', () => ({ url: receiver.url })],
  ['mails', 'send_email', 'sent', () => ({ template: 'welcome' })],
])('a run in a loop without a wait, which %s, makes one pass a minute', async (_, kind, outcome, config) => {
  const type = newEventType();
  const nodes = [TRIGGER, waitForEvent(type), { id: 'n', kind, config: config() }];
  const edges = [
    ['trigger', 'w'],
    ['w', 'n'],
    ['n', 'n'],
  ].map(([from, to]) => ({ from, to }));
  const { id, email } = await entered({ nodes, edges });
  await standsAt(em, id, 'w');
  await goneRound(id, 57, 'now()', { node: 'n', kind, outcome });
  await happens(project, { type, email });
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:too_many_steps');
  const trace = await traceOf(em, id);
  expect(trace.slice(58)).toEqual(['w event', `n ${outcome}`, `n ${outcome}`]);
  // A minute later.
  await rows(em, sql`update enrollment_steps set at = at - interval '2 minutes' where enrollment_id = ${id}`);
  await (await temporalClient()).workflow.getHandle(`enrollment/${id}`).signal('changed');
  await eventually(async () => (await traceOf(em, id)).length > trace.length);
  await enrollmentBecomes(em, id, ({ waiting_for }) => waiting_for === 'held:too_many_steps');
  expect(await traceOf(em, id)).toEqual([...trace, `n ${outcome}`]);
});

test.each([
  ['that was not slowed', false],
  ['that was slowed elsewhere', true],
])('a run %s hears every event of a loop in which it waits for one each time, however many come within a minute', async (_, isSlowed) => {
  const type = newEventType();
  const nodes = [TRIGGER, waitForEvent(type)];
  const { id, email } = await entered({
    nodes,
    edges: [['trigger', 'w'] as const, ['w', 'w'] as const].map(([from, to]) => ({ from, to })),
  });
  await standsAt(em, id, 'w');
  await goneRound(id, 60, 'now()', { node: 'w', kind: 'wait_until', outcome: 'event' });
  if (isSlowed) await rows(em, sql`update enrollments set slowed_at = now() where id = ${id}`);
  for (let events = 1; events <= 3; events++) {
    expect(await happens(project, { type, email })).toMatchObject({ reArmed: 1 });
    await eventually(async () => (await traceOf(em, id)).length === 62 + events);
  }
});

test('a run in a loop is slowed when it would take more than 60 steps within a minute but for workers that are behind, and not when it waits as long itself', async () => {
  const standing = async () => {
    const type = newEventType();
    const run = await entered(loop(waitForEvent(type)));
    await standsAt(em, run.id, 'w');
    return { ...run, goOn: () => happens(project, { type, email: run.email }) };
  };
  const [late, patient] = [await standing(), await standing()];
  // Both have taken a step each ten seconds: the one by waits of a moment that ended so late, the other by waits of ten seconds.
  for (const [{ id }, until] of [
    [late, "at + interval '6 ms'"],
    [patient, "at + interval '10 seconds'"],
  ] as const) {
    await goneRound(id, 58, "now() - (60 - n) * interval '10 seconds'");
    await rows(em, sql`update enrollment_steps set at = at - interval '10 minutes' where enrollment_id = ${id} and node_id = 'trigger'`);
    await rows(em, sql`update enrollment_steps set until = ${sql.raw(until)} where enrollment_id = ${id} and node_id = 'd'`);
  }
  await newContact(project, patient.email, { attributes: { is: 'x' } });
  for (const { goOn } of [late, patient]) await goOn();
  await enrollmentBecomes(em, late.id, ({ waiting_for }) => waiting_for === 'held:too_many_steps');
  // In the first round without an event after it had taken 60 steps.
  expect((await traceOf(em, late.id)).slice(60)).toEqual(['d waited', 'b false', 'd waited']);
  expect(await enrollmentEnds(em, patient.id)).toMatchObject({ end_reason: 'exit', slowed_at: null });
});

test('a run of many steps that does not go round is not slowed', async () => {
  const fillers = Array.from({ length: 70 }, (_, n) => ({ id: `f${n}`, kind: 'goal', config: { condition: is('never') } }));
  const pauses = Array.from({ length: 5 }, (_, n) => ({ id: `p${n}`, kind: 'wait_delay', config: { minutes: 0.0001 } }));
  const way = [TRIGGER, ...fillers, ...pauses, EXIT];
  const edges = way.slice(1).map(({ id }, index) => ({ from: way[index]!.id, to: id }));
  const { id } = await entered({ nodes: way, edges });
  expect(await enrollmentEnds(em, id)).toMatchObject({ end_reason: 'exit', slowed_at: null });
});

test('a run takes at most 10,000 steps in its life', async () => {
  const type = newEventType();
  const wait = waitForEvent(type);
  const [{ id, email }, other] = [await entered(loop(wait)), await entered(loop(wait))];
  await standsAt(em, id, 'w');
  // It has been round for days.
  await goneRound(id, 9_988, "now() - interval '2 days'");
  await happens(project, { type, email });
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'hop_guard' });
  const trace = await traceOf(em, id);
  expect(trace).toHaveLength(10_000);
  expect(trace.at(-1)).toBe('b false');
  const pageAfter = async (cursor?: string) =>
    must(await project.api.get(`/enrollments/${id}?limit=200${cursor ? `&cursor=${cursor}` : ''}`), 200);
  const numbers: number[] = [];
  let cursor: string | undefined;
  do {
    const { enrollment, nextCursor } = await pageAfter(cursor);
    expect(enrollment.steps.length).toBeLessThanOrEqual(200);
    numbers.unshift(...enrollment.steps.map(({ number }: { number: number }) => number));
    cursor = nextCursor ?? undefined;
  } while (cursor);
  expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1));
  const { nextCursor } = await pageAfter();
  expect(await project.api.get(`/enrollments/${other.id}?cursor=${nextCursor}`)).toMatchObject({
    status: 422,
    body: { code: 'invalid_cursor' },
  });
});

test('a loop without a wait completes the run by the hop guard after 500 nodes', async () => {
  const graph = {
    nodes: [TRIGGER, { id: 'b', kind: 'branch', config: { when: is('x') } }],
    edges: [
      { from: 'trigger', to: 'b' },
      { from: 'b', to: 'b', branchKey: 'false' },
    ],
  };
  const { id } = await entered(graph);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'hop_guard' });
  expect(await traceOf(em, id)).toHaveLength(500);
});

test('hops are counted over mails, and a wait begins them anew', async () => {
  // Two rounds are more than 500 nodes.
  const [rounds, length] = [2, 290];
  const count = { id: 'u', kind: 'update_contact', config: { set: { attributes: { n: '{{ contact.attributes.n }}x' } } } };
  const done = { id: 'b', kind: 'branch', config: { when: { field: 'attributes.n', op: 'eq', value: 'x'.repeat(rounds) } } };
  const fillers = Array.from({ length: length - 3 }, (_, n) => ({ id: `f${n}`, kind: 'goal', config: { condition: is('never') } }));
  const round = (pause: LooseNode): LooseGraph => {
    const way = [TRIGGER, count, ...fillers, pause, done];
    return {
      nodes: [...way, { id: 'exit', kind: 'exit' }],
      edges: [
        ...way.slice(1).map(({ id }, index) => ({ from: way[index]?.id ?? '', to: id })),
        { from: 'b', to: 'u', branchKey: 'false' },
        { from: 'b', to: 'exit', branchKey: 'true' },
      ],
    };
  };
  const type = newEventType();
  const { id: waits, email } = await entered(round(waitForEvent(type)));
  for (let gone = 1; gone <= rounds; gone += 1) {
    await eventually(async () => (await traceOf(em, waits)).length === length * gone);
    await standsAt(em, waits, 'w');
    // A run that goes round so fast would be slowed.
    await rows(em, sql`update enrollment_steps set at = at - interval '2 minutes' where enrollment_id = ${waits}`);
    await happens(project, { type, email });
  }
  // Not enabled: a failed row each time, and no mail.
  const mails = await entered(round({ id: 'm', kind: 'send_email', config: { template: 'newsletter' } }));
  expect(await enrollmentEnds(em, waits)).toMatchObject({ end_reason: 'exit' });
  expect(await traceOf(em, waits)).toHaveLength(1 + length * rounds + 1);
  expect(await enrollmentEnds(em, mails.id)).toMatchObject({ end_reason: 'hop_guard' });
  expect(await traceOf(em, mails.id)).toHaveLength(500);
});
