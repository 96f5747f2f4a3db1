import { beforeAll, describe, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { chain, fork, is, MAIL } from '../../domain/sequences/graphs.ts';
import { newFlow, standsAt } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, must, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;
beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'welcome', 'receipt');
});

const delay = (id: string, minutes: number) => ({ id, kind: 'wait_delay', config: { minutes } });
const mail = (id: string, template = 'welcome') => ({ id, kind: 'send_email', config: { template } });

// biome-ignore lint/suspicious/noExplicitAny: an answer
async function simulate(flow: { readonly key: string }, body: object): Promise<any> {
  return must(await project.api.post(`/sequences/${flow.key}/simulate`, body), 200);
}

const refused = (reason: string) => ({
  ok: true,
  path: [],
  sends: [],
  endedBy: 'refused',
  refusal: { reason, message: expect.any(String) },
});

test('a graph that is not saved is simulated in place of the saved one, and is told what is wrong with it', async () => {
  const flow = await newFlow(project, chain(mail('m')));
  const version = async () => must(await project.api.get(`/sequences/${flow.key}`), 200).version;
  const before = await version();
  const changed = chain(mail('m', 'receipt'), mail('n'));
  expect(await simulate(flow, { contact: {}, graph: changed })).toMatchObject({ sends: ['receipt', 'welcome'], endedBy: 'exit' });
  const faulty = { ...changed, nodes: changed.nodes.map((node) => (node.id === 'n' ? { ...node, config: {} } : node)) };
  const { status, body } = await project.api.post(`/sequences/${flow.key}/simulate`, { contact: {}, graph: faulty });
  expect([status, body.code, body.issues[0].nodeId]).toEqual([422, 'invalid_graph', 'n']);
  expect(await simulate(flow, { contact: {} })).toMatchObject({ sends: ['welcome'] });
  expect(await version()).toBe(before);
});

describe('at the door', () => {
  test('simulate refuses whom enroll refuses, with the same reason', async () => {
    const flow = await newFlow(project, { ...chain(delay('d', DAY_MINUTES), MAIL), reentry: 'once_ever' });
    const email = project.address();
    const contactId = await newContact(project, email);
    const reason = async () => must(await project.api.post(`/sequences/${flow.key}/enroll`, { email }), 422).reason;
    expect(await simulate(flow, { contactId })).toMatchObject({ sends: ['welcome'], endedBy: 'exit' });
    const id = await flow.enroll(email);
    expect(await simulate(flow, { contactId })).toEqual(refused(await reason()));
    must(await project.api.delete(`/enrollments/${id}`), 200);
    expect(await simulate(flow, { contactId })).toEqual(refused('already_completed'));
    expect(await reason()).toBe('already_completed');
    must(await project.api.post(`/contacts/${contactId}/unsubscribe`), 200);
    expect(await simulate(flow, { contactId })).toEqual(refused('contact_unsubscribed'));
    expect(await reason()).toBe('contact_unsubscribed');
  });

  test('the cooldown holds as well, and a contact that is made up comes for the first time', async () => {
    const flow = await newFlow(project, { ...chain(MAIL), reentry: 'always', cooldownHours: 2 });
    const email = project.address();
    const contactId = await newContact(project, email);
    await enrollmentEnds(em, await flow.enroll(email));
    expect(await simulate(flow, { contactId })).toEqual(refused('cooldown'));
    expect(await simulate(flow, { contact: {} })).toMatchObject({ sends: ['welcome'], endedBy: 'exit' });
    expect(await simulate(flow, { contact: { status: 'unsubscribed' } })).toEqual(refused('contact_unsubscribed'));
  });

  test('as if not enrolled, neither a run under way nor an ended one nor the cooldown refuses, and nothing else is passed over', async () => {
    const once = await newFlow(project, { ...chain(delay('d', DAY_MINUTES), MAIL), reentry: 'once_ever' });
    const cooling = await newFlow(project, { ...chain(MAIL), reentry: 'always', cooldownHours: 2 });
    const email = project.address();
    const contactId = await newContact(project, email);
    const id = await once.enroll(email);
    await enrollmentEnds(em, await cooling.enroll(email));
    const asIfNot = { contactId, asIfNotEnrolled: true };
    const whole = { sends: ['welcome'], endedBy: 'exit' };
    expect(await simulate(once, asIfNot)).toMatchObject(whole);
    expect(await simulate(cooling, asIfNot)).toMatchObject(whole);
    must(await project.api.delete(`/enrollments/${id}`), 200);
    expect(await simulate(once, asIfNot)).toMatchObject(whole);
    expect(await simulate(once, { ...asIfNot, asIfNotEnrolled: false })).toEqual(refused('already_completed'));
    must(await project.api.post(`/contacts/${contactId}/unsubscribe`), 200);
    expect(await simulate(once, asIfNot)).toEqual(refused('contact_unsubscribed'));
  });

  test('a sequence that is not active is simulated as if it were', async () => {
    const flow = await newFlow(project, { ...chain(MAIL), status: 'draft' });
    expect(await simulate(flow, { contact: {} })).toMatchObject({ sends: ['welcome'], endedBy: 'exit' });
  });
});

