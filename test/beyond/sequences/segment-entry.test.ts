import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row, rows } from '../../../db/rows.ts';
import { chain, is } from '../../domain/sequences/graphs.ts';
import { eventually } from '../../support/eventually.ts';
import { enrollmentsOf, happens, newEventType, newFlow, type TestFlow } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, must, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const WAITING = chain({ id: 'w', kind: 'wait_delay', config: { minutes: DAY_MINUTES } });
const newLabel = () => `Joined ${newEventType()}`;

async function newSegment(label: string, filter: object = {}): Promise<string> {
  return must(await project.api.post('/segments', { label, filter }), 201).segment.id;
}

/** An active sequence that waits, entered by whoever joins the segment. */
function enteredBy(segment: string, settings: object = {}): Promise<TestFlow> {
  return newFlow(project, { ...WAITING, triggers: [{ kind: 'segment', config: { segment }, enabled: true }], ...settings });
}

/** Waits until all that is noted of the project's contacts has been looked at. */
async function settled(of: TestProject = project): Promise<void> {
  await eventually(async () => !(await row(em, sql`select 1 from membership_checks where project_id = ${of.id} limit 1`)));
}

/** Waits until this contact has been in the sequence so often, and then nobody comes after it. */
async function entered(flow: TestFlow, email: string, times: number): Promise<void> {
  await eventually(async () => (await enrollmentsOf(em, flow.id, email)).length >= times);
  await settled();
  expect(await enrollmentsOf(em, flow.id, email)).toHaveLength(times);
}

const tagged = (email: string, ...tags: string[]) => project.api.post('/contacts', { email, tags });

test('whoever joins a segment enters: by a tag, as a new contact and by an event; who was in it when it was turned on does not', async () => {
  const [label, type, before] = [newLabel(), newEventType(), project.address('before')];
  await newSegment(label, { where: { any: [{ field: 'contact.tags', op: 'contains', value: type }, { event: { type } }] } });
  must(await tagged(before, type), 200);
  const flow = await enteredBy(label.toUpperCase());
  const [byTag, isNew, byEvent] = [project.address('tag'), project.address('new'), project.address('event')];
  await newContact(project, byTag);
  must(await tagged(byTag, type), 200);
  must(await tagged(isNew, type), 200);
  expect((await happens(project, { type, email: byEvent })).enrolled).toBe(0);
  for (const email of [byTag, isNew, byEvent]) await entered(flow, email, 1);
  // Another change of a member, and one of who was there before, is none of the membership.
  must(
    await project.api.post(
      '/contacts',
      [byTag, before].map((email) => ({ email, firstName: 'Ada' })),
    ),
    200,
  );
  await settled();
  await entered(flow, byTag, 1);
  expect(await enrollmentsOf(em, flow.id, before)).toEqual([]);
});

test('who leaves and comes back enters again as far as re-entry allows', async () => {
  const [label, always, once] = [newLabel(), project.address('always'), project.address('once')];
  await newSegment(label, { tags: ['member'] });
  const again = await enteredBy(label, { reentry: 'always' });
  const onlyOnce = await enteredBy(label, { reentry: 'once_ever' });
  for (const round of [1, 2, 3]) {
    must(await tagged(always, 'member'), 200);
    await entered(again, always, round);
    must(await tagged(always), 200);
    await settled();
  }
  expect(await enrollmentsOf(em, onlyOnce.id, always)).toHaveLength(1);
  expect(await enrollmentsOf(em, again.id, once)).toEqual([]);
});

test('who has unsubscribed does not enter, nor does anybody while the sequence is paused', async () => {
  const label = newLabel();
  await newSegment(label, { tags: ['open'] });
  const flow = await enteredBy(label);
  const [gone, meanwhile, later] = [project.address('gone'), project.address('meanwhile'), project.address('later')];
  await newContact(project, gone, { status: 'unsubscribed' });
  must(await tagged(gone, 'open'), 200);
  await settled();
  must(await project.api.call('PATCH', `/sequences/${flow.key}`, { status: 'paused' }), 200);
  must(await tagged(meanwhile, 'open'), 200);
  must(await project.api.call('PATCH', `/sequences/${flow.key}`, { status: 'active' }), 200);
  must(await tagged(later, 'open'), 200);
  await entered(flow, later, 1);
  for (const email of [gone, meanwhile]) expect(await enrollmentsOf(em, flow.id, email)).toEqual([]);
});

