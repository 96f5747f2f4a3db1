import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpPoster, type HttpExchange, type HttpPoster } from '../../../platform/mail/http-exchange.ts';

let server: Server;
let poster: HttpPoster;
const received: string[] = [];

beforeEach(async () => {
  received.length = 0;
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    received.push(body);
    if (body === 'cut') request.socket.destroy();
    else if (body !== 'never answered') response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  poster.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function post(body: string, milliseconds = 5_000): Promise<HttpExchange> {
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return poster.post({ url, headers: {}, body, deadline: Date.now() + milliseconds });
}

test.each(['cut', 'never answered'])('a request that waited for the connection of another and was %s may have arrived', async (body) => {
  poster = createHttpPoster(1);
  const [first, second] = await Promise.all([post('first'), post(body, 500)]);
  expect(first).toMatchObject({ end: 'answered', status: 200 });
  expect(second).toMatchObject({ end: 'broken', mayHaveArrived: true });
  expect(received).toEqual(['first', body]);
});

test.each(['cut', 'never answered'])('a request on a new connection that was %s may have arrived', async (body) => {
  poster = createHttpPoster(1);
  expect(await post(body, 500)).toMatchObject({ end: 'broken', mayHaveArrived: true });
});

test('a request that found nobody, or no free connection in its time, has surely not arrived', async () => {
  poster = createHttpPoster(1);
  const hanging = post('never answered', 600);
  expect(await post('late', 300)).toMatchObject({ end: 'broken', mayHaveArrived: false });
  await hanging;
  expect(received).toEqual(['never answered']);
  const nobody = new URL('http://127.0.0.1:1/');
  const refused = await poster.post({ url: nobody, headers: {}, body: 'x', deadline: Date.now() + 1_000 });
  expect(refused).toMatchObject({ end: 'broken', mayHaveArrived: false });
});

test('many requests over few connections leave no listeners behind', async () => {
  poster = createHttpPoster(1);
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on('warning', note);
  await Promise.all(Array.from({ length: 30 }, () => post('one of many')));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
