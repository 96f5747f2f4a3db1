import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { row } from '../../../db/rows.ts';
import { chain } from '../../domain/sequences/graphs.ts';
import { eventually } from '../../support/eventually.ts';
import { enrollmentsOf, newEventType, newFlow, type TestFlow } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, must, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

const WAITING = chain({ id: 'w', kind: 'wait_delay', config: { minutes: DAY_MINUTES } });
const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const day = () => anHourAgo().slice(0, 10);

/** A date trigger whose time was an hour ago, for those whose day it is then in UTC. */
const trigger = (config: object = {}) => ({
  kind: 'date',
  config: { attribute: 'birthday', every: 'year', at: anHourAgo().slice(11, 16), ...config },
});

/** An active sequence that was turned on two days ago, and whose contacts are looked at now. */
async function enteredBy(...triggers: object[]): Promise<TestFlow> {
  const flow = await newFlow(project, { ...WAITING, triggers });
  await row(em, sql`update date_triggers set since = now() - interval '2 days' where sequence_id = ${flow.id}`);
  return flow;
}

/** Looks at everybody now, and waits until that is done and everybody who is due has entered. */
async function looked({ id }: TestFlow): Promise<void> {
  // Columns of times keep milliseconds, rounded: just now may be in a moment.
  await row(em, sql`update date_triggers set look_at = now() - interval '1 second' where sequence_id = ${id}`);
  await eventually(
    async () =>
      !(await row(em, sql`select 1 from date_triggers where sequence_id = ${id} and (look_at <= now() or look_began_at is not null)`)),
  );
  await eventually(
    async () =>
      !(await row(
        em,
        sql`select 1 from date_entries e join date_triggers t on t.id = e.trigger_id where t.sequence_id = ${id} and e.settled_at is null and e.due_at <= now()`,
      )),
  );
}

test('on the day each contact enters once: not who has unsubscribed, has another day or none', async () => {
  const [due, other, none, gone] = ['due', 'other', 'none', 'gone'].map((name) => project.address(name)) as [
    string,
    string,
    string,
    string,
  ];
  await newContact(project, due, { attributes: { birthday: `1990-${day().slice(5)}` } });
  await newContact(project, other, { attributes: { birthday: '1990-01-01', other: `1990-${day().slice(5)}` } });
  await newContact(project, none, { attributes: { birthday: 'in May' } });
  await newContact(project, gone, { attributes: { birthday: `1990-${day().slice(5)}` }, status: 'unsubscribed' });
  const flow = await enteredBy(trigger());
  for (let round = 0; round < 2; round++) await looked(flow);
  await eventually(async () => (await enrollmentsOf(em, flow.id, due)).length > 0);
  expect(await enrollmentsOf(em, flow.id, due)).toHaveLength(1);
  for (const email of [other, none, gone].filter((email) => email !== other || !day().endsWith('01-01')))
    expect(await enrollmentsOf(em, flow.id, email)).toEqual([]);
});

test('a contact that is erased is planned for no more', async () => {
  const email = project.address('erased');
  const id = await newContact(project, email, { attributes: { birthday: `1990-${day().slice(5)}` } });
  const flow = await enteredBy(trigger());
  await looked(flow);
  must(await project.api.call('DELETE', `/contacts/${id}`), 200);
  expect(await row(em, sql`select 1 from date_entries where contact_id = ${id}`)).toBeUndefined();
});

test('who is about to enter is told: how many are first, how many in all, and when everybody is looked at again', async () => {
  const soon = new Date(Math.floor(Date.now() / 60_000) * 60_000 + 3_600_000).toISOString();
  const later = new Date(Date.parse(soon) + 1_800_000).toISOString();
  const attribute = newEventType('day');
  for (const timezone of [null, null, 'Europe/Vienna'])
    await newContact(project, project.address(), { attributes: { [attribute]: soon.slice(0, 10) }, timezone });
  await newContact(project, project.address(), { attributes: { [`${attribute}-2`]: later.slice(0, 10) } });
  const first = { attribute, at: soon.slice(11, 16), timezone: 'contact', fallback: 'UTC' };
  const second = { attribute: `${attribute}-2`, at: later.slice(11, 16) };
  const flow = await enteredBy({ kind: 'date', config: first }, { kind: 'date', config: second });
  await looked(flow);
  const entries = async () => must(await project.api.get(`/sequences/${flow.key}/date-entries`), 200);
  const { dates, aheadMinutes } = await entries();
  const lookAt = expect.stringMatching(/^\d{4}-/);
  expect(dates).toHaveLength(2);
  expect(dates).toContainEqual({ config: first, planned: 2, next: { at: soon, count: 2 }, lookAt });
  expect(dates).toContainEqual({ config: second, planned: 1, next: { at: later, count: 1 }, lookAt });
  expect(aheadMinutes).toBe(120);
  must(await project.api.call('PATCH', `/sequences/${flow.key}`, { status: 'paused' }), 200);
  expect((await entries()).dates).toEqual([]);
  expect((await project.api.get('/sequences/none/date-entries')).status).toBe(404);
});

test('a linear sequence is entered by a date, and GET answers it as a trigger', async () => {
  const config = { attribute: 'trial_ends', daysBefore: 3, at: '09:00', timezone: 'contact', fallback: 'Europe/Vienna' };
  const body = { key: newEventType('linear'), name: 'Linear', steps: [{ template: 'welcome' }], trigger: config };
  must(await project.api.post('/sequences', body), 201);
  const { triggers } = must(await project.api.get(`/sequences/${body.key}`), 200);
  expect(triggers).toEqual([{ kind: 'date', config, enabled: true }]);
});

test('a date trigger that says nothing sensible is refused with what is wrong', async () => {
  const refused = async (...triggers: object[]): Promise<string> => {
    const answer = await project.api.call('PUT', `/sequences/${newEventType('refused')}`, { ...WAITING, name: 'Refused', triggers });
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_graph' } });
    return JSON.stringify(answer.body.issues);
  };
  expect(await refused(trigger({ daysBefore: 3, daysAfter: 3 }))).toContain('one of daysBefore and daysAfter, not both');
  expect(await refused(trigger({ attribute: 'attributes.birthday' }))).toContain('the name alone');
  expect(await refused(trigger({ field: 'created_at' }))).toContain('one of attribute and field');
  expect(await refused(trigger({ attribute: null }))).toContain('one of attribute and field');
  const added = { attribute: undefined, every: undefined, field: 'created_at' };
  expect(await refused(trigger({ ...added, daysBefore: 3 }))).toContain('nobody enters before it was added');
  expect(await refused(trigger({ ...added, field: 'updated_at' }))).toContain('created_at');
  expect(await refused(trigger({ at: '9:00' }))).toContain('a time like 09:30');
  expect(await refused(trigger({ every: 'month' }))).toContain('year');
  expect(await refused(trigger({ daysBefore: 366 }))).toContain('at most 365');
  expect(await refused(trigger({ at: '09:00' }), trigger({ at: '10:00' }))).toContain('the same day of the same attribute');
});
