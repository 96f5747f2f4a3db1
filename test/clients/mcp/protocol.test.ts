import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { row } from '../../../db/rows.ts';
import { type ApiHere, startApiHere } from '../../support/api-here.ts';
import { testEnvironment } from '../../support/environment.ts';
import { mailNow } from '../../support/mail.ts';
import { database, newProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';
import { overHttp } from './mcp-client.ts';

const ACTING = [
  ...['send_email', 'cancel_email', 'retry_email', 'prepare_campaign_launch', 'launch_campaign', 'cancel_campaign'],
  ...['prepare_sequence_activation', 'activate_sequence', 'pause_sequence', 'cancel_run', 'publish_template'],
  ...['prepare_send_to_several', 'send_to_several'],
];
const DRAFTING = ['draft_campaign', 'draft_sequence', 'draft_template'];
const ANY_KEY = ['get_project', 'list_attention', 'get_format'];

interface Raw {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly body: any;
}

async function raw(
  key: string | undefined,
  body: unknown,
  {
    method = 'POST',
    headers = {},
    url = testEnvironment().apiUrl,
  }: { method?: string; headers?: Record<string, string>; url?: string } = {},
): Promise<Raw> {
  const response = await fetch(`${url}/mcp`, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const rpc = (method: string, params?: object): object => ({ jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) });
const PING = rpc('ping');

let limited: ApiHere | undefined;
afterAll(() => limited?.stop());

test('tools are those of the scopes of the key, and those that act are there only where that is allowed', async () => {
  const project = await newProject();
  const namesOf = async (scopes: readonly string[], allowSend = false) =>
    (await overHttp((await project.newKey(scopes)).key, { allowSend })).toolNames();
  const all = await namesOf(['*'], true);
  expect(new Set(all).size).toBe(all.length);
  expect(all).toEqual(expect.arrayContaining([...ACTING, ...DRAFTING, ...ANY_KEY]));
  expect((await namesOf(['*'])).toSorted()).toEqual(all.filter((name) => !ACTING.includes(name)).toSorted());
  // A key without reading scopes reads what any key reads.
  const [read, sent] = [await namesOf(['contacts:read', 'segments:read'], true), await namesOf(['send', 'webhooks:read'], true)];
  expect(read.toSorted()).toEqual([...ANY_KEY, 'find_people', 'get_person_timeline', 'list_segments', 'preview_segment'].toSorted());
  expect(sent.toSorted()).toEqual([...ANY_KEY, 'send_email', 'cancel_email', 'retry_email'].toSorted());
});

test('each tool that is listed can be understood by itself', async () => {
  const project = await newProject();
  const { client } = await overHttp(project.key, { allowSend: true });
  // Whatever was asked for before, each is listed the same.
  await client.callTool({ name: 'get_format', arguments: { of: 'template_content' } });
  const { tools } = await client.listTools();
  for (const { name, title, description, inputSchema, annotations } of tools) {
    expect(name).toMatch(/^[a-z_]+$/);
    expect(title).toBeTruthy();
    expect(description?.length).toBeGreaterThan(40);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    const text = JSON.stringify(inputSchema);
    const defined = Object.keys((inputSchema.$defs as object | undefined) ?? {});
    for (const [, ref] of text.matchAll(/"\$ref":"([^"]+)"/g)) expect(defined.map((id) => `#/$defs/${id}`)).toContain(ref);
    expect(annotations?.readOnlyHint).toBe(!ACTING.includes(name) && !DRAFTING.includes(name));
  }
  // What an agent has in mind all the time.
  expect(JSON.stringify(tools).length).toBeLessThan(70_000);
});

test('a tool that the key or the caller is not allowed does nothing, and says what is lacking', async () => {
  const project = await newProject();
  await enableTemplates(project, 'password-reset');
  const mail = { template: 'password-reset', to: project.address(), data: { resetUrl: 'https://a.example' }, idempotencyKey: 'one' };
  const unasked = await (await overHttp(project.key)).call('send_email', mail);
  expect(unasked).toMatchObject({ isError: true, says: expect.stringContaining('Everpost-Allow-Send') });
  const reader = await project.newKey(['sends:read']);
  const unscoped = await (await overHttp(reader.key, { allowSend: true })).call('send_email', mail);
  expect(unscoped).toMatchObject({ isError: true, says: expect.stringContaining('lacks the scope send') });
  expect(await mailNow(`@to.${project.domain}`)).toEqual([]);
});

test('arguments that a tool does not take are refused, each by its name', async () => {
  const { call } = await overHttp((await newProject()).key);
  const told = await call('preview_segment', { filters: { tags: ['vip'] } });
  expect(told).toMatchObject({ isError: true, data: { issues: [{ path: 'filters' }] } });
  expect(await call('preview_segment', { filter: { tag: 'vip' } })).toMatchObject({ isError: true, data: { issues: [{}] } });
  expect(await call('find_people', { tag: ['a', 'b'] })).toMatchObject({ isError: true, data: { issues: [{ path: 'tag' }] } });
  expect(await call('get_person_timeline', {})).toMatchObject({ isError: true, data: { issues: [{ path: 'contactId' }] } });
});

test('a version of the protocol that is not known is refused in a header, and answered with one that is in initialize', async () => {
  const { key } = await newProject();
  const initialize = (protocolVersion: string) =>
    raw(key, rpc('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }));
  expect((await initialize('2025-06-18')).body.result.protocolVersion).toBe('2025-06-18');
  expect((await initialize('1999-01-01')).body.result).toMatchObject({ protocolVersion: '2025-11-25', capabilities: { tools: {} } });
  expect(await raw(key, PING, { headers: { 'mcp-protocol-version': '1999-01-01' } })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('2025-11-25') } },
  });
  expect(await raw(key, PING, { headers: { 'mcp-protocol-version': '2025-11-25' } })).toMatchObject({
    status: 200,
    body: { id: 1, result: {} },
  });
});

test('there is neither a stream nor a session: GET and DELETE are refused', async () => {
  const { key } = await newProject();
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await raw(key, undefined, { method });
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
  }
  expect((await raw(key, rpc('initialize', { protocolVersion: '2025-11-25' }))).headers.get('mcp-session-id')).toBeNull();
});

