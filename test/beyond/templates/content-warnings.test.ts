import { beforeAll, expect, test } from 'vitest';
import { newProject, type TestProject } from '../../support/project.ts';

const path = '/templates/announcement';
let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

test('a color that can hardly be read is told with its place by PUT content and by a preview, and is stored all the same', async () => {
  const { api } = project;
  const blocks = [
    { type: 'heading', text: 'One', color: 'primary', align: 'center' },
    { type: 'text', text: 'Two', color: '#ffffff', spaceAbove: 40 },
  ];
  const warnings = [
    { path: 'content.blocks[1].color', message: 'hard to read: its contrast to the background is 1 and should be at least 4.5' },
  ];
  const saved = await api.put(`${path}/content`, { content: { blocks }, publish: true });
  expect(saved.body).toEqual({ ok: true, key: 'announcement', version: 1, published: true, publication: 1, warnings });
  expect((await api.get(`${path}/content`)).body.published.content).toEqual({ blocks });
  const stored = (await api.post(`${path}/preview`, {})).body;
  const given = (await api.post(`${path}/preview`, { content: { blocks } })).body;
  expect([stored.warnings, given.warnings]).toEqual([warnings, warnings]);
  expect(stored.html).toMatch(/<td align="center"[^>]*><h1/);
  expect(stored.html).toMatch(/padding:40px 24px 16px;[^"]*color:#ffffff/);
});

test('colors by name are those of the brand that sends, and what is readable is warned of in no brand', async () => {
  const { api } = project;
  const blocks = [{ type: 'text', text: 'Words', color: 'primary' }];
  const preview = async () => (await api.post(`${path}/preview`, { content: { blocks } })).body;
  const { brands } = (await api.get('/brands')).body;
  await api.put(`/brands/${brands[0].slug}`, { color: '#7c2d12' });
  const dark = await preview();
  expect([dark.html.includes('color:#7c2d12'), dark.warnings]).toEqual([true, undefined]);
  await api.put(`/brands/${brands[0].slug}`, { color: '#fde68a' });
  const light = await preview();
  expect(light.warnings).toEqual([{ path: 'content.blocks[0].color', message: expect.stringMatching(/^hard to read: .* is 1\.2 and/) }]);
});
