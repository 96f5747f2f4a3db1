import { beforeAll, expect, test } from '@jest/globals';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';

let project: TestProject;

beforeAll(async () => {
  project = await newProject();
});

async function postBytes(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<{ status: number; code: string }> {
  const answer = await fetch(`${testEnvironment().apiUrl}/api/v1/contacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
  });
  return { status: answer.status, code: ((await answer.json()) as { code: string }).code };
}

test('bytes that are not UTF-8 are refused and make no other address of one', async () => {
  const latin1 = Buffer.from('{"email":"müller@b.example"}', 'latin1');
  expect(await postBytes(latin1)).toEqual({ status: 400, code: 'invalid_json' });
});

test('half of a surrogate pair in an address is no valid address', async () => {
  expect(await postBytes(Buffer.from('{"email":"\\ud800@b.example"}'))).toEqual({ status: 422, code: 'invalid_request' });
});

test('another charset and a compressed body are an unsupported media type; UTF-8 by name is not', async () => {
  const body = Buffer.from(JSON.stringify({ email: project.address() }));
  const type = { 'content-type': 'application/json; charset=iso-8859-1' };
  expect(await postBytes(body, type)).toEqual({ status: 415, code: 'unsupported_media_type' });
  expect(await postBytes(body, { 'content-encoding': 'gzip' })).toEqual({ status: 415, code: 'unsupported_media_type' });
  expect((await postBytes(body, { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(200);
});

test('a field that is required and a choice that is missing are told together', async () => {
  const pathsOf = async (path: string): Promise<string[]> => {
    const { body } = await project.api.post(path, {});
    return body.issues.map((issue: { path: string }) => issue.path);
  };
  expect(await pathsOf('/send')).toEqual(['template', 'to']);
  expect(await pathsOf('/events')).toEqual(['type', 'email']);
});

test('a linear sequence with Liquid that does not parse is refused as its graph would be', async () => {
  const steps = [{ template: 'welcome' }, { template: 'welcome', subject: '{{ bad' }];
  const { status, body } = await project.api.post('/sequences', { key: 'bad-liquid', name: 'Bad', steps });
  expect({ status, code: body.code, path: body.issues[0].path }).toEqual({
    status: 422,
    code: 'invalid_request',
    path: 'steps[1].subject',
  });
});

test('a wait for a day that no timer can hold is refused', async () => {
  await project.api.post('/sequences', { key: 'far', name: 'Far', steps: [{ template: 'welcome' }] });
  const nodes = [
    { id: 't', kind: 'trigger' },
    { id: 'w', kind: 'wait_until', config: { time: { date: '9999-12-31' } } },
  ];
  const { status, body } = await project.api.put('/sequences/far', { nodes, edges: [{ from: 't', to: 'w' }] });
  expect({ status, code: body.code, nodeId: body.issues[0].nodeId }).toEqual({ status: 422, code: 'invalid_graph', nodeId: 'w' });
});

test('simulate counts the mails of its own run as sent', async () => {
  await project.api.post('/sequences', { key: 'sent', name: 'Sent', steps: [{ template: 'welcome' }] });
  const nodes = [
    { id: 't', kind: 'trigger' },
    { id: 's', kind: 'send_email', config: { template: 'welcome' } },
    { id: 'b', kind: 'branch', config: { when: { email: { template: 'welcome', event: 'sent' } } } },
    { id: 'x', kind: 'exit' },
  ];
  const edges = [
    { from: 't', to: 's' },
    { from: 's', to: 'b' },
    { from: 'b', to: 'x', branchKey: 'true' },
  ];
  expect((await project.api.put('/sequences/sent', { nodes, edges })).status).toBe(200);
  const { body } = await project.api.post('/sequences/sent/simulate', { contact: {} });
  expect(body).toMatchObject({ endedBy: 'exit', sends: ['welcome'] });
});
