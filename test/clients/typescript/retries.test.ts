import { getEventListeners } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { Everpost, isEverpostError } from '@everpost/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { testEnvironment } from '../../support/environment.ts';
import { type HttpReceiver, startHttpReceiver } from '../../support/http-receiver.ts';
import { mailCount, mailTo } from '../../support/mail.ts';
import { newProject } from '../../support/project.ts';
import { enableTemplates } from '../../support/sequences.ts';

let server: HttpReceiver;

beforeAll(async () => {
  server = await startHttpReceiver();
});
afterAll(() => server.close());

const json = { 'content-type': 'application/json' };
const refused = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: { ...json, 'x-request-id': 'req-1', ...headers },
  body: JSON.stringify({ ok: false, error: 'in words', code }),
});
const done = { status: 200, headers: json, body: '{"ok":true,"id":"1@mail.example"}' };

let clients = 0;
/** A client of the scripted server, whose calls have a path of their own. */
function client(): { readonly everpost: Everpost; readonly path: (of: string) => string } {
  const prefix = `/c${clients++}`;
  return {
    everpost: new Everpost({ apiKey: 'ep_test_any', url: `${server.url}${prefix}`, maxRetries: 2 }),
    path: (of) => `${prefix}/api/v1${of}`,
  };
}

describe('a call that takes an idempotency key', () => {
  test.each([
    ['429 with Retry-After', refused(429, 'rate_limited', { 'retry-after': '1' })],
    ['503', refused(503, 'unavailable', { 'retry-after': '0' })],
    ['502 of a proxy', { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }],
    ['409 while it is under way', refused(409, 'idempotency_in_progress', { 'retry-after': '0' })],
  ])('goes again after %s, under one key', async (_, answer) => {
    const { everpost, path } = client();
    server.answer(path('/send'), answer, answer, done);
    expect(await everpost.send({ template: 'receipt', to: 'ada@example.com' })).toEqual({ ok: true, id: '1@mail.example' });
    const calls = server.calls(path('/send'));
    expect(calls).toHaveLength(3);
    const keys = new Set(calls.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).toBe(1);
    expect([...keys][0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
  });

  test('goes again after a connection that broke, under one key', async () => {
    const keys: string[] = [];
    const sockets = new Set<Socket>();
    const breaking = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', (data) => {
        keys.push(/idempotency-key: (\S+)/i.exec(data.toString())![1]!);
        if (keys.length === 1) socket.destroy();
        else
          socket.end(
            `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${done.body.length}\r\nconnection: close\r\n\r\n${done.body}`,
          );
      });
    });
    await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve));
    try {
      const everpost = new Everpost({ apiKey: 'ep_test_any', url: `http://127.0.0.1:${(breaking.address() as AddressInfo).port}` });
      await everpost.send({ template: 'receipt', to: 'ada@example.com' });
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBe(keys[1]);
    } finally {
      for (const socket of sockets) socket.destroy();
      breaking.close();
    }
  });

  test('has the key that its caller gives, in the options or in the email, and another with each call', async () => {
    const { everpost, path } = client();
    server.answer(path('/send'), done, done, done, done);
    const mail = { template: 'receipt', to: 'ada@example.com' };
    await everpost.send(mail, { idempotencyKey: 'order-1' });
    await everpost.send({ ...mail, idempotencyKey: 'order-2' });
    await everpost.send(mail);
    await everpost.send(mail);
    const [first, second, third, fourth] = server.calls(path('/send')).map(({ headers }) => headers['idempotency-key']);
    expect([first, second]).toEqual(['order-1', undefined]);
    expect(third).not.toBe(fourth);
  });

  test('has the one key of a batch that says its key itself', async () => {
    const { everpost, path } = client();
    const busy = refused(503, 'unavailable', { 'retry-after': '0' });
    server.answer(path('/send/batch'), busy, { ...done, body: '{"ok":true,"results":[]}' });
    await everpost.sendBatch({ mails: [{ template: 'receipt', to: 'ada@example.com' }], idempotencyKey: 'receipts-7' });
    expect(server.calls(path('/send/batch')).map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
  });
});

