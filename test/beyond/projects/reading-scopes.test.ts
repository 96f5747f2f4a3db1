import { beforeAll, describe, expect, test } from 'vitest';
import { PRESETS, SCOPES } from '../../../domain/projects/scopes.ts';
import type { Api } from '../../support/api.ts';
import { newProject, type TestProject } from '../../support/project.ts';
import { must, newContact, newSequence } from '../../support/sequences.ts';

const AREAS = ['/segments', '/templates', '/campaigns', '/suppressions', '/webhooks'];

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

async function statuses(by: Api, paths: readonly string[]): Promise<number[]> {
  return (await Promise.all(paths.map((path) => by.get(path)))).map(({ status }) => status);
}

test('a key without a reading scope reads what it always did', async () => {
  for (const scopes of [[], ['send'], ['contacts:read', 'sends:read', 'keys:read'], ['templates:write', 'contacts:write']]) {
    const { api: by } = await project.newKey(scopes);
    expect({ scopes, statuses: await statuses(by, AREAS) }).toEqual({ scopes, statuses: AREAS.map(() => 200) });
    const refused = await by.get('/sequences');
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect(refused.body.error).toContain('sequences:write');
    const told = must(await by.get('/me'), 200);
    expect([...told.scopes].sort()).toEqual([...scopes].sort());
    expect(told.grants).toEqual(expect.arrayContaining([...scopes, 'templates:read', 'webhooks:read']));
    expect(told.grants).not.toContain('sequences:read');
  }
});

test('a key with a reading scope reads only what its scopes name or include', async () => {
  const { api: by } = await project.newKey(['send', 'templates:read', 'suppressions:write']);
  expect(await statuses(by, AREAS)).toEqual([403, 200, 403, 200, 403]);
  expect((await by.get('/sequences')).status).toBe(403);
  expect(must(await by.get('/me'), 200)).toMatchObject({
    scopes: ['send', 'templates:read', 'suppressions:write'],
    grants: ['send', 'templates:read', 'suppressions:read', 'suppressions:write'],
  });
});

test('sequences:read reads sequences and runs, and changes nothing of them', async () => {
  const sequence = await newSequence(project);
  const address = project.address();
  const contactId = await newContact(project, address);
  const enrollmentId = await sequence.enroll(address);
  const { api: by } = await project.newKey(['sequences:read']);
  const reads = ['', '/enrollments', '/versions', '/flow'].map((more) => `/sequences/${sequence.key}${more}`);
  expect(await statuses(by, ['/sequences', ...reads, `/enrollments/${enrollmentId}`])).toEqual([200, 200, 200, 200, 200, 200]);
  for (const write of [
    by.put(`/sequences/${sequence.key}`, {}),
    by.post(`/sequences/${sequence.key}/enroll`, { contactId }),
    by.delete(`/enrollments/${enrollmentId}`),
    by.post('/events', { type: 'x', contactId }),
  ]) {
    const { status, body } = await write;
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(body.error).toContain('sequences:write');
  }
});

test('GET /attention tells a key with reading scopes only of what these let it read', async () => {
  const own = await newProject();
  const later = new Date(Date.now() + 86_400_000).toISOString();
  must(await own.api.post('/contacts', { email: own.address(), tags: ['a'] }), 200);
  must(await own.api.put('/templates/receipt', { enabled: true }), 200);
  const campaign = { name: 'Held', template: 'receipt', audience: { mode: 'tag', tag: 'a' }, scheduleAt: later };
  const { campaignId } = must(await own.api.post('/campaigns', campaign), 201);
  must(await own.api.post(`/campaigns/${campaignId}/pause`), 200);
  const kinds = async (scopes: readonly string[]) =>
    must(await (await own.newKey(scopes)).api.get('/attention'), 200).items.map(({ kind }: { kind: string }) => kind);
  expect(await kinds(['send'])).toEqual(['campaign_held']);
  expect(await kinds(['campaigns:read'])).toEqual(['campaign_held']);
  expect(await kinds(['templates:read'])).toEqual([]);
});

describe('presets', () => {
  test('viewer reads every area and changes none', async () => {
    const { api: by } = await project.newKey(PRESETS.viewer);
    const all = [...AREAS, '/contacts', '/sends', '/sequences', '/keys', '/stats', '/attention'];
    expect(await statuses(by, all)).toEqual(all.map(() => 200));
    expect(PRESETS.viewer.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
    expect([...PRESETS.viewer].sort()).toEqual(SCOPES.filter((scope) => scope.endsWith(':read')).sort());
  });

  test('marketer sees neither webhooks nor keys', async () => {
    const { api: by } = await project.newKey(PRESETS.marketer);
    expect(await statuses(by, ['/webhooks', '/keys', '/sequences', '/suppressions'])).toEqual([403, 403, 200, 200]);
  });
});
