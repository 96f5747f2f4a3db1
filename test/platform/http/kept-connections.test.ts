import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectionOver } from '../../../platform/http/exchange.ts';
import { createKeptConnections } from '../../../platform/http/kept-connections.ts';
import { createSafeHttp, type SafeHttpOptions, type SafeRequest } from '../../../platform/http/safe-http.ts';
import { eventually } from '../../support/eventually.ts';
import { CERTIFICATE } from './certificate.ts';
import { rawServer, receiver } from './servers.ts';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function serving<T extends { close(): void }>(server: Promise<T>): Promise<T> {
  open.push(await server);
  return server;
}

interface Keeping {
  request(url: string, more?: Partial<SafeRequest>): ReturnType<ReturnType<typeof createSafeHttp>['request']>;
  close(): void;
  /** Moves the clock, but no timer. */
  wait(ms: number): void;
}

/** Its clock stands still but for the waits: how long a busy machine takes does not count. */
function keeping(options: Partial<SafeHttpOptions> = {}): Keeping {
  let ahead = 0;
  const http = createSafeHttp({ allowPrivate: true, now: () => ahead, ...options });
  open.push(http);
  return {
    request: (url, more) => http.request({ url, method: 'POST', headers: {}, body: '{}', timeoutSeconds: 5, keepFor: 'one', ...more }),
    close: () => http.close(),
    wait: (ms) => {
      ahead += ms;
    },
  };
}

/** How many connections the requests came over. */
const connections = ({ received }: { received: readonly { remotePort: number | undefined }[] }): number =>
  new Set(received.map(({ remotePort }) => remotePort)).size;

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Answers each request, told by its last byte, as often as it comes. */
async function scripted(
  onRequest: (socket: Socket, count: number) => void,
): Promise<{ url: string; requests: () => number; sockets: readonly Socket[] }> {
  let requests = 0;
  const sockets: Socket[] = [];
  const { port } = await serving(
    rawServer((socket) => {
      sockets.push(socket);
      socket.on('data', (chunk) => {
        if (chunk.toString().endsWith('{}')) onRequest(socket, ++requests);
      });
    }),
  );
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests, sockets };
}

test('requests of one project to one origin go over one connection, whatever the path', async () => {
  const server = await serving(receiver((response) => response.end('taken')));
  const http = keeping();
  for (const path of ['a', 'b?c', 'd']) {
    expect(await http.request(`http://127.0.0.1:${server.port}/${path}`)).toMatchObject({ ok: true, status: 200 });
  }
  expect(server.received.map(({ path }) => path)).toEqual(['/a', '/b?c', '/d']);
  expect(server.received[0]?.headers.connection).toBe('keep-alive');
  expect(connections(server)).toBe(1);
});

test('a connection serves one request at a time, and as many are kept as were needed', async () => {
  const server = await serving(receiver((response) => setTimeout(() => response.end(), 20)));
  const http = keeping();
  const five = (): Promise<unknown> => Promise.all(Array.from({ length: 5 }, () => http.request(`http://127.0.0.1:${server.port}/`)));
  await five();
  expect(connections(server)).toBe(5);
  await five();
  expect(connections(server)).toBe(5);
});

test('projects, and requests without one, never share a connection', async () => {
  const server = await serving(receiver((response) => response.end()));
  const http = keeping();
  for (const keepFor of ['one', 'two', undefined, 'one', 'two', undefined]) {
    await http.request(`http://127.0.0.1:${server.port}/`, { keepFor });
  }
  expect(connections(server)).toBe(4);
});

test('another name of the same address, and another port, have connections of their own', async () => {
  const [server, other] = await Promise.all([0, 0].map(() => serving(receiver((response) => response.end()))));
  const http = keeping({ resolve: async () => ['127.0.0.1'] });
  for (const host of ['one.example', 'two.example']) await http.request(`http://${host}:${server?.port}/`);
  await http.request(`http://one.example:${other?.port}/`);
  expect(server?.received.map(({ headers }) => headers.host)).toEqual([`one.example:${server?.port}`, `two.example:${server?.port}`]);
  expect([connections(server!), connections(other!)]).toEqual([2, 1]);
});

