import { beforeAll, expect, test } from 'vitest';
import type { EntityManager } from '../../../db/orm.ts';
import { EXIT, TRIGGER } from '../../domain/sequences/graphs.ts';
import { newFlow, standsAt } from '../../support/flow.ts';
import { database, newProject, type TestProject } from '../../support/project.ts';
import { DAY_MINUTES, must, newContact } from '../../support/sequences.ts';

let em: EntityManager;
let project: TestProject;

beforeAll(async () => {
  em = await database();
  project = await newProject();
});

/** A trigger, waits of these minutes one after the other, and an exit. */
function waits(minutes: Readonly<Record<string, number>>): object {
  const ids = Object.keys(minutes);
  const nodes = ids.map((id) => ({ id, kind: 'wait_delay', config: { minutes: minutes[id] } }));
  const way = ['trigger', ...ids, 'exit'];
  return { nodes: [TRIGGER, ...nodes, EXIT], edges: way.slice(1).map((to, index) => ({ from: way[index], to })) };
}

const putsTo =
  (key: string) =>
  async (graph: object, query = '') =>
    must(await project.api.put(`/sequences/${key}${query}`, graph), 200);

test('a dry run says how many stand at steps that the graph removes or changes, whatever their version, and writes nothing', async () => {
  const flow = await newFlow(project, waits({ first: DAY_MINUTES, second: DAY_MINUTES }));
  const put = putsTo(flow.key);
  const enter = async () => {
    const email = project.address();
    await newContact(project, email);
    await standsAt(em, await flow.enroll(email), 'first');
  };
  await enter();
  await enter();
  // People stay on version 2, and one enters by version 3, in which what is changed is not where they stand.
  expect(await put(waits({ first: DAY_MINUTES, second: 2 * DAY_MINUTES }))).toEqual({ ok: true, key: flow.key, nodes: 4, version: 3 });
  await enter();
  const versions = [
    { version: 3, people: 1 },
    { version: 2, people: 2 },
  ];
  const removing = waits({ second: 2 * DAY_MINUTES });
  const before = must(await project.api.get(`/sequences/${flow.key}`), 200);
  expect(await put(removing, '?dryRun=1')).toEqual({
    ...{ ok: true, key: flow.key, nodes: 3, version: 4, dryRun: true },
    changes: [{ nodeId: 'first', change: 'removed', people: 3, versions }],
  });
  expect(must(await project.api.get(`/sequences/${flow.key}`), 200)).toEqual(before);
  const changing = waits({ first: 5, second: 2 * DAY_MINUTES });
  expect((await put(changing, '?dryRun=1')).changes).toEqual([{ nodeId: 'first', change: 'changed', people: 3, versions }]);
  expect(await put(removing)).toMatchObject({ version: 4, changes: [{ nodeId: 'first', change: 'removed', people: 3 }] });
  // What an earlier version removed this one does not remove.
  expect((await put(waits({ second: 5 }), '?dryRun=1')).changes).toEqual([]);
});

test('a dry run refuses what the call refuses, and warns as it does', async () => {
  const flow = await newFlow(project, waits({ first: DAY_MINUTES }));
  const dry = (key: string, graph: object, query = '') => project.api.put(`/sequences/${key}?dryRun=1${query}`, graph);
  expect(await dry(flow.key, { nodes: [], edges: [] })).toMatchObject({ status: 422, body: { code: 'invalid_graph' } });
  expect(await dry(flow.key, waits({ first: 1 }), '&ifVersion=1')).toMatchObject({ status: 409, body: { code: 'version_conflict' } });
  const mail = { id: 'mail', kind: 'send_email', config: { template: 'welcome' } };
  const edges = [
    { from: 'trigger', to: 'mail' },
    { from: 'mail', to: 'exit' },
  ];
  const warned = must(await dry(flow.key, { nodes: [TRIGGER, mail, EXIT], edges }), 200);
  expect(warned.warnings).toMatchObject([{ path: 'nodes[1].config.template' }]);
  expect(must(await dry('of-nobody', waits({ first: 1 })), 200)).toMatchObject({ version: 1, dryRun: true, changes: [] });
  expect((await project.api.get('/sequences/of-nobody')).status).toBe(404);
  expect((await project.api.put(`/sequences/${flow.key}?dryRun=yes`, waits({ first: 1 }))).status).toBe(422);
});
