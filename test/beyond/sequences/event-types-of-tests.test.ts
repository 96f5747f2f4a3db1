import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { database, newProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

test('how events of test keys are kept is no type that anybody can name, and GET /vocabulary tells none', async () => {
  const project = await newProject();
  const type = 'ep_test signed_up';
  const name = 'Ours';
  must(await project.api.post('/sequences', { key: 'b', name, steps: [{ template: 'welcome' }] }), 201);
  const graph = (kind: string, config: object, branchKeys: readonly string[]) => ({
    nodes: [
      { id: 't', kind: 'trigger' },
      { id: 'n', kind, config },
      { id: 'x', kind: 'exit' },
    ],
    edges: [{ from: 't', to: 'n' }, ...branchKeys.map((branchKey) => ({ from: 'n', to: 'x', branchKey }))],
  });
  const wait = graph('wait_until', { event: { type }, timeoutMinutes: 5 }, ['event', 'timeout']);
  const branch = graph('branch', { when: { event: { type } } }, ['true', 'false']);
  const { api: tester } = await project.newKey(['*'], true);
  for (const reply of [
    await project.api.post('/events', { type, email: project.address() }),
    await tester.post('/events', { type, email: project.address() }),
    await project.api.post('/sequences', { key: 'a', name, steps: [{ template: 'welcome' }], trigger: type }),
    await project.api.put('/sequences/b', wait),
    await project.api.put('/sequences/b', branch),
    await project.api.post('/segments', { label: 'a', filter: { where: { event: { type } } } }),
  ])
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([422, expect.stringContaining('is how events of test keys are kept')]);
  await row(
    await database(),
    sql`insert into event_types (project_id, type_hash, type, last_seen_at) values (${project.id}, sha256(${type}::bytea), ${type}, now())`,
  );
  expect(must(await project.api.get('/vocabulary'), 200).eventTypes).toEqual([]);
});
