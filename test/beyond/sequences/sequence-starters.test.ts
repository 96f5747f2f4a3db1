import { expect, test } from 'vitest';
import { STARTERS } from '../../../domain/sequences/starters/index.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { must } from '../../support/sequences.ts';

const read = async (project: Pick<TestProject, 'api'>, key: string) => must(await project.api.get(`/sequence-starters/${key}`), 200);

test('the list names every starter, with how many mails it has', async () => {
  const { starters } = must(await (await newProject()).api.get('/sequence-starters'), 200);
  expect(starters.map(({ key, mails }: { key: string; mails: number }) => [key, mails])).toEqual([
    ['welcome', 2],
    ['trial', 4],
    ['cart', 3],
    ['win-back', 3],
    ['onboarding', 4],
    ['invoice-reminder', 2],
  ]);
});

test.each(STARTERS)(
  '$key comes simulated to its end, and taken over it is a draft without a warning whose mails all have a template',
  async ({ key }) => {
    const project = await newProject();
    const { graph, templates, simulation } = await read(project, key);
    expect(simulation.endedBy).toBe('exit');
    expect(simulation.sends.length).toBeGreaterThanOrEqual(2);
    for (const template of templates) {
      expect(must(await project.api.post('/templates', template), 201)).not.toHaveProperty('warnings');
      expect((await project.api.post(`/templates/${template.key}/preview`, {})).status).toBe(200);
    }
    expect(must(await project.api.put(`/sequences/${key}`, graph), 200)).not.toHaveProperty('warnings');
    const { status, nodes } = must(await project.api.get(`/sequences/${key}`), 200);
    expect([status, nodes]).toEqual(['draft', graph.nodes]);
    // What it came with is there by now.
    expect((await read(project, key)).templates).toEqual([]);

    // With its templates on, the same way is what the sequence itself simulates, and nothing keeps a mail from going.
    const used = new Set<string>(nodes.flatMap((node: { config?: { template?: string } }) => node.config?.template ?? []));
    for (const template of used) must(await project.api.put(`/templates/${template}`, { enabled: true }), 200);
    const starter = STARTERS.find((one) => one.key === key)!;
    const { attributes, event, assume } = starter.example;
    const again = must(await project.api.post(`/sequences/${key}/simulate`, { contact: { attributes }, event, assume }), 200);
    expect(again).not.toHaveProperty('warnings');
    expect([again.sends, again.endedBy]).toEqual([simulation.sends, 'exit']);
  },
);

test('a template that the project has is not brought, and one that nobody has is 404', async () => {
  const project = await newProject();
  const own = {
    key: 'first-steps',
    type: 'marketing',
    name: 'Ours',
    subject: 'Ours',
    content: { blocks: [{ type: 'text', text: 'Ours' }] },
  };
  must(await project.api.post('/templates', own), 201);
  const keys = async (key: string) => (await read(project, key)).templates.map((one: { key: string }) => one.key);
  expect([await keys('welcome'), await keys('onboarding')]).toEqual([[], ['onboarding-team']]);
  expect(must(await project.api.get('/sequence-starters/nothing'), 404).code).toBe('not_found');
});

test('a key without sequences:write reads no starter', async () => {
  const { api } = await (await newProject()).newKey(['contacts:read']);
  expect([(await api.get('/sequence-starters')).status, (await api.get('/sequence-starters/cart')).status]).toEqual([403, 403]);
});
