import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../db/orm.ts';
import { chain, fork, is, MAIL, TRIGGER } from '../domain/sequences/graphs.ts';
import { changeTables } from '../support/change-tables.ts';
import { enrollmentIn, eventTrigger, happens, newEventType, newFlow } from '../support/flow.ts';
import { mailNow } from '../support/mail.ts';
import { database, newProject, type TestProject } from '../support/project.ts';
import { enableTemplates, enrollmentEnds, newContact, traceOf } from '../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome');
});

const SHORT = { minutes: 0.002 };

/** Enrolls a new contact and waits for the end; answers with the trace. */
async function walked(graph: object, contact: object = {}): Promise<{ id: string; email: string; trace: string[] }> {
  const flow = await newFlow(project, graph);
  const email = project.address();
  await newContact(project, email, contact);
  const id = await flow.enroll(email);
  await enrollmentEnds(em, id);
  return { id, email, trace: await traceOf(em, id) };
}

test('a branch on the payload of the event that enrolled takes the way of its value', async () => {
  const type = newEventType();
  const branches = ['pro', 'free'].map((key) => ({ key, when: { field: 'event.plan.name', op: 'eq', value: key } }));
  const graph = fork({ id: 'b', kind: 'branch', config: { branches } }, ['pro', 'free', 'default']);
  const flow = await newFlow(project, { ...graph, triggers: eventTrigger(type) });
  const ends = async (data: object): Promise<string[]> => {
    const email = project.address();
    expect(await happens(project, { type, email, data })).toMatchObject({ enrolled: 1 });
    const id = await enrollmentIn(em, flow.id, email);
    await enrollmentEnds(em, id);
    return traceOf(em, id);
  };
  expect(await ends({ plan: { name: 'pro' } })).toEqual(['trigger enrolled', 'b pro', 'to_pro ended']);
  expect(await ends({ plan: { name: 'free' } })).toEqual(['trigger enrolled', 'b free', 'to_free ended']);
  expect(await ends({})).toEqual(['trigger enrolled', 'b default', 'to_default ended']);
});

test('of two triggers of one type only the enabled one enrolls', async () => {
  const type = newEventType();
  const plan = (value: string) => ({ type, match: { field: 'event.plan', op: 'eq', value } });
  const off = { kind: 'event', config: plan('pro'), enabled: false };
  const on = { kind: 'event', config: plan('free'), enabled: true };
  await newFlow(project, { ...chain(), triggers: [off, on] });
  const enrolledBy = async (value: string) => (await happens(project, { type, email: project.address(), data: { plan: value } })).enrolled;
  expect(await enrolledBy('pro')).toBe(0);
  expect(await enrolledBy('free')).toBe(1);
});

test('a trigger with a match enrolls by its payload alone', async () => {
  const type = newEventType();
  const flow = await newFlow(project, { ...chain(), triggers: eventTrigger(type, { field: 'event.total', op: 'gte', value: 10 }) });
  const email = project.address();
  expect(await happens(project, { type, email, data: { total: 9 } })).toMatchObject({ enrolled: 0 });
  expect(await happens(project, { type, email, data: { total: 10 } })).toMatchObject({ enrolled: 1 });
  await enrollmentEnds(em, await enrollmentIn(em, flow.id, email));
});

test('a run takes the arm of a split that simulate names for the contact', async () => {
  const arms = [{ key: 'a' }, { key: 'b' }, { key: 'c' }];
  const flow = await newFlow(project, fork({ id: 's', kind: 'split', config: { arms } }, ['a', 'b', 'c']));
  const ways = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const email = project.address(`split${n}`);
      const contactId = await newContact(project, email);
      const simulated = await flow.simulate({ contactId });
      const id = await flow.enroll(email);
      await enrollmentEnds(em, id);
      const trace = await traceOf(em, id);
      expect(trace.map((step) => step.split(' ')[0])).toEqual(simulated);
      expect(trace[1]).toBe(`s ${simulated[2]?.slice('to_'.length)}`);
      return simulated[2];
    }),
  );
  expect(new Set(ways).size).toBeGreaterThan(1);
});

