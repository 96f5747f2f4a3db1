import { spawn } from 'node:child_process';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { createSafeHttp } from '../../../platform/http/safe-http.ts';
import { certificate } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { rawServer, receiver } from './servers.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function serving<T extends { close(): void }>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return server;
}

/** Far above what an answer may have, with what the buffers of a connection hold on its way. */
const MUCH = 32 * 1024 * 1024;

/** Writes as fast as it is taken, until the connection is closed or far too much was taken. */
function flood(socket: Socket, head: string, piece: string): void {
  const block = piece.repeat(Math.ceil(65_536 / piece.length));
  const pump = (): void => {
    while (!socket.destroyed && socket.bytesWritten < 2 * MUCH && socket.write(block));
  };
  socket.write(head);
  socket.on('drain', pump);
  pump();
}

/** Writes it one byte after the other, and again from the start. */
function dribble(socket: Socket, head: string, piece: string): void {
  socket.write(head);
  let at = 0;
  const timer = setInterval(() => socket.write(piece[at++ % piece.length]!), 10);
  socket.on('close', () => clearInterval(timer));
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;
const STANDS = { ok: true, status: 200 };
const TOO_LONG = { ok: false, refused: 'network', message: 'no status within the first 128 KB of the answer', mayHaveArrived: true };
const TOO_MANY_HEADERS = { ok: false, refused: 'network', message: 'the answer has more than 16 KB of headers', mayHaveArrived: true };
const NO_HTTP = { ok: false, refused: 'network', message: 'the answer is not HTTP as expected', mayHaveArrived: true };
const LATE = { ok: false, refused: 'timeout', message: 'no answer within 3 seconds', mayHaveArrived: true };

test.each<[string, (socket: Socket) => void, object]>([
  ['a body without an end', (socket) => flood(socket, `${OK}\r\n`, 'x'), STANDS],
  ['a body of which 10 GB are announced', (socket) => flood(socket, `${OK}content-length: 10000000000\r\n\r\n`, 'x'), STANDS],
  ['a chunk of 10 GB', (socket) => flood(socket, `${CHUNKED}2540be400\r\n`, 'x'), STANDS],
  ['chunks without an end', (socket) => flood(socket, CHUNKED, '1\r\nx\r\n'), STANDS],
  ['an extension of a chunk without an end', (socket) => flood(socket, `${CHUNKED}1;`, 'x'), STANDS],
  ['trailers without an end', (socket) => flood(socket, `${CHUNKED}0\r\n`, 'x: y\r\n'), STANDS],
  ['a body that dribbles', (socket) => dribble(socket, `${OK}\r\n`, 'x'), STANDS],
  ['trailers that dribble', (socket) => dribble(socket, `${CHUNKED}0\r\n`, 'x: y\r\n'), STANDS],
  ['a status line that dribbles', (socket) => dribble(socket, 'HTTP/1.1 200 ', 'x'), LATE],
  ['headers that dribble', (socket) => dribble(socket, OK, 'x: y\r\n'), LATE],
  ['nothing', () => undefined, LATE],
  ['a status line without an end', (socket) => flood(socket, 'HTTP/1.1 200 ', 'x'), TOO_LONG],
  ['hints without an end', (socket) => flood(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'), TOO_LONG],
  ['the wish to continue without an end', (socket) => flood(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'), NO_HTTP],
  ['headers without an end', (socket) => flood(socket, OK, 'x: y\r\n'), TOO_MANY_HEADERS],
  ['a header without an end', (socket) => flood(socket, `${OK}x: `, 'x'), TOO_MANY_HEADERS],
  ['the name of a header without an end', (socket) => flood(socket, OK, 'x'), TOO_MANY_HEADERS],
  ['a header of 64 KB', (socket) => socket.write(`${OK}x: ${'x'.repeat(65_536)}\r\n\r\n`), TOO_MANY_HEADERS],
  ['20,000 headers', (socket) => socket.write(`${OK}${'x: y\r\n'.repeat(20_000)}\r\n`), TOO_MANY_HEADERS],
  ['2,000 headers', (socket) => socket.write(`${OK}${'x: y\r\n'.repeat(2000)}content-length: 0\r\n\r\n`), STANDS],
  ['headers with names of our own', (socket) => socket.write(`${OK}__proto__: x\r\nconstructor: y\r\ncontent-length: 0\r\n\r\n`), STANDS],
  ['two lengths', (socket) => socket.write(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\nok`), NO_HTTP],
  ['a length and chunks', (socket) => socket.write(`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`), NO_HTTP],
  ['a length that is none', (socket) => socket.write(`${OK}content-length: -1\r\n\r\n`), NO_HTTP],
  ['a change of the protocol', (socket) => socket.write('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'), NO_HTTP],
  ['the greeting of another protocol', (socket) => socket.write('220 mail.example ESMTP\r\n'), NO_HTTP],
  ['zeros', (socket) => flood(socket, '', '\0'), NO_HTTP],
  ['trailers', (socket) => socket.write(`${CHUNKED}2\r\nok\r\n0\r\nretry-after: 5\r\n\r\n`), { ...STANDS, retryAfterSeconds: undefined }],
])('a server that answers with %s is left in time, after little was read', async (_what, answer, expected) => {
  const sockets: Socket[] = [];
  const { port } = await serving(
    rawServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => answer(socket));
    }),
  );
  const http = createSafeHttp({ allowPrivate: true });
  open.push(http);
  const request = { url: `http://127.0.0.1:${port}/`, method: 'POST', headers: {}, body: '{}', timeoutSeconds: 3 } as const;
  expect(await http.request(request)).toMatchObject(expected);
  const [socket] = sockets;
  await eventually(() => socket?.destroyed);
  expect(socket?.bytesWritten).toBeLessThan(MUCH);
});

test('a compressed body is not unpacked, whether it would be huge or is broken', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  expect(bomb.length).toBeLessThan(100_000);
  const bodies = [bomb, Buffer.from('no gzip at all')];
  const server = await serving(receiver((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bodies.shift())));
  const http = createSafeHttp({ allowPrivate: true });
  open.push(http);
  const url = `http://127.0.0.1:${server.port}/`;
  const request = { url, method: 'POST', headers: {}, body: '{}', timeoutSeconds: 5, keepFor: 'one' } as const;
  for (let i = 0; i < 2; i++) expect(await http.request(request)).toMatchObject(STANDS);
  // Both were read to their end: a body that somebody had failed to unpack would have closed the connection.
  expect(server.received[0]?.remotePort).toBe(server.received[1]?.remotePort);
});

test.each([
  ['expired', new Date(Date.now() - 172_800_000), new Date(Date.now() - 86_400_000), 'CERT_HAS_EXPIRED'],
  ['not valid yet', new Date(Date.now() + 86_400_000), new Date(Date.now() + 172_800_000), 'CERT_NOT_YET_VALID'],
])('a server whose certificate is %s gets nothing, and the caller learns why', async (_what, from, to, code) => {
  const { pem, privateKey } = certificate({ name: 'hooks.example', isAuthority: true, from, to });
  let requests = 0;
  const server = https.createServer({ cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }, () => requests++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  const http = createSafeHttp({ allowPrivate: true, resolve: async () => ['127.0.0.1'], ca: pem });
  const { port } = server.address() as AddressInfo;
  const url = `https://hooks.example:${port}/`;
  expect(await http.request({ url, method: 'POST', headers: {}, body: '{}', timeoutSeconds: 5 })).toMatchObject({
    ok: false,
    refused: 'tls',
    message: `no trusted connection (${code})`,
    mayHaveArrived: false,
  });
  expect(requests).toBe(0);
});

test('neither proxies nor leave for any certificate are taken from the environment, and idle connections hold up no process', async () => {
  const proxy = await serving(receiver((response) => response.end()));
  const plain = await serving(receiver((response) => response.end()));
  const secure = await serving(receiver((response) => response.end(), { tls: true }));
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  const module = new URL('../../../platform/http/safe-http.ts', import.meta.url).href;
  const script = `
    import { createSafeHttp } from ${JSON.stringify(module)};
    const http = createSafeHttp({ allowPrivate: true });
    for (const url of ['http://127.0.0.1:${plain.port}/', 'https://127.0.0.1:${secure.port}/']) {
      const answer = await http.request({ url, method: 'POST', headers: {}, body: '{}', timeoutSeconds: 5, keepFor: 'one' });
      console.log(answer.ok ? answer.status : answer.refused);
    }
    const idleSince = performance.now();
    process.on('exit', () => console.log(performance.now() - idleSince < 1500 ? 'ended at once' : 'was held up'));
  `;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxyUrl,
      HTTPS_PROXY: proxyUrl,
      http_proxy: proxyUrl,
      https_proxy: proxyUrl,
      NO_PROXY: '',
      no_proxy: '',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect((await text(child.stdout)).trim().split('\n')).toEqual(['200', 'tls', 'ended at once']);
  expect([proxy.received.length, plain.received.length, secure.received.length]).toEqual([0, 1, 0]);
});
