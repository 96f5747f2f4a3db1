import { beforeAll, describe, expect, test } from 'vitest';
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

describe('a body with more than a route takes', () => {
  const MILLIONS = 2_600_000;
  const zeros = `[${'0,'.repeat(MILLIONS - 1)}0]`;

  const issuesOf = async (path: string, body: string): Promise<unknown> => {
    const { status, body: answer } = await project.api.call('POST', path, body);
    return { status, code: answer.code, issues: answer.issues };
  };
  const tooMany = (path: string, message: string) => ({ status: 422, code: 'invalid_request', issues: [{ path, message }] });

  test('is refused by the length of its arrays, whatever their millions of elements are', async () => {
    for (const [path, body, at, message] of [
      ['/contacts', zeros, 'contacts', 'at most 1000 contacts'],
      ['/contacts', `{"email":"${project.address()}","tags":${zeros}}`, 'tags', 'at most 100 tags'],
      ['/contacts', `{"email":"${project.address()}","attributes":{"a":${zeros}}}`, 'attributes', 'at most 64 KB'],
      ['/events', `{"type":"x","email":"${project.address()}","exitSequences":${zeros}}`, 'exitSequences', 'at most 1000 keys'],
      ['/events', `{"type":"x","email":"${project.address()}","data":{"a":${zeros}}}`, 'data', 'at most 256 KB'],
      ['/send', `{"template":"receipt","to":"${project.address()}","data":{"a":${zeros}}}`, 'data', 'at most 256 KB'],
      ['/segments', `{"label":"x","filter":{"tags":${zeros}}}`, 'filter.tags', 'at most 100 tags'],
      ['/segments', `{"label":"x","filter":{"status":${zeros}}}`, 'filter.status', 'at most 4 items'],
      ['/sequences', `{"key":"k","name":"n","steps":${zeros}}`, 'steps', 'at most 149 steps'],
      ['/sequences/none/simulate', `{"contact":{"tags":${zeros}}}`, 'contact.tags', 'at most 100 tags'],
      ['/sequences/none/simulate', `{"contact":{},"assume":{"a":${zeros}}}`, 'assume', 'at most 64 KB'],
    ] as const) {
      expect({ path, at, answer: await issuesOf(path, body) }).toEqual({ path, at, answer: tooMany(at, message) });
    }
  });

  test('is refused by its own code where it names more people than one enrollment takes', async () => {
    for (const field of ['contactIds', 'emails']) {
      const answer = await issuesOf('/sequences/none/enroll/bulk', `{"${field}":${zeros}}`);
      expect({ field, answer }).toEqual({ field, answer: { status: 422, code: 'audience_too_large', issues: undefined } });
    }
  });

  test('is refused by its size where it is a graph', async () => {
    await project.api.post('/sequences', { key: 'huge', name: 'Huge', steps: [{ template: 'welcome' }] });
    for (const field of ['nodes', 'edges', 'triggers', 'goal']) {
      const graph = Object.entries({ nodes: '[]', edges: '[]', [field]: zeros }).map(([name, value]) => `"${name}":${value}`);
      const { status, body } = await project.api.call('PUT', '/sequences/huge', `{${graph.join(',')}}`);
      expect([field, status, body.issues]).toEqual([field, 422, [{ message: 'the graph is larger than 256 KB' }]]);
    }
  });

  test('is refused by the number of its objects before they are made', async () => {
    const objects = `[${'{},'.repeat(1_700_000)}{}]`;
    expect(await issuesOf('/contacts', objects)).toEqual(tooMany('', 'at most 100000 objects and arrays in one body'));
  });

  test('is refused by the number of its names before any object is made', async () => {
    const names = Array.from({ length: 400_000 }, (_, index) => `"n${index}":0`).join(',');
    const refused = tooMany('', 'at most 30000 different names of members in one body');
    expect(await issuesOf('/contacts', `{${names}}`)).toEqual(refused);
  });
});

