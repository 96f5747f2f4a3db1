import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { EXIT, TRIGGER } from '../../domain/sequences/graphs.ts';
import { eventually } from '../../support/eventually.ts';
import { happens, newEventType, newFlow, standsAt } from '../../support/flow.ts';
import { mailTo } from '../../support/mail.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { readMail } from '../../support/sent-mail.ts';
import { DAY_MINUTES, enableTemplates, enrollmentEnds, must, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
  await enableTemplates(project, 'newsletter');
  const blocks = [{ type: 'text', text: 'Read [this](https://a.example/one).' }];
  must(await project.api.put('/templates/newsletter/content', { content: { blocks }, publish: true }), 200);
});

const BOUGHT = newEventType('bought');

/** Who is pro gets a mail, and everybody waits for a day. */
const FORK = {
  nodes: [
    TRIGGER,
    { id: 'is_pro', kind: 'branch', config: { when: { field: 'attributes.plan', op: 'eq', value: 'pro' } } },
    { id: 'hello', kind: 'send_email', config: { template: 'newsletter' } },
    { id: 'later', kind: 'wait_delay', config: { minutes: DAY_MINUTES } },
    EXIT,
  ],
  edges: [
    { from: 'trigger', to: 'is_pro' },
    { from: 'is_pro', to: 'hello', branchKey: 'true' },
    { from: 'is_pro', to: 'later', branchKey: 'false' },
    { from: 'hello', to: 'later' },
    { from: 'later', to: 'exit' },
  ],
  goal: { event: { type: BOUGHT } },
};

/** An address that plays a part and that no other test has. */
const playing = (part: string) => `${part}+${project.slug}@everpost.test`;

test('the flow has what became of the mails of each node and what each arm came to, by version and together', async () => {
  const flow = await newFlow(project, FORK);
  const enter = async (email: string, plan: string): Promise<string> => {
    await newContact(project, email, { attributes: { plan } });
    const run = await flow.enroll(email);
    await standsAt(em, run, 'later');
    return run;
  };
  const [clicks, delivered, leaves, free] = [playing('clicked'), playing('delivered'), project.address(), project.address()];
  for (const email of [clicks, delivered, leaves]) await enter(email, 'pro');
  const freeRun = await enter(free, 'free');
  const { unsubscribe } = await readMail((await mailTo(leaves))[0]!.raw);
  expect((await fetch(unsubscribe!, { method: 'POST' })).status).toBe(200);
  for (const email of [clicks, free]) expect((await happens(project, { type: BOUGHT, email })).goals).toBe(1);
  await enrollmentEnds(em, freeRun);
  await flow.put({ ...FORK, name: 'The second' });
  await enter(playing('opened'), 'pro');

  const numbers = async (query = '') => {
    const { runs, reachedBy, nodes, edges } = must(await project.api.get(`/sequences/${flow.key}/flow${query}`), 200);
    const mails = Object.fromEntries(nodes.map((node: { id: string; mails: object }) => [node.id, node.mails]));
    const arms = edges.map(({ arm }: { arm: object | null }) => arm);
    return { runs, reachedBy, hello: mails.hello, later: mails.later, arms };
  };
  const none = { reachedBy: 'goal', later: null };
  await eventually(async () => (await numbers()).hello.opened === 2 && (await numbers()).hello.clicked === 1);
  expect(await numbers('?version=2')).toEqual({
    ...none,
    runs: 4,
    hello: { sent: 3, delivered: 2, opened: 1, clicked: 1, unsubscribed: 1 },
    arms: [null, { runs: 3, reached: 1, active: 2 }, { runs: 1, reached: 1, active: 0 }, null, null],
  });
  expect(await numbers('?version=3')).toEqual({
    ...none,
    runs: 1,
    hello: { sent: 1, delivered: 1, opened: 1, clicked: 0, unsubscribed: 0 },
    arms: [null, { runs: 1, reached: 0, active: 1 }, { runs: 0, reached: 0, active: 0 }, null, null],
  });
  expect(await numbers()).toEqual({
    ...none,
    runs: 5,
    hello: { sent: 4, delivered: 3, opened: 2, clicked: 1, unsubscribed: 1 },
    arms: [null, { runs: 4, reached: 1, active: 3 }, { runs: 1, reached: 1, active: 0 }, null, null],
  });
  expect(must(await project.api.get(`/sequences/${flow.key}/flow?version=4`), 404).code).toBe('not_found');
});

test('the flow of a version is over the graph that it had', async () => {
  const flow = await newFlow(project, FORK);
  await flow.put({ nodes: [TRIGGER, EXIT], edges: [{ from: 'trigger', to: 'exit' }], goal: null });
  const nodesOf = async (query: string) => must(await project.api.get(`/sequences/${flow.key}/flow${query}`), 200).nodes.length;
  expect([await nodesOf('?version=2'), await nodesOf('?version=3'), await nodesOf('')]).toEqual([5, 2, 2]);
});

test('without a goal those count that completed, and who takes an arm twice counts once', async () => {
  const flow = await newFlow(project, {
    nodes: [
      TRIGGER,
      { id: 'enough', kind: 'branch', config: { when: { field: 'attributes.n', op: 'eq', value: '11' } } },
      { id: 'more', kind: 'update_contact', config: { set: { attributes: { n: '{{ contact.attributes.n }}1' } } } },
      EXIT,
    ],
    edges: [
      { from: 'trigger', to: 'enough' },
      { from: 'enough', to: 'exit', branchKey: 'true' },
      { from: 'enough', to: 'more', branchKey: 'false' },
      { from: 'more', to: 'enough' },
    ],
  });
  const email = project.address();
  await newContact(project, email);
  await enrollmentEnds(em, await flow.enroll(email));
  const { reachedBy, edges } = must(await project.api.get(`/sequences/${flow.key}/flow`), 200);
  expect([reachedBy, ...edges.slice(1, 3)]).toEqual([
    'completed',
    { from: 'enough', to: 'exit', branchKey: 'true', passed: 1, arm: { runs: 1, reached: 1, active: 0 } },
    { from: 'enough', to: 'more', branchKey: 'false', passed: 2, arm: { runs: 1, reached: 1, active: 0 } },
  ]);
});

test('the versions tell how many runs are under way by each, and those in use are the current one and these', async () => {
  const flow = await newFlow(project, FORK);
  const email = project.address();
  await newContact(project, email);
  await standsAt(em, await flow.enroll(email), 'later');
  for (const name of ['Second', 'Third']) await flow.put({ ...FORK, name });
  const versions = async (query = '') =>
    must(await project.api.get(`/sequences/${flow.key}/versions${query}`), 200).versions.map(
      ({ version, active }: { version: number; active: number }) => [version, active],
    );
  // The first is the draft that newFlow begins with.
  expect(await versions()).toEqual([
    [4, 0],
    [3, 0],
    [2, 1],
    [1, 0],
  ]);
  expect(await versions('?inUse=true')).toEqual([
    [4, 0],
    [2, 1],
  ]);
  expect(await versions('?inUse=true&before=4')).toEqual([[2, 1]]);
  must(await project.api.post('/events', { type: BOUGHT, email }), 200);
  await eventually(async () => (await versions('?inUse=true')).length === 1);
});