test('a name that TLS is not good for gets nothing over the connection, or with the session, of one that it is good for', async () => {
  const server = await serving(receiver((response) => response.end(), { tls: true }));
  const http = keeping({ resolve: async () => ['127.0.0.1'], ca: CERTIFICATE });
  const good = `https://hooks.example:${server.port}/`;
  expect(await http.request(good)).toMatchObject({ ok: true });
  expect(await http.request(`https://other.example:${server.port}/`)).toMatchObject({ ok: false, refused: 'tls', mayHaveArrived: false });
  expect(await http.request(good)).toMatchObject({ ok: true });
  expect(server.received).toHaveLength(2);
  expect(connections(server)).toBe(1);
});

test('a connection that is half a minute old is not used again: the name is looked up, and its addresses are', async () => {
  const before = await serving(receiver((response) => response.end()));
  const after = await serving(receiver((response) => response.end(), { host: '127.0.0.2', port: before.port }));
  let leadsTo = '127.0.0.1';
  const http = keeping({ resolve: async () => [leadsTo] });
  const url = `http://hooks.example:${before.port}/`;
  await http.request(url);
  leadsTo = '127.0.0.2';
  for (let second = 1; second < 30; second++) {
    http.wait(1000);
    await http.request(url);
  }
  expect([before.received.length, after.received.length]).toEqual([30, 0]);
  http.wait(1000);
  await http.request(url);
  expect([before.received.length, after.received.length]).toEqual([30, 1]);
});

test('a connection that has been idle for two seconds is not used again', async () => {
  const server = await serving(receiver((response) => response.end()));
  const http = keeping();
  const url = `http://127.0.0.1:${server.port}/`;
  await http.request(url);
  http.wait(1900);
  await http.request(url);
  expect(connections(server)).toBe(1);
  http.wait(2000);
  await http.request(url);
  expect(connections(server)).toBe(2);
});