describe('a key of an operation that takes none', () => {
  test('is refused before anything is asked for, as an option and as a header', async () => {
    const { everpost, path } = client();
    const words = /^templates\.sendTest takes no idempotency key/;
    const mail = { to: 'ada@example.com' };
    const calls = [
      everpost.templates.sendTest('receipt', mail, {}, { idempotencyKey: 'k' } as object),
      everpost.safe.templates.sendTest('receipt', mail, {}, { headers: { 'Idempotency-Key': 'k' } }),
    ];
    for (const called of calls) {
      await expect(called).rejects.toThrow(words);
      await expect(called).rejects.toThrow(TypeError);
    }
    expect(server.calls(path('/'))).toEqual([]);
  });

  test('is refused when a client is made with one for all its calls', () => {
    const made = () => new Everpost({ apiKey: 'ep_test_any', headers: { 'idempotency-Key': 'k' } });
    expect(made).toThrow(/idempotency-key.*one key for all calls/);
    expect(made).toThrow(TypeError);
  });
});

test('what may not be done twice goes again only after what says that nothing was done', async () => {
  const { everpost, path } = client();
  server.answer(path('/topics'), refused(500, 'internal'), done);
  await expect(everpost.topics.create({ key: 'news', name: 'News' })).rejects.toMatchObject({ code: 'internal', status: 500 });
  expect(server.calls(path('/topics'))).toHaveLength(1);
  const another = client();
  server.answer(another.path('/topics'), refused(429, 'rate_limited', { 'retry-after': '0' }), done);
  await another.everpost.topics.create({ key: 'news', name: 'News' });
  expect(server.calls(another.path('/topics'))).toHaveLength(2);
});

test('what only reads, replaces or deletes goes again, and so does a read that is a POST', async () => {
  const { everpost, path } = client();
  for (const at of ['/me', '/segments/preview', '/contacts/c1', '/brands/b1'])
    server.answer(path(at), refused(503, 'unavailable', { 'retry-after': '0' }), done);
  await Promise.all([
    everpost.me(),
    everpost.segments.preview({ filter: {} } as never),
    everpost.contacts.delete('c1'),
    everpost.brands.upsert('b1', {} as never),
  ]);
  for (const at of ['/me', '/segments/preview', '/contacts/c1', '/brands/b1']) expect([at, server.calls(path(at)).length]).toEqual([at, 2]);
});

test('a refusal is given on at once, as an error with the fields of its code', async () => {
  const { everpost, path } = client();
  const body = JSON.stringify({ ok: false, error: 'suppressed', code: 'send_failed', reason: 'suppressed' });
  server.answer(path('/send'), { status: 422, headers: { ...json, 'x-request-id': 'req-2' }, body });
  const error = await everpost.send({ template: 'receipt', to: 'ada@example.com' }).catch((thrown: unknown) => thrown);
  if (!isEverpostError(error, 'send_failed')) throw error;
  expect(error.reason).toBe('suppressed');
  expect(error).toMatchObject({ name: 'EverpostError', message: 'suppressed', operation: 'send', status: 422, requestId: 'req-2' });
  expect(server.calls(path('/send'))).toHaveLength(1);
});

test('a wait that is too long for a call is told, not made', async () => {
  const { everpost, path } = client();
  server.answer(path('/me'), refused(503, 'unavailable', { 'retry-after': '3600' }));
  await expect(everpost.me()).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 3600 });
  expect(server.calls(path('/me'))).toHaveLength(1);
});

