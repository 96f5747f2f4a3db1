import { beforeAll, describe, expect, test } from 'vitest';
import { chain, fork } from '../domain/sequences/graphs.ts';
import { postInbound } from '../support/inbound.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { must, newSequence } from '../support/sequences.ts';

/** Every object has these by inheritance; none of them is a name that anything here knows. */
const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

describe.each(NAMES)('%s is', (name) => {
  test('no kind of block', async () => {
    for (const block of [{ type: name }, { type: 'columns', columns: [{ blocks: [{ type: name }] }, { blocks: [] }] }]) {
      const answer = await project.api.put('/templates/welcome/content', { content: { blocks: [block] } });
      expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_content' } });
    }
  });

  test('no kind of node, no op and no field of a condition', async () => {
    const { key } = await newSequence(project, { status: 'draft' });
    const when = { field: 'contact.status', op: 'eq', value: 'pending' };
    for (const node of [
      { id: 'n', kind: name },
      { id: 'n', kind: 'branch', config: { when: { ...when, op: name } } },
      { id: 'n', kind: 'branch', config: { when: { ...when, field: `contact.${name}` } } },
      { id: 'n', kind: 'branch', config: { when: { email: { event: name } } } },
    ]) {
      expect(await project.api.put(`/sequences/${key}`, chain(node))).toMatchObject({ status: 422, body: { code: 'invalid_graph' } });
    }
  });

  test('an attribute that no contact has unless it was given, and a branch like another', async () => {
    const { key } = await newSequence(project, { status: 'draft' });
    const exists = { field: `attributes.${name}`, op: 'exists' };
    must(await project.api.put(`/sequences/${key}`, fork({ id: 'b', kind: 'branch', config: { when: exists } }, ['true', 'false'])), 200);
    const simulate = (assume: object) => project.api.post(`/sequences/${key}/simulate`, { contact: { attributes: {} }, assume });
    expect(must(await simulate({}), 200).path.map(({ nodeId }: { nodeId: string }) => nodeId)).toContain('to_false');
    expect(await simulate(JSON.parse(`{"${name}":"true"}`))).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
  });

  test('no template, no sequence, no provider, no status and no brand', async () => {
    expect((await project.api.get(`/templates/${name}/schema`)).status).toBe(404);
    expect((await project.api.get(`/sequences/${name}`)).status).toBe(404);
    expect((await postInbound(project, name, '{}', { 'content-type': 'application/json' })).status).toBe(404);
    expect((await project.api.get(`/contacts?status=${name}`)).status).toBe(422);
    expect((await project.api.post('/contacts', { email: project.address(), status: name })).status).toBe(422);
    expect((await project.api.post('/contacts', { email: project.address(), brand: name })).status).toBe(422);
  });

  test('no filter and no tag of Liquid, and a variable without a value', async () => {
    const preview = (text: string) => project.api.post('/templates/welcome/preview', { content: { blocks: [{ type: 'text', text }] } });
    for (const text of [`{{ "a" | ${name} }}`, `{% ${name} %}`]) {
      expect(await preview(text)).toMatchObject({ status: 422, body: { code: 'invalid_content' } });
    }
    expect(must(await preview(`<{{ ${name} }}|{{ contact.${name} }}|{{ brand.${name}.name }}>`), 200).text).toContain('<||>');
  });
});
