import { beforeAll, expect, test } from '@jest/globals';
import { newProject, type TestProject } from '../support/project.ts';
import { must, newSequence } from '../support/sequences.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

const versionsIn = ({ versions }: { versions: { version: number }[] }) => versions.map(({ version }) => version);

test('every version of a sequence is listed and can be read, and an earlier one can be put back', async () => {
  const { key } = await newSequence(project, { steps: [{ template: 'receipt' }] });
  const path = `/sequences/${key}`;
  const { ok: _, ...first } = must(await project.api.get(path), 200);
  for (const minutes of [1, 2]) {
    const nodes = [...first.nodes, { id: 'wait', kind: 'wait_delay', config: { minutes } }];
    const edges = [
      { from: 'trigger', to: 'wait' },
      { from: 'wait', to: 'send_1' },
      { from: 'send_1', to: 'exit' },
    ];
    must(await project.api.put(path, { ...first, name: `With ${minutes}`, nodes, edges }), 200);
  }
  const { versions } = must(await project.api.get(`${path}/versions`), 200);
  expect(versions).toEqual([3, 2, 1].map((version) => ({ version, nodes: version === 1 ? 3 : 4, created_at: expect.any(String) })));
  expect(versionsIn(must(await project.api.get(`${path}/versions?limit=1&before=3`), 200))).toEqual([2]);

  const { ok: __, ...earlier } = must(await project.api.get(`${path}?version=1`), 200);
  expect(earlier).toEqual({ ...first, name: 'With 2', version: 1 });
  expect(must(await project.api.get(`${path}?version=3`), 200)).toEqual(must(await project.api.get(path), 200));
  expect(must(await project.api.put(path, earlier), 200).version).toBe(4);
  expect(must(await project.api.get(path), 200)).toMatchObject({ version: 4, nodes: first.nodes });

  for (const missing of [`${path}?version=5`, `${path}?version=0`, '/sequences/nobody-has-it/versions']) {
    expect([missing, (await project.api.get(missing)).body.code]).toEqual([missing, 'not_found']);
  }
  expect((await project.api.get(`${path}?version=x`)).body.code).toBe('invalid_request');
  const other = await newProject();
  for (const theirs of [`${path}/versions`, `${path}?version=1`]) expect((await other.api.get(theirs)).status).toBe(404);
  const reader = (await project.newKey(['contacts:read'])).api;
  expect((await reader.get(`${path}/versions`)).body.code).toBe('forbidden');
});

test('every published version of a template is listed and can be read, with the draft, of the brand and project only', async () => {
  const path = '/templates/welcome';
  const content = (text: string) => ({ blocks: [{ type: 'text', text }] });
  const save = async (text: string, publish: boolean) =>
    must(await project.api.put(`${path}/content`, { content: content(text), publish }), 200);
  await save('one', true);
  await save('dropped', false);
  await save('three', true);
  await save('four', false);
  const { versions } = must(await project.api.get(`${path}/versions`), 200);
  const at = expect.any(String);
  expect(versions).toEqual([
    { version: 4, state: 'draft', created_at: at },
    { version: 3, state: 'published', created_at: at },
    { version: 1, state: 'superseded', created_at: at },
  ]);
  expect(versionsIn(must(await project.api.get(`${path}/versions?before=4&limit=1`), 200))).toEqual([3]);
  expect(must(await project.api.get(`${path}/versions/1`), 200)).toMatchObject({ ...versions[2], content: content('one') });
  for (const missing of ['2', '9', 'x', '-1', '99999999999']) {
    expect([missing, (await project.api.get(`${path}/versions/${missing}`)).body.code]).toEqual([missing, 'not_found']);
  }
  expect((await project.api.get('/templates/nobody-has-it/versions')).body.code).toBe('unknown_template');
  const other = await newProject();
  expect(must(await other.api.get(`${path}/versions`), 200).versions).toEqual([]);
  expect((await other.api.get(`${path}/versions/1`)).status).toBe(404);
});
