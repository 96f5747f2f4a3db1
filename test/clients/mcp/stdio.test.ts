import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { runMcp } from '../../../cli/src/mcp.ts';
import { freePort } from '../../../local/ports.ts';
import { testEnvironment } from '../../support/environment.ts';
import { mailNow } from '../../support/mail.ts';
import { newProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';
import { connected, type McpClient, overHttp } from './mcp-client.ts';

const RUNNER = fileURLToPath(new URL('run-mcp.ts', import.meta.url));

function overStdio(apiKey: string, { url = testEnvironment().apiUrl, flags = [] as string[] } = {}): Promise<McpClient> {
  const env = { EVERPOST_URL: url, EVERPOST_API_KEY: apiKey };
  return connected(new StdioClientTransport({ command: process.execPath, args: [RUNNER, ...flags], env, stderr: 'ignore' }));
}

test('over standard input and output there are the same tools, and those that send only with --allow-send', async () => {
  const project = await newProject();
  await enableTemplates(project, 'password-reset');
  const [reader, actor] = [await overStdio(project.key), await overStdio(project.key, { flags: ['--allow-send'] })];
  expect(await reader.toolNames()).toEqual(await (await overHttp(project.key)).toolNames());
  expect(await actor.toolNames()).toEqual(await (await overHttp(project.key, { allowSend: true })).toolNames());
  expect(reader.client.getServerVersion()).toMatchObject({ name: 'everpost' });
  expect((await reader.done('get_project')).data.project.slug).toBe(project.slug);

  const mail = { template: 'password-reset', to: project.address(), data: { resetUrl: 'https://a.example' }, idempotencyKey: 'one' };
  expect(await reader.call('send_email', mail)).toMatchObject({ isError: true, says: expect.stringContaining('--allow-send') });
  await actor.done('send_email', mail);
  expect(await mailNow(`@to.${project.domain}`)).toHaveLength(1);
});

test('a key that nobody has, and a server that is not there, are told to the client in words', async () => {
  await expect(overStdio('ep_live_nobody')).rejects.toThrow('unauthorized: this API key is unknown or revoked');
  const url = `http://127.0.0.1:${await freePort()}`;
  await expect(overStdio('ep_live_nobody', { url })).rejects.toThrow('cannot be reached');
});

test('the program ends with its input, and answers what it was asked before', async () => {
  const project = await newProject();
  const env = { ...process.env, EVERPOST_URL: testEnvironment().apiUrl, EVERPOST_API_KEY: project.key };
  const child = spawn(process.execPath, [RUNNER], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\nnothing\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  const lines = out.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
    ]),
  );
  expect(lines).toHaveLength(2);
});

test('a call that was refused for its rate is made again after as long as the server says', async () => {
  let calls = 0;
  const server = createServer(({ url }, response) => {
    if (url === '/mcp') calls++;
    if (calls === 1) response.writeHead(429, { 'retry-after': '0' }).end('{"ok":false,"code":"rate_limited","error":"too many requests"}');
    else if (calls === 2)
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          '{"jsonrpc":"2.0","id":1,"result":{"isError":true,"structuredContent":{"says":["Refused: rate_limited. It may be tried again after 0 s. What is wrong stands in data."]}}}',
        );
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const output = new PassThrough();
  const input = new PassThrough();
  input.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`;
  await runMcp({ url, apiKey: 'k', allowSend: false, input, output });
  server.closeAllConnections();
  server.close();
  expect(JSON.parse(String(output.read()))).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect(calls).toBe(3);
});
