import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { chain, fork, is } from '../../domain/sequences/graphs.ts';
import { enrollmentIn, eventTrigger, happens, newEventType, newFlow, standsAt } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enrollmentEnds, must, newContact, traceOf } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const waitFor = (condition: object) =>
  fork({ id: 'w', kind: 'wait_until', config: { condition, timeoutMinutes: 10 * DAY_MINUTES } }, ['met', 'timeout']);
const newLabel = () => `Noisy ${newEventType()}`;

/** The id of a segment with this label. */
async function segment(label: string, filter: object = {}): Promise<string> {
  return must(await project.api.post('/segments', { label, filter }), 201).segment.id;
}

async function patched(id: string, body: object): Promise<void> {
  must(await project.api.call('PATCH', `/segments/${id}`, body), 200);
}

/** A run of a new contact that stands at this node. */
async function standing(graph: object, nodeId = 'w'): Promise<string> {
  const flow = await newFlow(project, graph);
  const email = project.address();
  await newContact(project, email);
  const id = await flow.enroll(email);
  await standsAt(em, id, nodeId);
  return id;
}

test('a wait on a segment that gets another filter ends when the clock alone makes that true', async () => {
  const [label, type] = [newLabel(), newEventType()];
  const quietFor = (withinHours: number) => ({ where: { not: { event: { type, withinHours } } } });
  const id = await segment(label, quietFor(10));
  const flow = await newFlow(project, { ...waitFor({ segment: label }), triggers: eventTrigger(type) });
  const email = project.address();
  await newContact(project, email);
  await happens(project, { type, email });
  const run = await enrollmentIn(em, flow.id, email);
  await standsAt(em, run, 'w');
  await patched(id, { filter: quietFor(6 / 3600) });
  await enrollmentEnds(em, run);
  expect(await traceOf(em, run)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
});

const nobody = { where: is('nobody') };

test.each<[string, (label: string) => Promise<{ readonly condition: object; readonly change: () => Promise<unknown> }>]>([
  [
    'gets a filter',
    async (label) => {
      const id = await segment(label, nobody);
      return { condition: { segment: label.toUpperCase() }, change: () => patched(id, { filter: {} }) };
    },
  ],
  ['is made', async (label) => ({ condition: { segment: label }, change: () => segment(label.toUpperCase()) })],
  [
    'is called so',
    async (label) => {
      const id = await segment(newLabel());
      return { condition: { segment: label }, change: () => patched(id, { label }) };
    },
  ],
  [
    'is called otherwise',
    async (label) => {
      const id = await segment(label);
      return { condition: { not: { segment: label } }, change: () => patched(id, { label: newLabel() }) };
    },
  ],
  [
    'is deleted',
    async (label) => {
      const id = await segment(label);
      return { condition: { not: { segment: label } }, change: async () => must(await project.api.delete(`/segments/${id}`), 200) };
    },
  ],
])('a wait and a goal that depend on a segment are looked at when one %s', async (_, given) => {
  const { condition, change } = await given(newLabel());
  const wait = await standing(waitFor(condition));
  const delay = { id: 'd', kind: 'wait_delay', config: { minutes: DAY_MINUTES } };
  const goal = await standing({ ...chain(delay), goal: { condition } }, 'd');
  await change();
  await enrollmentEnds(em, wait);
  expect(await traceOf(em, wait)).toEqual(['trigger enrolled', 'w met', 'to_met ended']);
  expect(await enrollmentEnds(em, goal)).toMatchObject({ status: 'completed', end_reason: 'goal' });
});
