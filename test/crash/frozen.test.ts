import { afterEach, expect, test } from 'vitest';
import { createSafeHttp } from '../../platform/http/safe-http.ts';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import { createHttpPoster } from '../../platform/mail/http-exchange.ts';
import { finishedMailTo } from '../platform/mail/mails.ts';
import { type AnsweringThread, answeringTheFrozen, type FrozenBefore } from './frozen.ts';

const ENVELOPE_ANSWERS = ['250 ok\r\n', '250 ok\r\n', '354 go on\r\n'];
const TIMEOUT_MS = 5_000;

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function opened<T extends { close(): unknown }>(each: T): T {
  open.push(each);
  return each;
}

async function serverOf(said: Omit<AnsweringThread, 'flags'>): Promise<FrozenBefore> {
  return opened(await answeringTheFrozen(said));
}

const http = (answer: string): Promise<FrozenBefore> => serverOf({ greeting: '', replies: [], last: { asked: 'the body', answer } });

test('the answer to a final dot that came while the process stood still counts, though the time of the mail was over', async () => {
  const server = await serverOf({
    greeting: '220 here\r\n',
    replies: ['250 here\r\n', ...ENVELOPE_ANSWERS, ...ENVELOPE_ANSWERS],
    last: { asked: '\r\n.\r\n', answer: '250 taken\r\n' },
  });
  const url = new URL(`smtp://127.0.0.1:${server.port}`);
  const provider = opened(createMailProvider(url, { maxConnections: 1, timeoutSeconds: TIMEOUT_MS / 1000 }));
  const answer = provider.send(finishedMailTo('ada@example.org'), 'key');
  await server.freeze(TIMEOUT_MS);
  expect(await answer).toMatchObject({ outcome: 'accepted' });
  // The server is not taken for a slow one.
  expect(await provider.send(finishedMailTo('eve@example.org'), 'other')).toMatchObject({ outcome: 'accepted' });
});

test('the answer of a mail API that came while the process stood still counts, though its time was over', async () => {
  const server = await http('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  const exchange = opened(createHttpPoster(1)).post({ url, headers: {}, body: 'the body', deadline: Date.now() + TIMEOUT_MS });
  await server.freeze(TIMEOUT_MS);
  expect(await exchange).toMatchObject({ end: 'answered', status: 200, body: '{}' });
});

test('the answer of an endpoint that came while the process stood still counts, though its time was over', async () => {
  const server = await http('HTTP/1.1 204 No Content\r\n\r\n');
  const answer = opened(createSafeHttp({ allowPrivate: true })).request({
    ...{ url: `http://127.0.0.1:${server.port}/`, method: 'POST', headers: {}, body: 'the body', timeoutSeconds: TIMEOUT_MS / 1000 },
  });
  await server.freeze(TIMEOUT_MS);
  expect(await answer).toMatchObject({ ok: true, status: 204 });
});
