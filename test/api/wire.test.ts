import { connect, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { testEnvironment } from '../support/environment.ts';
import { newProject, type TestProject } from '../support/project.ts';

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
});

interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly body: any;
}

function open(): Socket {
  const { hostname, port } = new URL(testEnvironment().apiUrl);
  return connect(Number(port), hostname);
}

/** Everything that is answered until the server ends the connection. */
async function untilClosed(socket: Socket): Promise<WireAnswer[]> {
  let text = '';
  socket.setEncoding('utf8').on('data', (data) => {
    text += data;
  });
  await new Promise<void>((resolve, reject) => socket.on('end', resolve).on('error', reject));
  socket.destroy();
  return answersIn(text);
}

function answersIn(text: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ status: Number(first.split(' ')[1]), headers, body: body && JSON.parse(body) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** Sends the bytes and gives what is answered until the connection ends. */
async function ask(bytes: string): Promise<WireAnswer[]> {
  const socket = open();
  socket.write(bytes);
  return untilClosed(socket);
}

const head = (line: string, ...headers: string[]): string => [`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
const posting = (...headers: string[]): string =>
  head('POST /api/v1/contacts', `Authorization: Bearer ${project.key}`, 'Content-Type: application/json', ...headers);
const health = (...headers: string[]): string => head('GET /api/v1/health', ...headers);
const CLOSE = 'Connection: close';

const enveloped = (status: number, code: string) => ({
  status,
  headers: expect.objectContaining({
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }),
  body: { ok: false, error: expect.any(String), code },
});

describe('what is no HTTP request', () => {
  test('has the envelope and a request id', async () => {
    for (const [bytes, status, code] of [
      ['nonsense\r\n\r\n', 400, 'malformed_request'],
      [head('GET /api/v1/health', 'Bad Header: x'), 400, 'malformed_request'],
      [posting('Content-Length: 1', 'Transfer-Encoding: chunked'), 400, 'malformed_request'],
      [`${posting('Transfer-Encoding: chunked')}zz\r\n`, 400, 'malformed_request'],
      [`${posting('Transfer-Encoding: chunked')}1;${'a'.repeat(20_000)}\r\n`, 413, 'payload_too_large'],
      [health(`X-Long: ${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
      [health('Expect: the-unexpected', CLOSE), 417, 'expectation_failed'],
    ] as const) {
      expect(await ask(bytes)).toEqual([enveloped(status, code)]);
    }
  });

  test('is answered after every good request before it on the connection', async () => {
    const list = head('GET /api/v1/contacts', `Authorization: Bearer ${project.key}`);
    const answers = await ask(`${list}${health()}nonsense\r\n\r\n`);
    expect(answers.map(({ status, body }) => [status, body.code ?? Object.keys(body)[1]])).toEqual([
      [200, 'contacts'],
      [200, 'status'],
      [400, 'malformed_request'],
    ]);
  });

  test('ends nothing but its own connection', async () => {
    await Promise.all(Array.from({ length: 50 }, () => ask('nonsense\r\n\r\n')));
    expect(await ask(health(CLOSE))).toMatchObject([{ status: 200 }]);
  });
});

describe('what others may understand differently', () => {
  test('two Host headers or none are refused', async () => {
    const without = `GET /api/v1/health HTTP/1.1\r\n${CLOSE}\r\n\r\n`;
    for (const bytes of [health('Host: y', CLOSE), health('host: x', CLOSE), without]) {
      expect(await ask(bytes)).toEqual([enveloped(400, 'malformed_request')]);
    }
    expect(await ask('GET /api/v1/health HTTP/1.0\r\n\r\n')).toMatchObject([{ status: 200 }]);
  });

  test('a coding of the transfer or of the content is refused', async () => {
    for (const coding of ['gzip, chunked', 'chunked, chunked', 'x, chunked'])
      expect((await ask(`${posting(`Transfer-Encoding: ${coding}`, CLOSE)}0\r\n\r\n`)).map(({ status }) => status)).toEqual([400]);
    expect(await ask(`${posting('Content-Encoding: gzip', 'Content-Length: 2', CLOSE)}{}`)).toMatchObject([{ status: 415 }]);
    const signed = head(`POST /api/v1/inbound/generic/${project.inboundId}`, 'Content-Encoding: br', 'Content-Length: 2', CLOSE);
    expect(await ask(`${signed}{}`)).toMatchObject([{ status: 415, body: { code: 'unsupported_media_type' } }]);
    expect(await ask(`${posting('Transfer-Encoding: Chunked', CLOSE)}2\r\n{}\r\n0\r\n\r\n`)).toMatchObject([{ status: 422 }]);
  });
});

describe('a body that is still to come', () => {
  test('is not waited for after a refusal: the answer comes and the connection closes', async () => {
    for (const [bytes, status] of [
      [head('POST /api/v1/contacts', 'Content-Length: 1000'), 401],
      [head('POST /api/v1/nothing', 'Content-Length: 1000'), 404],
      [head('POST /api/v1/contacts', 'Transfer-Encoding: chunked'), 401],
      [posting('Content-Length: 5242881'), 413],
    ] as const) {
      expect(await ask(bytes)).toMatchObject([{ status, headers: { connection: 'close' } }]);
    }
  });

  test('may still be sent for a moment, so that the answer is not lost', async () => {
    const socket = open();
    const answers = untilClosed(socket);
    socket.write(head('POST /api/v1/contacts', 'Content-Length: 8000000'));
    for (let sent = 0; sent < 80 && socket.writable; sent++) {
      socket.write('x'.repeat(100_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await answers).toMatchObject([{ status: 401 }]);
  });

  test('that has come keeps the connection, whatever the answer was', async () => {
    const unauthorized = head('POST /api/v1/contacts', 'Content-Length: 10');
    const answers = await ask(`${unauthorized}0123456789${unauthorized}0123456789${health(CLOSE)}`);
    expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [401, 'keep-alive'],
      [401, 'keep-alive'],
      [200, 'close'],
    ]);
  });
});

describe('Expect: 100-continue', () => {
  const expecting = (length: number): string => posting('Expect: 100-continue', CLOSE, `Content-Length: ${length}`);

  test('is answered once key and length were looked at', async () => {
    const body = JSON.stringify({ email: project.address() });
    const socket = open();
    const answers = untilClosed(socket);
    socket.write(expecting(body.length));
    await new Promise((resolve) => socket.once('data', resolve));
    socket.write(body);
    expect((await answers).map(({ status }) => status)).toEqual([100, 200]);
  });

  test('is not answered where the body is not wanted', async () => {
    const withoutKey = head('POST /api/v1/contacts', 'Expect: 100-continue', 'Content-Length: 10');
    expect((await ask(withoutKey)).map(({ status }) => status)).toEqual([401]);
    expect((await ask(expecting(6_000_000))).map(({ status }) => status)).toEqual([413]);
  });
});
