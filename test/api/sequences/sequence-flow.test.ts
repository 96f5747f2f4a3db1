import { expect, test } from 'vitest';
import { database, newProject } from '../../support/project.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, newSequence } from '../../support/sequences.ts';

test('GET /sequences/:key/flow counts who stands where and which way the runs went, of that sequence only', async () => {
  const project = await newProject();
  await enableTemplates(project, 'welcome');
  const { key, enroll } = await newSequence(project);
  const graph = {
    name: 'Two ways',
    status: 'active',
    nodes: [
      { id: 'start', kind: 'trigger', config: {} },
      { id: 'fork', kind: 'branch', config: { when: { field: 'attributes.plan', op: 'eq', value: 'pro' } } },
      { id: 'hello', kind: 'send_email', config: { template: 'welcome' } },
      { id: 'later', kind: 'wait_delay', config: { minutes: 600 } },
      { id: 'done', kind: 'exit', config: {} },
    ],
    edges: [
      { from: 'start', to: 'fork' },
      { from: 'fork', to: 'hello', branchKey: 'true' },
      { from: 'fork', to: 'later', branchKey: 'false' },
      { from: 'hello', to: 'done' },
      { from: 'later', to: 'done' },
    ],
  };
  must(await project.api.put(`/sequences/${key}`, graph), 200);
  const em = await database();
  const runOf = async (plan: string): Promise<string> => {
    const email = project.address();
    await newContact(project, email, { attributes: { plan } });
    const run = await enroll(email);
    await (plan === 'pro' ? enrollmentEnds(em, run) : enrollmentBecomes(em, run, ({ current_node_id }) => current_node_id === 'later'));
    return run;
  };
  for (const plan of ['pro', 'pro', 'free']) await runOf(plan);
  // Who is taken out at a step comes to no further one.
  must(await project.api.delete(`/enrollments/${await runOf('free')}`), 200);
  // Another sequence's runs are its own.
  const other = await newSequence(project);
  const { runs, standingElsewhere, nodes, edges } = must(await project.api.get(`/sequences/${key}/flow`), 200);
  const ofNode = (node: string) => nodes.find(({ id }: { id: string }) => id === node);
  expect([runs, standingElsewhere]).toEqual([4, 0]);
  expect(ofNode('later')).toEqual({ id: 'later', standing: 1, visits: 2, failed: 0, mails: null, leftOut: null });
  expect(ofNode('hello')).toMatchObject({ id: 'hello', standing: 0, visits: 2, failed: 0 });
  expect(edges.map(({ from, to, passed }: { from: string; to: string; passed: number }) => `${from} ${to} ${passed}`)).toEqual([
    'start fork 4',
    'fork hello 2',
    'fork later 2',
    'hello done 2',
    'later done 0',
  ]);
  expect(must(await project.api.get(`/sequences/${other.key}/flow`), 200).runs).toBe(0);
  expect((await (await newProject()).api.get(`/sequences/${key}/flow`)).status).toBe(404);
  // Who stands at a step that a later version lacks passed no edge of it, and is told.
  const without = (node: string) => ({
    ...graph,
    nodes: graph.nodes.filter(({ id }) => id !== node),
    edges: graph.edges.flatMap((edge) => (edge.from === node ? [] : edge.to === node ? [{ ...edge, to: 'done' }] : [edge])),
  });
  must(await project.api.put(`/sequences/${key}`, without('later')), 200);
  const later = must(await project.api.get(`/sequences/${key}/flow`), 200);
  expect(later.standingElsewhere).toBe(1);
  expect(later.edges.map(({ from, to, passed }: { from: string; to: string; passed: number }) => `${from} ${to} ${passed}`)).toEqual([
    'start fork 4',
    'fork hello 2',
    'fork done 0',
    'hello done 2',
  ]);
});

test('the flow counts runs that went on without an email by reason, of all or of a version, and the list of runs has them', async () => {
  const project = await newProject();
  await enableTemplates(project, 'welcome');
  const { key, enroll } = await newSequence(project);
  const mail = (id: string) => ({ id, kind: 'send_email', config: { template: 'welcome' } });
  const graph = {
    name: 'Two mails',
    status: 'active',
    nodes: [{ id: 'start', kind: 'trigger' }, mail('hello'), mail('again'), { id: 'done', kind: 'exit' }],
    edges: [
      { from: 'start', to: 'hello' },
      { from: 'hello', to: 'again' },
      { from: 'again', to: 'done' },
    ],
  };
  must(await project.api.put(`/sequences/${key}`, graph), 200);
  const em = await database();
  const runOf = async (before: (email: string) => Promise<unknown>): Promise<string> => {
    const email = project.address();
    await newContact(project, email);
    await before(email);
    const run = await enroll(email);
    await enrollmentEnds(em, run);
    return run;
  };
  const suppress = (email: string) => project.api.post('/suppressions', { email, reason: 'manual' });
  const suppressed = await runOf(suppress);
  await runOf(async () => undefined);
  must(await project.api.put(`/sequences/${key}`, { ...graph, name: 'Second' }), 200);
  const later = await runOf(suppress);

  const flowOf = async (query = '') => must(await project.api.get(`/sequences/${key}/flow${query}`), 200);
  const { leftOut, nodes, runs } = await flowOf();
  const nobody = { suppressed: 0, unsubscribed: 0, bounced: 0, unconfirmed: 0, topic_off: 0, erased: 0, frequency_cap: 0, other: 0 };
  expect([runs, leftOut]).toEqual([3, { ...nobody, suppressed: 2 }]);
  expect(nodes.map(({ id, leftOut: of }: { id: string; leftOut: unknown }) => [id, of])).toEqual([
    ['start', null],
    ['hello', { ...nobody, suppressed: 2 }],
    ['again', { ...nobody, suppressed: 2 }],
    ['done', null],
  ]);
  const { version } = must(await project.api.get(`/sequences/${key}`), 200);
  expect((await flowOf(`?version=${version}`)).leftOut).toEqual({ ...nobody, suppressed: 1 });

  const listed = async (query: string): Promise<string[]> =>
    must(await project.api.get(`/sequences/${key}/enrollments?${query}`), 200).enrollments.map(({ id }: { id: string }) => id);
  expect(await listed('leftOut=some')).toEqual([later, suppressed]);
  expect(await listed('leftOut=suppressed&leftOutAt=again')).toEqual([later, suppressed]);
  expect(await listed(`leftOut=suppressed&version=${version}`)).toEqual([later]);
  expect(await listed(`version=${version}`)).toEqual([later]);
  expect(await listed('leftOut=bounced')).toEqual([]);
  expect(await listed('leftOutAt=start')).toEqual([]);
  expect((await project.api.get(`/sequences/${key}/enrollments?leftOut=none`)).status).toBe(422);
});