test.each([
  [503, 'seconds', '2', [2_250, 4_750, 7_750]],
  [503, 'a date', 'Tue, 02 Jun 2026 12:00:03 GMT', [3_250, 4_250, 6_250]],
  [503, 'no pause', '0', [500, 1_500, 3_500]],
  [429, 'no pause', '0', [500, 1_500, 3_500]],
  [429, 'a date that is over', 'Tue, 02 Jun 2026 11:00:00 GMT', [500, 1_500, 3_500]],
  [429, 'what is neither', 'soon', [500, 1_500, 3_500]],
])("Retry-After of %d that is %s: tries go again after it, else after the client's own pause", async (status, _, asked, pauses) => {
  const start = Date.parse('2026-06-02T12:00:00Z');
  vi.useFakeTimers({ now: start });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  try {
    const tries: number[] = [];
    const busy = { status, headers: { 'retry-after': asked } };
    const fetch = async () => {
      tries.push(Date.now() - start);
      return Response.json({ ok: false, error: 'in words', code: 'busy' }, busy);
    };
    const called = new Everpost({ apiKey: 'ep_test_any', fetch }).safe.me();
    await vi.runAllTimersAsync();
    expect((await called).error?.status).toBe(status);
    expect(tries).toEqual([0, ...pauses]);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});

test('after maxRetries the last refusal is thrown', async () => {
  const { everpost, path } = client();
  const busy = refused(429, 'rate_limited', { 'retry-after': '0' });
  server.answer(path('/me'), busy, busy, busy, busy);
  await expect(everpost.me()).rejects.toMatchObject({ code: 'rate_limited' });
  expect(server.calls(path('/me'))).toHaveLength(3);
  await expect(everpost.me({ maxRetries: 0 })).rejects.toMatchObject({ code: 'rate_limited' });
  expect(server.calls(path('/me'))).toHaveLength(4);
});

test('a signal ends a call that has no answer, and one that waits for its next try', async () => {
  const { everpost, path } = client();
  let letGo = () => {};
  server.holdUp(
    path('/me'),
    new Promise<void>((resolve) => {
      letGo = resolve;
    }),
  );
  const control = new AbortController();
  const called = everpost.me({ signal: control.signal });
  await expect.poll(() => server.calls(path('/me')).length).toBe(1);
  control.abort();
  await expect(called).rejects.toMatchObject({ code: 'aborted', operation: 'me' });
  letGo();

  server.answer(path('/topics'), refused(429, 'rate_limited', { 'retry-after': '60' }));
  const waiting = new AbortController();
  const next = everpost.topics.list({ signal: waiting.signal });
  await expect.poll(() => server.calls(path('/topics')).length).toBe(1);
  waiting.abort();
  await expect(next).rejects.toMatchObject({ code: 'aborted' });
});

test('no answer in time, and nobody there, are errors that say so', async () => {
  const { everpost, path } = client();
  let letGo = () => {};
  server.holdUp(
    path('/me'),
    new Promise<void>((resolve) => {
      letGo = resolve;
    }),
  );
  await expect(everpost.me({ timeoutMs: 50, maxRetries: 0 })).rejects.toMatchObject({ code: 'timed_out', status: undefined });
  letGo();
  const nobody = new Everpost({ apiKey: 'ep_test_any', url: 'http://127.0.0.1:9', maxRetries: 0 });
  const { data, error } = await nobody.safe.me();
  expect([data, error?.code]).toEqual([null, 'connection_failed']);
  expect(error?.message).toMatch(/http:\/\/127\.0\.0\.1:9.*EVERPOST_URL/);
});

test.each([
  [Infinity, false],
  [2 ** 31, true],
  [1e300, true],
])('timeoutMs of %d is no short time: a call ends after the longest that a timer takes, or never', async (timeoutMs, ends) => {
  vi.useFakeTimers();
  try {
    let isAborted = false;
    const fetch = (_: unknown, { signal }: RequestInit = {}) =>
      new Promise<Response>((_resolve, reject) => {
        signal!.addEventListener('abort', () => {
          isAborted = true;
          reject(signal!.reason);
        });
      });
    for (const [options, own] of [[{ timeoutMs }, {}] as const, [{}, { timeoutMs }] as const]) {
      isAborted = false;
      const control = new AbortController();
      const called = new Everpost({ apiKey: 'ep_test_any', maxRetries: 0, fetch, ...options }).safe.me({ signal: control.signal, ...own });
      await vi.advanceTimersByTimeAsync(2 ** 31 - 2);
      expect(isAborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(isAborted).toBe(ends);
      control.abort();
      expect((await called).error?.code).toBe(ends ? 'timed_out' : 'aborted');
    }
  } finally {
    vi.useRealTimers();
  }
});

test.each([0, -1, Number.NaN, Number.NEGATIVE_INFINITY])('timeoutMs of %d is refused before anything is asked for', async (timeoutMs) => {
  const words = `timeoutMs is ${timeoutMs}: give milliseconds above 0, or Infinity for no limit`;
  expect(() => new Everpost({ apiKey: 'ep_test_any', timeoutMs })).toThrow(words);
  const { everpost, path } = client();
  await expect(everpost.me({ timeoutMs })).rejects.toThrow(words);
  expect(server.calls(path('/me'))).toEqual([]);
});

test.each([-1, Number.NaN])('maxRetries of %d is refused before anything is asked for', async (maxRetries) => {
  const words = `maxRetries is ${maxRetries}: give 0 or more, or Infinity for no limit`;
  expect(() => new Everpost({ apiKey: 'ep_test_any', maxRetries })).toThrow(words);
  const { everpost, path } = client();
  await expect(everpost.me({ maxRetries })).rejects.toThrow(words);
  expect(server.calls(path('/me'))).toEqual([]);
});

describe('an answer that streams', () => {
  /** A server whose CSV is whole, or breaks off in its middle. */
  async function streaming(use: (everpost: Everpost) => Promise<void>, breaksOff = false): Promise<void> {
    const serving = createHttpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('email\n');
      if (breaksOff) setImmediate(() => response.destroy());
      else response.end('ada@example.com\n');
    });
    await new Promise<void>((resolve) => serving.listen(0, '127.0.0.1', resolve));
    try {
      await use(new Everpost({ apiKey: 'ep_test_any', url: `http://127.0.0.1:${(serving.address() as AddressInfo).port}` }));
    } finally {
      serving.closeAllConnections();
      serving.close();
    }
  }

  test('leaves nothing on the signal of its call when it was read or cancelled, and ends by it before', async () => {
    await streaming(async (everpost) => {
      const control = new AbortController();
      const { signal } = control;
      const read = await everpost.contacts.export({}, { signal });
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      expect(await read.text()).toBe('email\nada@example.com\n');
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      const cancelled = await everpost.contacts.export({}, { signal });
      await cancelled.body!.cancel();
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      const aborted = await everpost.contacts.export({}, { signal });
      control.abort();
      await expect(aborted.text()).rejects.toMatchObject({ code: 'aborted', operation: 'contacts.export' });
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });
  });

  test('that breaks off is an error of the client', async () => {
    await streaming(async (everpost) => {
      const control = new AbortController();
      const answer = await everpost.contacts.export({}, { signal: control.signal });
      const error = await answer.text().catch((thrown: unknown) => thrown);
      expect(isEverpostError(error, 'connection_failed')).toBe(true);
      expect(error).toMatchObject({ operation: 'contacts.export', message: expect.stringContaining('broke') });
      expect(getEventListeners(control.signal, 'abort')).toEqual([]);
    }, true);
  });
});