test.each<[string, string]>([
  ['that is endless', `HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n${'x'.repeat(200_000)}`],
  ['that does not end in time', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
  ['after which the server wants no more', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'],
  ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ['that is followed by one that nobody asked for', `${ANSWER}HTTP/1.1 299 Smuggled\r\ncontent-length: 0\r\n\r\n`],
  ['that is followed by the beginning of one', `${ANSWER}HTTP/1.1 299 Smug`],
  ['that is followed by what is no answer', `${ANSWER}\0\0`],
])('after an answer %s the connection is closed, and the next request has its own answer', async (_how, first) => {
  const server = await scripted((socket, count) => socket.write(count === 1 ? first : ANSWER.replace('200', '201')));
  const http = keeping();
  expect(await http.request(server.url)).toMatchObject({ ok: true, status: 200 });
  expect(await http.request(server.url)).toMatchObject({ ok: true, status: 201 });
  expect(server.sockets).toHaveLength(2);
  await eventually(() => server.sockets[0]?.destroyed);
});

test('what a server says on an idle connection closes it, and answers no request', async () => {
  const server = await scripted((socket) => socket.write(ANSWER));
  const http = keeping();
  await http.request(server.url);
  const [socket] = server.sockets;
  socket?.write('HTTP/1.1 299 Smuggled\r\ncontent-length: 0\r\n\r\n');
  await eventually(() => socket?.destroyed);
  expect(await http.request(server.url)).toMatchObject({ ok: true, status: 200 });
  expect(server.sockets).toHaveLength(2);
});

test('a server that closes a kept connection instead of answering gets the request once, and the caller learns that it may have arrived', async () => {
  const server = await scripted((socket, count) => (count === 1 ? socket.write(ANSWER) : socket.destroy()));
  const http = keeping();
  await http.request(server.url);
  expect(await http.request(server.url)).toMatchObject({
    ok: false,
    refused: 'network',
    message: 'the connection was closed without an answer',
    mayHaveArrived: true,
  });
  expect(server.requests()).toBe(2);
  expect(server.sockets).toHaveLength(1);
});

test('a request meets no connection that the server closed while it was idle', async () => {
  const server = await scripted((socket) => socket.write(ANSWER));
  const http = keeping();
  for (let i = 1; i <= 3; i++) {
    expect(await http.request(server.url)).toMatchObject({ ok: true, status: 200 });
    server.sockets.at(-1)?.end();
    await eventually(() => server.sockets.at(-1)?.destroyed, { everyMs: 5 });
  }
  expect(server.requests()).toBe(3);
});

test('a request whose connection is lost before a byte of it was written goes over another one', async () => {
  const server = await scripted((socket) => socket.write(ANSWER));
  const http = keeping();
  const ours: Socket[] = [];
  const onSocket = (message: unknown): void => void ours.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', onSocket);
  await http.request(server.url);
  unsubscribe('net.client.socket', onSocket);
  const second = http.request(server.url);
  // The client waits for a turn before it writes on a connection that was idle.
  ours[0]?.destroy();
  expect(await second).toMatchObject({ ok: true, status: 200 });
  expect(server.requests()).toBe(2);
  expect(server.sockets).toHaveLength(2);
});

test('of connections that are closed while requests are on their way no request is sent twice', async () => {
  const server = await scripted((socket) => socket.write(ANSWER));
  const http = keeping();
  let arrivedAtMost = 0;
  for (let i = 0; i < 50; i++) {
    const answer = await http.request(server.url);
    if (answer.ok || answer.mayHaveArrived) arrivedAtMost++;
    // Closed before the next request is begun, known to the client only some turns later.
    server.sockets.at(-1)?.destroy();
  }
  expect(server.requests()).toBeLessThanOrEqual(arrivedAtMost);
  expect(arrivedAtMost).toBeLessThanOrEqual(50);
});

test('a connection whose request ran out of time is not used again', async () => {
  const server = await scripted((socket, count) => (count === 2 ? undefined : socket.write(ANSWER)));
  const http = keeping();
  await http.request(server.url);
  expect(await http.request(server.url, { timeoutSeconds: 2 })).toMatchObject({ refused: 'timeout', mayHaveArrived: true });
  expect(await http.request(server.url)).toMatchObject({ ok: true });
  expect(server.sockets).toHaveLength(2);
});

test('the rest of a request that was answered too early does not stand in front of the next one', async () => {
  const sockets: Socket[] = [];
  const server = await serving(
    rawServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
      });
    }),
  );
  const http = keeping();
  const large = { body: 'x'.repeat(20_000_000) };
  for (let i = 1; i <= 2; i++) {
    expect(await http.request(`http://127.0.0.1:${server.port}/`, large)).toMatchObject({ ok: true, status: 413 });
    expect(sockets).toHaveLength(i);
  }
});

test('of one origin fifty idle connections are kept, of all five hundred: those that were used last', () => {
  const kept = createKeptConnections(() => 0);
  const connection = (): ReturnType<typeof connectionOver> => connectionOver(new Socket(), new URL('http://hooks.example'), 0);
  const busy = Array.from({ length: 51 }, connection);
  for (const each of busy) kept.put('busy', each);
  expect(busy.map(({ socket }) => socket.destroyed)).toEqual([...Array(50).fill(false), true]);
  const others = Array.from({ length: 460 }, connection);
  for (const [i, each] of others.entries()) kept.put(`other ${i}`, each);
  expect([...busy.slice(0, 50), ...others].map(({ socket }) => socket.destroyed)).toEqual([
    ...Array(10).fill(true),
    ...Array(500).fill(false),
  ]);
  kept.close();
  const late = connection();
  kept.put('late', late);
  expect([...others, late].every(({ socket }) => socket.destroyed)).toBe(true);
});

test('closing ends idle connections at once, and one in use after its answer', async () => {
  const answer = Promise.withResolvers<void>();
  const server = await scripted((socket, count) => {
    if (count < 2) socket.write(ANSWER);
    else void answer.promise.then(() => socket.write(ANSWER));
  });
  const http = keeping();
  await http.request(server.url);
  const inUse = http.request(server.url);
  const idle = await serving(receiver((response) => response.end()));
  await http.request(`http://127.0.0.1:${idle.port}/`);
  await eventually(() => server.requests() === 2);
  http.close();
  answer.resolve();
  expect(await inUse).toMatchObject({ ok: true });
  await eventually(() => server.sockets.every(({ destroyed }) => destroyed));
});
