import { afterEach, expect, test } from 'vitest';
import { createSafeHttp, type SafeAnswer, type SafeRequest } from '../../../platform/http/safe-http.ts';
import { eventually } from '../../support/eventually.ts';
import { within } from '../../support/within.ts';
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

const post = (url: string, more: Partial<SafeRequest> = {}): SafeRequest => ({
  url,
  method: 'POST',
  headers: {},
  body: '{"ok":true}',
  timeoutSeconds: 5,
  ...more,
});

const local = createSafeHttp({ allowPrivate: true });
const strict = createSafeHttp({ allowPrivate: false, resolve: async () => ['127.0.0.1'] });

async function timed(answer: Promise<SafeAnswer>): Promise<{ answer: SafeAnswer; seconds: number }> {
  const start = performance.now();
  return { answer: await answer, seconds: (performance.now() - start) / 1000 };
}

test('a request arrives as it was given, and its answer is the status', async () => {
  const server = await serving(receiver((response) => response.writeHead(204).end()));
  const request = post(`http://127.0.0.1:${server.port}/in?a=1`, { method: 'PUT', headers: { 'X-Own': 'yes' }, body: 'Grüße' });
  expect(await local.request(request)).toEqual({ ok: true, status: 204, retryAfterSeconds: undefined, milliseconds: expect.any(Number) });
  expect(server.received).toMatchObject([
    { method: 'PUT', path: '/in?a=1', body: 'Grüße', headers: { 'x-own': 'yes', 'content-length': '7' } },
  ]);
});

test('a GET without a body sends none', async () => {
  const server = await serving(receiver((response) => response.end()));
  await local.request(post(`http://localhost:${server.port}/`, { method: 'GET', body: undefined }));
  expect(server.received).toMatchObject([{ method: 'GET', body: '' }]);
  expect(server.received[0]?.headers).not.toHaveProperty('content-length');
});

test('headers of the connection are not the caller’s to set', async () => {
  const server = await serving(receiver((response) => response.end()));
  const headers = {
    Host: 'inside.example',
    'Content-Length': '3',
    'transfer-encoding': 'chunked',
    Connection: 'keep-alive',
    Expect: '100-continue',
  };
  expect(await local.request(post(`http://127.0.0.1:${server.port}/`, { headers }))).toMatchObject({ ok: true });
  expect(server.received[0]).toMatchObject({
    body: '{"ok":true}',
    headers: { host: `127.0.0.1:${server.port}`, 'content-length': '11', connection: 'close' },
  });
  expect(server.received[0]?.headers).not.toHaveProperty('expect');
});

test.each([{ 'x-a': 'b\r\nx-c: d' }, { 'x a': 'b' }, { 'x-a': 'b\u0000' }])(
  'the header %j is refused and nothing is sent',
  async (headers) => {
    const server = await serving(receiver((response) => response.end()));
    expect(await local.request(post(`http://127.0.0.1:${server.port}/`, { headers }))).toMatchObject({ ok: false, refused: 'network' });
    expect(server.received).toEqual([]);
  },
);