test('a hundred problems are told at most, with names cut where they are long', async () => {
  const bad = Array.from({ length: 1000 }, () => ({ email: 'nobody', tags: Array(100).fill('') }));
  const { status, body } = await project.api.post('/contacts', bad);
  expect([status, body.issues.length]).toEqual([422, 100]);
  const unknown = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${index}${'x'.repeat(5000)}`, 1]));
  const { body: answer } = await project.api.post('/segments', { label: 'l', filter: unknown });
  expect(answer.issues).toHaveLength(100);
  expect(answer.issues[0]).toEqual({ path: `filter.0${'x'.repeat(99)}…`, message: 'no such field; known: status, tags, source, where' });
  const steps = Array.from({ length: 149 }, () => ({ template: 'none' }));
  const { body: unknownSteps } = await project.api.post('/sequences', { key: 'unknown', name: 'Unknown', steps });
  expect([unknownSteps.code, unknownSteps.issues.length]).toEqual(['unknown_template', 100]);
  const nodes = Array.from({ length: 299 }, (_, index) => ({ id: `n${index}`, kind: 'nothing' }));
  const { body: graph } = await project.api.put('/sequences/sent', { nodes, edges: [] });
  expect(graph).toMatchObject({ code: 'invalid_graph' });
  expect(graph.issues).toHaveLength(100);
});

test('a name that an object has twice is refused with its path, however it is written', async () => {
  const email = project.address();
  const refusal = async (body: string) => {
    const { status, body: answer } = await project.api.call('POST', '/contacts', body);
    return [status, answer.code, answer.error];
  };
  const twice = (path: string) => [400, 'invalid_json', `the body has "${path}" twice; a name may stand in an object once`];
  for (const [body, path] of [
    [`{"email":"${email}","tags":["a"],"email":"${email}"}`, 'email'],
    [`{"email":"${email}","\\u0065mail":"${email}"}`, 'email'],
    [`{"email":"${email}","attributes":{"é":{"x":1},"\\u00e9":2}}`, 'attributes.é'],
    [`[{"email":"${email}"},{"email":"${email}","attributes":{"x":[{},{"y":1,"y":1}]}}]`, 'contacts[1].attributes.x[1].y'],
    // An object within has the name in between.
    [`{"email":"${email}","attributes":{"a":{"a":1},"a":2}}`, 'attributes.a'],
    [`{"email":"${email}","attributes":{"__proto__":1,"__proto__":1}}`, 'attributes.__proto__'],
    [`{"email":"${email}","attributes":{"":1,"":1}}`, 'attributes.'],
    // The second stands in another turn of the reader.
    [`{"email":"${email}","attributes":{"long":"${'x'.repeat(1_000_000)}"},"email":"${email}"}`, 'email'],
  ] as const)
    expect(await refusal(body)).toEqual(twice(path));
  // What is no JSON either is told as that.
  expect(await refusal(`{"email":"${email}","email"}`)).toEqual([400, 'invalid_json', expect.stringContaining('at line 1, column')]);
});

test('a name that other objects have too, or a text that looks like one, is no repetition', async () => {
  const email = project.address();
  const attributes = '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":"\\"a\\":1,"},{"b":{},"a":{"b":1}}],"A":1,"a ":"a"}';
  const { status, body } = await project.api.call('POST', '/contacts', `{"email":"${email}","attributes":${attributes}}`);
  expect([status, body.contacts[0].attributes]).toEqual([200, JSON.parse(attributes)]);
});

test('a number that could not be kept as it is written is refused with its path, and all others are kept', async () => {
  const email = project.address();
  const post = (attributes: string) => project.api.call('POST', '/contacts', `{"email":"${email}","attributes":${attributes}}`);
  for (const number of [
    '1e999',
    '-1e400',
    '1e-999',
    '9007199254740993',
    '-12345678901234567890',
    '9007199254740993.0',
    '9007199254740993e0',
  ]) {
    const { status, body } = await post(`{"fine":1,"deep":[0,{"x":${number}}]}`);
    expect([number, status, body.code, body.issues]).toEqual([
      number,
      422,
      'invalid_request',
      [{ path: 'attributes.deep[1].x', message: 'not a number that can be kept as it is written' }],
    ]);
  }
  const { body } = await project.api.call('POST', '/contacts', `[{"email":"${email}"},{"email":"${email}","attributes":{"a":1e999}}]`);
  expect(body.issues[0].path).toBe('contacts[1].attributes.a');
  const kept =
    '{"a":9007199254740992,"b":1e300,"c":0.30000000000000004,"d":-0.0,"e":1.50,"f":100000000000000000000,"g":"1e999 9007199254740993"}';
  const { body: answer } = await post(kept);
  expect(answer.contacts[0].attributes).toEqual(JSON.parse(kept.replace('-0.0', '0')));
});