/** A client of the real server by a way that loses the first answer, and how many calls went by it. */
async function losingFirst(key: string, use: (everpost: Everpost, calls: () => number) => Promise<void>): Promise<void> {
  const { apiUrl } = testEnvironment();
  let calls = 0;
  const losing = createHttpServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const headers = request.headers as Record<string, string>;
    const answer = await fetch(`${apiUrl}${request.url}`, {
      method: request.method!,
      body,
      headers: Object.fromEntries(
        ['authorization', 'content-type', 'idempotency-key'].flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
      ),
    });
    const text = await answer.text();
    if (calls++ === 0) request.socket.destroy();
    else response.writeHead(answer.status, { ...json, 'idempotent-replayed': answer.headers.get('idempotent-replayed') ?? '' }).end(text);
  });
  await new Promise<void>((resolve) => losing.listen(0, '127.0.0.1', resolve));
  try {
    await use(new Everpost({ apiKey: key, url: `http://127.0.0.1:${(losing.address() as AddressInfo).port}` }), () => calls);
  } finally {
    losing.closeAllConnections();
    losing.close();
  }
}

test('a mail whose answer was lost on its way is sent once', async () => {
  const project = await newProject();
  await enableTemplates(project, 'receipt');
  await losingFirst(project.key, async (everpost, calls) => {
    const to = project.address();
    const { id } = await everpost.send({ template: 'receipt', to });
    expect(calls()).toBe(2);
    const [mail] = await mailTo(to);
    expect(mail!.raw).toContain(id);
    const { sends } = await new Everpost({ apiKey: project.key, url: testEnvironment().apiUrl }).sends.list();
    expect(sends.map(({ to_email, provider_id }) => [to_email, provider_id])).toEqual([[to, id]]);
    expect(await mailCount(to)).toBe(1);
  });
});

test('a launch of a version whose answer was lost on its way has it when it goes again, and a change of a version, which has no key, goes once', async () => {
  const project = await newProject();
  await enableTemplates(project, 'announcement');
  const direct = new Everpost({ apiKey: project.key, url: testEnvironment().apiUrl });
  await direct.contacts.upsert({ email: project.address(), tags: ['beta'] });
  const audience = { mode: 'tag', tag: 'beta' } as const;
  const { campaignId } = await direct.campaigns.create({ template: 'announcement', subject: 'News', audience }, { draft: '1' });
  const versionNow = async () => (await direct.campaigns.get(campaignId)).draft!.version;
  const version = await versionNow();
  await losingFirst(project.key, async (everpost, calls) => {
    const { error } = await everpost.safe.campaigns.update(campaignId, { name: 'Spring' }, { ifVersion: version });
    expect([error?.code, calls()]).toEqual(['connection_failed', 1]);
  });
  const changed = await versionNow();
  expect(changed).toBe(version + 1);
  await losingFirst(project.key, async (everpost, calls) => {
    const launched = await everpost.campaigns.launch(campaignId, {}, { ifVersion: changed });
    expect([launched.campaignId, calls()]).toEqual([campaignId, 2]);
  });
});