// A date that is ahead is written when it is answered, since it is counted from then.
test.each<[string, () => string, number | undefined]>([
  ['120', () => '120', 120],
  ['a date', () => new Date(Date.now() + 90_000).toUTCString(), 90],
  ['a date of 1970', () => 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', () => 'soon', undefined],
])('Retry-After: %s is told in seconds', async (_what, value, seconds) => {
  const server = await serving(receiver((response) => response.writeHead(503, { 'retry-after': value() }).end('busy')));
  const answer = await local.request(post(`http://127.0.0.1:${server.port}/`));
  expect(answer).toMatchObject({ ok: true, status: 503 });
  const told = answer.ok ? answer.retryAfterSeconds : undefined;
  if (seconds === undefined) expect(told).toBeUndefined();
  else expect(Math.abs((told ?? -99) - seconds)).toBeLessThanOrEqual(2);
});

test.each([301, 302, 303, 307, 308])('a %i is an answer, and where it points is not called', async (status) => {
  const target = await serving(receiver((response) => response.end()));
  const server = await serving(receiver((response) => response.writeHead(status, { location: `http://127.0.0.1:${target.port}/` }).end()));
  expect(await local.request(post(`http://127.0.0.1:${server.port}/`))).toMatchObject({ ok: true, status });
  expect(target.received).toEqual([]);
});

test('a request that nobody keeps a connection for has one of its own', async () => {
  const server = await serving(receiver((response) => response.end()));
  for (let i = 0; i < 3; i++) await local.request(post(`http://127.0.0.1:${server.port}/`));
  expect(new Set(server.received.map(({ remotePort }) => remotePort)).size).toBe(3);
});

test.each(['https://127.0.0.1/', 'https://[::ffff:7f00:1]/', 'http://hooks.example/', 'https://a:b@hooks.example/', 'not a url'])(
  '%s is refused without a look-up',
  async (url) => {
    const http = createSafeHttp({ allowPrivate: false, resolve: () => Promise.reject(new Error('must not be asked')) });
    expect(await http.request(post(url))).toMatchObject({ ok: false, refused: 'address' });
  },
);

test.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['2606:4700::1', '::1']], [['::ffff:169.254.169.254']], [['fe80::1%lo']]])(
  'a name that leads to %j is refused, and the refusal does not tell where',
  async (addresses) => {
    const answer = await createSafeHttp({ allowPrivate: false, resolve: async () => addresses }).request(post('https://hooks.example/'));
    expect(answer).toEqual({
      ok: false,
      refused: 'address',
      message: 'the host name leads to an address that is not public',
      mayHaveArrived: false,
      milliseconds: expect.any(Number),
    });
  },
);

test('a name that is public when checked and private when asked again is asked once, and the private address sees nothing', async () => {
  const server = await serving(receiver((response) => response.end(), { tls: true }));
  const asked: string[] = [];
  const resolve = async (name: string): Promise<string[]> => {
    asked.push(name);
    // 2d00::/8 is given out to nobody.
    return asked.length === 1 ? ['2d00::1'] : ['127.0.0.1'];
  };
  const answer = await createSafeHttp({ allowPrivate: false, resolve, ca: CERTIFICATE }).request(
    post(`https://hooks.example:${server.port}/`, { timeoutSeconds: 0.5 }),
  );
  expect(answer.ok).toBe(false);
  expect(asked).toEqual(['hooks.example']);
  expect(server.received).toEqual([]);
});

test('the connection goes to the address that was checked, whatever the name leads to by then', async () => {
  const checked = await serving(receiver((response) => response.writeHead(200).end()));
  const later = await serving(receiver((response) => response.writeHead(500).end(), { host: '127.0.0.2', port: checked.port }));
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  let now = 0;
  const http = createSafeHttp({ allowPrivate: true, resolve: async () => answers.shift() ?? [], now: () => now });
  expect(await http.request(post(`http://hooks.example:${checked.port}/`))).toMatchObject({ ok: true, status: 200 });
  expect(checked.received[0]?.headers.host).toBe(`hooks.example:${checked.port}`);
  expect(later.received).toEqual([]);
  // A new request, a second later, is a new check.
  now = 1000;
  expect(await http.request(post(`http://hooks.example:${checked.port}/`))).toMatchObject({ ok: true, status: 500 });
});

test('of several addresses the next is tried when one does not answer the call', async () => {
  const server = await serving(receiver((response) => response.end()));
  const http = createSafeHttp({ allowPrivate: true, resolve: async () => ['127.0.0.3', '127.0.0.1'] });
  expect(await http.request(post(`http://hooks.example:${server.port}/`))).toMatchObject({ ok: true, status: 200 });
});

test.each([
  ['fails', () => Promise.reject(new Error('ENOTFOUND'))],
  ['finds nothing', () => Promise.resolve([])],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
])('a look-up that %s is told as such', async (_how, resolve) => {
  expect(await createSafeHttp({ allowPrivate: false, resolve }).request(post('https://hooks.example/'))).toMatchObject({
    ok: false,
    refused: 'dns',
  });
});