test('an update is written to the contact, with the payload of the event, and later nodes see it', async () => {
  const type = newEventType();
  const set = { firstName: '{{ event.name }}', timezone: 'Asia/Tokyo', attributes: { plan: '{{ event.plan }}', old: null } };
  const update = { id: 'u', kind: 'update_contact', config: { set, addTags: ['customer', 'plan-{{ event.plan }}'], removeTags: ['lead'] } };
  const seen = { field: 'attributes.plan', op: 'eq', value: 'pro' };
  const graph = fork({ id: 'b', kind: 'branch', config: { when: seen } }, ['true', 'false']);
  const flow = await newFlow(project, {
    triggers: eventTrigger(type),
    nodes: [...graph.nodes, update],
    edges: [{ from: 'trigger', to: 'u' }, { from: 'u', to: 'b' }, ...graph.edges.slice(1)],
  });
  const email = project.address();
  const contactId = await newContact(project, email, { tags: ['lead', 'kept'], attributes: { old: 1, other: 2 } });
  await happens(project, { type, email, data: { name: 'Ada', plan: 'pro' } });
  const id = await enrollmentIn(em, flow.id, email);
  await enrollmentEnds(em, id);
  expect(await traceOf(em, id)).toEqual(['trigger enrolled', 'u updated', 'b true', 'to_true ended']);
  expect((await project.api.get(`/contacts/${contactId}`)).body.contact).toMatchObject({
    first_name: 'Ada',
    timezone: 'Asia/Tokyo',
    tags: ['kept', 'customer', 'plan-pro'],
    attributes: { plan: 'pro', other: 2 },
  });
});

test('whom an update unsubscribes gets no more marketing mail of the run', async () => {
  const update = { id: 'u', kind: 'update_contact', config: { status: 'unsubscribed' } };
  const { trace, email } = await walked(chain(update, MAIL));
  expect(trace).toEqual(['trigger enrolled', 'u updated', 'mail skipped', 'exit ended']);
  expect(await mailNow(email)).toEqual([]);
});

test('a short delay, a date in the past and a condition that holds already are passed', async () => {
  const nodes = [
    { id: 'd', kind: 'wait_delay', config: SHORT },
    { id: 'none', kind: 'wait_delay', config: { minutes: 0 } },
    { id: 'past', kind: 'wait_until', config: { time: { date: '2020-02-29', at: '09:00' } } },
    { id: 'holds', kind: 'wait_until', config: { condition: is('x'), timeoutMinutes: 60 } },
  ];
  const { trace } = await walked(chain(...nodes), { attributes: { is: 'x' } });
  expect(trace).toEqual(['trigger enrolled', 'd waited', 'none waited', 'past waited', 'holds met', 'exit ended']);
});

test('a goal node ends the run when its condition holds, else it is passed', async () => {
  const graph = chain({ id: 'g', kind: 'goal', config: { condition: is('x') } }, { id: 'g2', kind: 'goal' }, MAIL);
  const met = await walked(graph, { attributes: { is: 'x' } });
  expect(met.trace).toEqual(['trigger enrolled', 'g reached']);
  const unmet = await walked(graph);
  expect(unmet.trace).toEqual(['trigger enrolled', 'g passed', 'g2 reached']);
  expect(await enrollmentEnds(em, unmet.id)).toMatchObject({ status: 'completed', end_reason: 'goal' });
});

test('an outcome without an edge completes the run as a dead end', async () => {
  const { id, trace } = await walked(fork({ id: 'b', kind: 'branch', config: { when: is('x') } }, ['true']));
  expect(trace).toEqual(['trigger enrolled', 'b false']);
  expect(await enrollmentEnds(em, id)).toMatchObject({ status: 'completed', end_reason: 'dead_end' });
});