describe('a mail', () => {
  test('that its recipient may not get is skipped, as in a real run', async () => {
    const both = await newFlow(project, chain(mail('m'), mail('t', 'receipt')));
    const mails = async (body: object) => {
      const { path, sends } = await simulate(both, body);
      return [sends, path.slice(1, 3).map(({ detail }: { detail: string }) => detail)];
    };
    const [skipped, sent] = ['would be skipped: ', 'would send receipt'];
    expect(await mails({ contact: { status: 'bounced' } })).toEqual([['receipt'], [`${skipped}bounced`, sent]]);
    const unsubscribes = { id: 'u', kind: 'update_contact', config: { status: 'unsubscribed' } };
    const leaves = await newFlow(project, chain(unsubscribes, mail('m'), mail('t', 'receipt')));
    expect((await simulate(leaves, { contact: {} })).sends).toEqual(['receipt']);
    const email = project.address();
    const contactId = await newContact(project, email);
    must(await project.api.post('/suppressions', { email }), 201);
    expect(await mails({ contactId })).toEqual([[], [`${skipped}suppressed`, `${skipped}suppressed`]]);
    // Of the address a hash stays, which holds for whoever comes with it again.
    must(await project.api.delete(`/contacts/${contactId}`), 200);
    const again = await newContact(project, email);
    expect(await mails({ contactId: again })).toEqual([[], [`${skipped}suppressed`, `${skipped}suppressed`]]);
  });

  test('at the frequency cap waits for its place, or is skipped when that is too far', async () => {
    const email = project.address();
    const contactId = await newContact(project, email);
    must(await project.api.post('/send', { template: 'welcome', contactId }), 200);
    const flow = async (windowHours: number) =>
      newFlow(project, { ...chain(mail('a'), mail('t', 'receipt'), mail('b')), frequencyCap: { count: 1, windowHours } });
    const soon = await simulate(await flow(24), { contactId });
    expect(soon.sends).toEqual(['welcome', 'receipt', 'welcome']);
    expect(soon.path[1].detail).toMatch(/^would send welcome, held by the frequency cap until /);
    const far = await simulate(await flow(200), { contactId });
    expect([far.sends, far.path[1].detail]).toEqual([['receipt'], 'would be skipped: frequency_cap']);
    expect((await simulate(await flow(200), { contact: {} })).sends).toEqual(['welcome', 'receipt']);
  });

  test('at the frequency cap is sent, however long it has waited, when the window that it waits for opens at a time at which the cap has room', async () => {
    // In three days, when its patience with the cap is over, and until the same day of the next week the window is closed.
    const sendWindow = { from: '00:00', to: '24:00', days: [new Date().getUTCDay() || 7], timezone: 'Etc/UTC' };
    const flow = async (windowHours: number) =>
      newFlow(project, { ...chain(mail('a'), mail('b')), frequencyCap: { count: 1, windowHours }, sendWindow });
    const free = await simulate(await flow(100), { contact: {} });
    expect(free.sends).toEqual(['welcome', 'welcome']);
    expect(free.path[2].detail).toMatch(/^would send welcome, held by the frequency cap until .*, waits for 00:00 in Etc\/UTC until /);
    expect((await simulate(await flow(200), { contact: {} })).path[2].detail).toBe('would be skipped: frequency_cap');
  });

  test('after a wait finds the place free that the wait has freed', async () => {
    const frequencyCap = { count: 1, windowHours: 200 };
    const apart = await newFlow(project, { ...chain(mail('a'), delay('d', 9 * DAY_MINUTES), mail('b')), frequencyCap });
    expect((await simulate(apart, { contact: {} })).sends).toEqual(['welcome', 'welcome']);
    const near = await newFlow(project, { ...chain(mail('a'), delay('d', DAY_MINUTES), mail('b')), frequencyCap });
    expect((await simulate(near, { contact: {} })).sends).toEqual(['welcome']);
  });
});