test('TLS is verified against the name, not the address', async () => {
  const server = await serving(receiver((response) => response.end(), { tls: true }));
  const http = createSafeHttp({ allowPrivate: true, resolve: async () => ['127.0.0.1'], ca: CERTIFICATE });
  expect(await http.request(post(`https://hooks.example:${server.port}/`))).toMatchObject({ ok: true, status: 200 });
  for (const url of [`https://other.example:${server.port}/`, `https://127.0.0.1:${server.port}/`]) {
    expect(await http.request(post(url, { headers: { host: 'hooks.example' } }))).toMatchObject({
      ok: false,
      refused: 'tls',
      message: 'no trusted connection (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
  }
  expect(server.received).toHaveLength(1);
});

test('a certificate that nobody trusts, and a server that speaks no TLS, are told as such', async () => {
  const http = createSafeHttp({ allowPrivate: true, resolve: async () => ['127.0.0.1'] });
  const secure = await serving(receiver((response) => response.end(), { tls: true }));
  const plain = await serving(receiver((response) => response.end()));
  for (const { port } of [secure, plain]) {
    expect(await http.request(post(`https://hooks.example:${port}/`))).toMatchObject({ ok: false, refused: 'tls' });
  }
  expect([...secure.received, ...plain.received]).toEqual([]);
});

test('a refused or broken connection, and an answer that is no HTTP, are network trouble', async () => {
  const gone = await rawServer(() => undefined);
  gone.close();
  const servers = await Promise.all([
    serving(rawServer((socket) => socket.destroy())),
    serving(rawServer((socket) => socket.end('220 smtp.example ready\r\n'))),
    serving(rawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`))),
    serving(rawServer((socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'))),
  ]);
  for (const { port } of [gone, ...servers]) {
    expect(await local.request(post(`http://127.0.0.1:${port}/`))).toMatchObject({ ok: false, refused: 'network' });
  }
});

test('the time limit covers a look-up, a handshake and an answer that never come', async () => {
  const silent = await serving(rawServer(() => undefined));
  const slowLoris = await serving(
    rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    }),
  );
  const informational = await serving(
    rawServer((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    }),
  );
  const neverFound = createSafeHttp({ allowPrivate: true, resolve: () => new Promise(() => undefined) });
  const limit = { timeoutSeconds: 0.4 };
  const answers = await within(2000, () =>
    Promise.all([
      timed(local.request(post(`http://127.0.0.1:${silent.port}/`, limit))),
      timed(local.request(post(`https://127.0.0.1:${silent.port}/`, limit))),
      timed(local.request(post(`http://127.0.0.1:${slowLoris.port}/`, limit))),
      timed(local.request(post(`http://127.0.0.1:${informational.port}/`, limit))),
      timed(neverFound.request(post('http://hooks.example/', limit))),
    ]),
  );
  for (const { answer, seconds } of answers) {
    expect(answer).toMatchObject({ ok: false, refused: 'timeout', message: 'no answer within 0.4 seconds' });
    expect(seconds).toBeGreaterThan(0.35);
  }
});

test('a body that is endless or dribbles is cut off, and the status stands', async () => {
  let isCut = false;
  const endless = await serving(
    receiver((response) => {
      response.writeHead(200);
      const pump = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pump).on('close', () => {
        isCut = true;
      });
      pump();
    }),
  );
  const dribbling = await serving(
    receiver((response) => {
      response.writeHead(201);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    }),
  );
  const [first, second] = await within(3000, () =>
    Promise.all([local.request(post(`http://127.0.0.1:${endless.port}/`)), local.request(post(`http://127.0.0.1:${dribbling.port}/`))]),
  );
  expect(first).toMatchObject({ ok: true, status: 200 });
  expect(second).toMatchObject({ ok: true, status: 201 });
  await within(3_000, () => eventually(() => isCut));
});

test('a body that breaks off, or is still coming when time is up, leaves the status standing', async () => {
  const broken = await serving(
    rawServer((socket) =>
      socket.write('HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\nhalf', () => setTimeout(() => socket.destroy(), 50)),
    ),
  );
  const slow = await serving(rawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')));
  expect(await local.request(post(`http://127.0.0.1:${broken.port}/`))).toMatchObject({ ok: true, status: 202 });
  const answer = await within(1000, () => local.request(post(`http://127.0.0.1:${slow.port}/`, { timeoutSeconds: 0.3 })));
  expect(answer).toMatchObject({ ok: true, status: 200 });
});

test('without leave for private addresses a local receiver gets nothing by name or by number', async () => {
  const server = await serving(receiver((response) => response.end(), { tls: true }));
  for (const host of ['127.0.0.1', 'localhost', 'hooks.example', '[::ffff:127.0.0.1]', '2130706433']) {
    expect(await strict.request(post(`https://${host}:${server.port}/`))).toMatchObject({ ok: false, refused: 'address' });
  }
  expect(server.received).toEqual([]);
});