test('the way that simulate shows is the way that the run takes', async () => {
  const type = newEventType();
  const graph = {
    // Whoever is simulated is in the sequence already.
    reentry: 'always',
    triggers: eventTrigger(type),
    nodes: [
      TRIGGER,
      { id: 'u', kind: 'update_contact', config: { set: { attributes: { plan: '{{ event.plan }}' } }, addTags: ['seen'] } },
      { id: 's', kind: 'split', config: { arms: [{ key: 'a', weight: 2 }, { key: 'b' }] } },
      MAIL,
      { id: 'd', kind: 'wait_delay', config: SHORT },
      {
        id: 'b',
        kind: 'branch',
        config: {
          branches: [
            { key: 'pro', when: { field: 'attributes.plan', op: 'eq', value: 'pro' } },
            { key: 'seen', when: { all: [{ field: 'contact.tags', op: 'contains', value: 'seen' }, { event: { type } }] } },
          ],
        },
      },
      { id: 'w', kind: 'wait_until', config: { event: { type: 'never' }, timeoutMinutes: 0.001 } },
      { id: 'c', kind: 'wait_until', config: { condition: is('x'), timeoutMinutes: 0.001 } },
      { id: 'sub', kind: 'subflow', config: { sequenceKey: 'no-such-sequence' } },
      { id: 'g', kind: 'goal', config: { condition: is('x') } },
      { id: 'exit', kind: 'exit' },
    ],
    edges: [
      { from: 'trigger', to: 'u' },
      { from: 'u', to: 's' },
      { from: 's', to: 'mail', branchKey: 'a' },
      { from: 's', to: 'd', branchKey: 'b' },
      { from: 'mail', to: 'd' },
      { from: 'd', to: 'b' },
      { from: 'b', to: 'w', branchKey: 'pro' },
      { from: 'b', to: 'c', branchKey: 'seen' },
      { from: 'w', to: 'sub', branchKey: 'timeout' },
      { from: 'c', to: 'sub', branchKey: 'timeout' },
      { from: 'c', to: 'g', branchKey: 'met' },
      { from: 'sub', to: 'g' },
      { from: 'g', to: 'exit' },
    ],
  };
  const flow = await newFlow(project, graph);
  const ways = await Promise.all(
    ['pro', 'free'].flatMap((plan) =>
      ['x', 'y'].flatMap((value) =>
        [0, 1, 2].map(async (n) => {
          const email = project.address(`way${plan}${value}${n}`);
          const contactId = await newContact(project, email, { attributes: { is: value } });
          await happens(project, { type, email, data: { plan } });
          // The event has happened now, so simulate sees what the run sees.
          const simulated = await flow.simulate({ contactId, event: { type, payload: { plan } } });
          const id = await enrollmentIn(em, flow.id, email);
          await enrollmentEnds(em, id);
          expect((await traceOf(em, id)).map((step) => step.split(' ')[0])).toEqual(simulated);
          return simulated.join(' ');
        }),
      ),
    ),
  );
  expect(new Set(ways).size).toBeGreaterThan(3);
});

test('a run whose Liquid is beyond the budget of a walk ends as failed, and its last step says why', async () => {
  const slow = '{% for i in (1..90000) %}{% if i == 0 %}x{% endif %}{% endfor %}ok';
  const { id, trace } = await walked(chain({ id: 'u', kind: 'update_contact', config: { addTags: Array(100).fill(slow) } }));
  expect(trace).toEqual(['trigger enrolled', 'u failed']);
  const { enrollment } = (await project.api.get(`/enrollments/${id}`)).body;
  expect(enrollment).toMatchObject({ status: 'cancelled', end_reason: 'failed', failed_steps: 1 });
  expect(enrollment.steps[1].detail).toMatch(/over the budget/);
});

test('what Liquid makes of texts that PostgreSQL cannot hold is stored without it', async () => {
  const half = '{{ "\u{1f600}" | split: "" | first }}';
  const nul = '{{ "%00" | url_decode }}';
  const config = { set: { firstName: `a${half}b`, attributes: { nul: `a${nul}b`, half } }, addTags: [`t${nul}`] };
  const { id, email, trace } = await walked(chain({ id: 'u', kind: 'update_contact', config }));
  expect(trace).toEqual(['trigger enrolled', 'u updated', 'exit ended']);
  const [contact] = (await project.api.get(`/contacts?q=${encodeURIComponent(email)}`)).body.contacts;
  expect(contact).toMatchObject({ first_name: 'a\ufffdb', attributes: { nul: 'ab', half: '\ufffd' }, tags: ['t'] });
  expect((await enrollmentEnds(em, id)).end_reason).toBe('exit');
});

test('a step that PostgreSQL refuses for what it holds ends the run as failed with that reason, and is not tried for ever', async () => {
  const nodeId = newEventType('refused');
  const name = nodeId.replace('-', '_');
  await changeTables(
    em,
    `
    create function ${name}() returns trigger language plpgsql as $$ begin
      raise exception using errcode = '22021', message = 'invalid byte sequence'; end $$;
    create trigger ${name} before insert on enrollment_steps for each row when (new.node_id = '${nodeId}') execute function ${name}();`,
  );
  try {
    const first = await walked(chain({ id: nodeId, kind: 'goal' }));
    expect(first.trace).toEqual(['trigger failed']);
    expect((await enrollmentEnds(em, first.id)).failed_steps).toBe(1);
    const { id, trace } = await walked(chain({ id: 'd', kind: 'wait_delay', config: SHORT }, { id: nodeId, kind: 'goal' }));
    expect(trace).toEqual(['trigger enrolled', 'd waited']);
    const { enrollment } = (await project.api.get(`/enrollments/${id}`)).body;
    expect(enrollment).toMatchObject({ status: 'cancelled', end_reason: 'failed' });
    expect(enrollment.steps[1].detail).toBe('could not be stored: invalid byte sequence');
  } finally {
    await changeTables(em, `drop function ${name} cascade`);
  }
});