test('pages of another origin are refused before anything is read', async () => {
  const { key } = await newProject();
  const { apiUrl } = testEnvironment();
  const { port } = new URL(apiUrl);
  for (const origin of ['https://evil.example', `http://evil.example:${port}`, 'null'])
    expect(await raw(key, PING, { headers: { origin } })).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  for (const host of ['localhost', '127.0.0.1'])
    expect((await raw(key, PING, { headers: { origin: `http://${host}:${port}` } })).status).toBe(200);
});

test('who has no key, or one of a suspended project, gets nothing', async () => {
  const project = await newProject();
  const none = await raw(undefined, PING);
  expect({ status: none.status, challenge: none.headers.get('www-authenticate') }).toEqual({ status: 401, challenge: 'Bearer' });
  expect((await raw('ep_live_nobody', PING)).status).toBe(401);
  await row(await database(), sql`update projects set status = 'suspended' where id = ${project.id}`);
  expect(await raw(project.key, PING)).toMatchObject({ status: 403, body: { code: 'project_suspended' } });
});

test('each message is answered as JSON-RPC has it', async () => {
  const { key } = await newProject();
  expect(await raw(key, '{')).toMatchObject({ status: 400, body: { id: null, error: { code: -32700 } } });
  expect(await raw(key, [PING])).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  for (const value of ['null', '5']) expect(await raw(key, value)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  expect(await raw(key, { id: 1 })).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  expect(await raw(key, rpc('resources/list'))).toMatchObject({ status: 200, body: { id: 1, error: { code: -32601 } } });
  expect(await raw(key, rpc('tools/call', { name: 'drop_tables' }))).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
  expect(await raw(key, rpc('tools/call', {}))).toMatchObject({ status: 200, body: { error: { code: -32602 } } });
  expect(await raw(key, { jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202, body: undefined });
  expect(await raw(key, { jsonrpc: '2.0', id: 7, result: {} })).toMatchObject({ status: 202, body: undefined });
  expect((await raw(key, PING, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
});

test('the calls of a tool count for the rate limit of the project as those of a client do', async () => {
  limited = await startApiHere({ RATE_LIMIT_BURST: '2', RATE_LIMIT_PER_SECOND: '0.001' });
  const { url } = limited;
  const { key } = await newProject({ everpost: limited });
  const call = () => raw(key, rpc('tools/call', { name: 'get_project', arguments: {} }), { url });
  expect((await call()).body.result.isError).toBeUndefined();
  expect((await raw(key, PING, { url })).status).toBe(200);
  const refused = (await call()).body.result;
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('rate_limited') }] });
  expect(refused.content[0].text).toContain('may be tried again after');
  expect(await raw(key, PING, { url })).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
});
