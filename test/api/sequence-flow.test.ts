import { expect, test } from '@jest/globals';
import { database, newProject } from '../support/project.ts';
import { enableTemplates, enrollmentBecomes, enrollmentEnds, must, newContact, newSequence } from '../support/sequences.ts';

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
  for (const plan of ['pro', 'pro', 'free']) {
    const email = project.address(plan);
    await newContact(project, email, { attributes: { plan } });
    const run = await enroll(email);
    await (plan === 'pro' ? enrollmentEnds(em, run) : enrollmentBecomes(em, run, ({ current_node_id }) => current_node_id === 'later'));
  }
  // Another sequence's runs are its own.
  const other = await newSequence(project);
  const { runs, nodes, edges } = must(await project.api.get(`/sequences/${key}/flow`), 200);
  const ofNode = (node: string) => nodes.find(({ id }: { id: string }) => id === node);
  expect(runs).toBe(3);
  expect(ofNode('later')).toEqual({ id: 'later', standing: 1, visits: 1, failed: 0 });
  expect(ofNode('hello')).toEqual({ id: 'hello', standing: 0, visits: 2, failed: 0 });
  expect(edges.map(({ from, to, passed }: { from: string; to: string; passed: number }) => `${from} ${to} ${passed}`)).toEqual([
    'start fork 3',
    'fork hello 2',
    'fork later 1',
    'hello done 2',
    'later done 0',
  ]);
  expect(must(await project.api.get(`/sequences/${other.key}/flow`), 200).runs).toBe(0);
  expect((await (await newProject()).api.get(`/sequences/${key}/flow`)).status).toBe(404);
});