test('whoever comes into a segment by a change of it enters, and who stays in it does not', async () => {
  const label = newLabel();
  const id = await newSegment(label, { where: is('1') });
  const [was, becomes] = [project.address('was'), project.address('becomes')];
  await newContact(project, was, { attributes: { is: '1' } });
  await newContact(project, becomes, { attributes: { is: '2' } });
  const flow = await enteredBy(label);
  must(
    await project.api.call('PATCH', `/segments/${id}`, { filter: { where: { field: 'attributes.is', op: 'in', value: ['1', '2'] } } }),
    200,
  );
  await entered(flow, becomes, 1);
  await looked(flow);
  expect(await enrollmentsOf(em, flow.id, was)).toEqual([]);
});

/** Waits until everybody has been compared with the members. */
async function looked({ id }: TestFlow): Promise<void> {
  await eventually(async () => !(await row(em, sql`select 1 from segment_triggers where sequence_id = ${id} and look_at <= now()`)));
}

test('whoever joins a segment by the clock alone enters', async () => {
  const [label, type, email] = [newLabel(), newEventType(), project.address('quiet')];
  const quiet = (withinHours: number) => ({ where: { not: { event: { type, withinHours } } }, tags: ['quiet'] });
  const id = await newSegment(label, quiet(10));
  const flow = await enteredBy(label);
  await happens(project, { type, email });
  must(await tagged(email, 'quiet'), 200);
  await settled();
  expect(await enrollmentsOf(em, flow.id, email)).toEqual([]);
  must(await project.api.call('PATCH', `/segments/${id}`, { filter: quiet(4 / 3600) }), 200);
  await looked(flow);
  // The next look is a minute later; that it comes is what the clock is for.
  const [{ left }] = (await rows(
    em,
    sql<{ left: number }>`select extract(epoch from look_at - now()) as left from segment_triggers where sequence_id = ${flow.id}`,
  )) as [{ left: number }];
  expect(Number(left)).toBeGreaterThan(0);
  expect(Number(left)).toBeLessThanOrEqual(61);
  await row(em, sql`update segment_triggers set look_at = now() + interval '5 seconds' where sequence_id = ${flow.id}`);
  await entered(flow, email, 1);
});

test('a test key enrolls by a segment for test keys alone', async () => {
  const label = newLabel();
  await newSegment(label, { source: 'event' });
  const flow = await enteredBy(label);
  const email = project.address('test');
  const testKey = await project.newKey(['*'], true);
  must(await testKey.api.post('/events', { type: newEventType(), email }), 200);
  await entered(flow, email, 1);
  const [run] = await rows(em, sql<{ sandboxed: boolean }>`select sandboxed from enrollments where sequence_id = ${flow.id}`);
  expect(run).toEqual({ sandboxed: true });
});

test('a segment by which sequences are entered is neither deleted nor called otherwise: the answer says which', async () => {
  const label = newLabel();
  const id = await newSegment(label);
  const flow = await enteredBy(label);
  for (const answer of [
    await project.api.call('DELETE', `/segments/${id}`),
    await project.api.call('PATCH', `/segments/${id}`, { label: newLabel() }),
  ])
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'segment_in_use', sequences: [flow.key], error: expect.stringContaining(flow.key) },
    });
  must(await project.api.call('PATCH', `/segments/${id}`, { label: label.toUpperCase() }), 200);
  await flow.put({ ...WAITING, triggers: [] });
  must(await project.api.call('DELETE', `/segments/${id}`), 200);
});

test('a linear sequence is entered by a segment, and a segment that there is not is a warning', async () => {
  const body = { key: newEventType('linear'), name: 'Linear', steps: [{ template: 'welcome' }], trigger: { segment: newLabel() } };
  const { warnings } = must(await project.api.post('/sequences', { ...body, status: 'active' }), 201);
  expect(warnings).toContainEqual({ path: 'trigger.segment', message: expect.stringContaining('nobody is in it') });
  const { triggers } = must(await project.api.get(`/sequences/${body.key}`), 200);
  expect(triggers).toEqual([{ kind: 'segment', config: body.trigger, enabled: true }]);
});