describe('the event of the request', () => {
  test('meets the goal at any wait, as it does in the real run', async () => {
    const goal = { event: { type: 'paid', match: { field: 'event.total', op: 'gte', value: 10 } } };
    const flow = await newFlow(project, { ...chain(mail('a'), delay('d', DAY_MINUTES), mail('b')), goal });
    const event = (total: number) => ({ type: 'paid', payload: { total } });
    expect(await simulate(flow, { contact: {}, event: event(10) })).toMatchObject({
      path: [{ nodeId: 'trigger' }, { nodeId: 'a' }, { nodeId: 'd', detail: 'the event paid arrives and meets the goal' }],
      sends: ['welcome'],
      endedBy: 'goal',
    });
    expect(await simulate(flow, { contact: {}, event: event(9) })).toMatchObject({ sends: ['welcome', 'welcome'], endedBy: 'exit' });
    expect((await simulate(flow, { contact: {}, event: event(10), assume: { d: 'waited' } })).endedBy).toBe('exit');
    const email = project.address();
    await newContact(project, email);
    const id = await flow.enroll(email);
    await standsAt(em, id, 'd');
    must(await project.api.post('/events', { type: 'paid', email, data: { total: 10 } }), 200);
    expect(await enrollmentEnds(em, id)).toMatchObject({ end_reason: 'goal', current_node_id: 'd' });
  });
});

describe('what is to be assumed', () => {
  test('is refused for nodes that the graph does not have and for keys that a node does not, all of them named', async () => {
    const flow = await newFlow(project, fork({ id: 'b', kind: 'branch', config: { when: is('x') } }, ['true', 'false']));
    const answer = await project.api.post(`/sequences/${flow.key}/simulate`, {
      contact: {},
      assume: { b: 'yes', nowhere: 'true', trigger: 'x' },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'invalid_request',
        issues: [
          { path: 'assume.b', message: 'unknown branch key yes; this node has true, false' },
          { path: 'assume.nowhere', message: 'the graph has no such node' },
          { path: 'assume.trigger', message: 'nothing can be assumed at a node of the kind trigger' },
        ],
      },
    });
  });

  test('is taken for every outcome that a node has', async () => {
    const hook = { id: 'c', kind: 'webhook', config: { url: 'https://a.example/x', onError: 'fail' } };
    const until = { id: 'w', kind: 'wait_until', config: { event: { type: 'paid' }, timeoutMinutes: 5 } };
    const flow = await newFlow(project, chain(delay('d', 5), until, mail('m'), hook));
    const end = async (assume: object) => (await simulate(flow, { contact: {}, assume })).endedBy;
    for (const assume of [{ d: 'waited' }, { w: 'event' }, { w: 'timeout' }, { m: 'failed' }, { m: 'skipped' }, { c: 'called' }])
      expect(await end(assume)).toBe('exit');
    expect(await end({ c: 'failed' })).toBe('failed');
    expect((await simulate(flow, { contact: {}, assume: { m: 'skipped' } })).sends).toEqual([]);
  });
});
