import { createHash } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { readByPostalMime, someBytes } from '../platform/mail/attached.ts';
import { mailServer } from '../platform/mail/smtp-doubles.ts';
import { eventually } from '../support/eventually.ts';
import { type Everpost, startEverpost } from '../support/everpost.ts';
import { newProject } from '../support/project.ts';
import { must } from '../support/sequences.ts';

let everpost: Everpost | undefined;
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  await everpost?.stop();
  for (const close of closing) await close();
});

/** A way to the mail server on which no more than so much gets through until it is told otherwise. */
async function narrowWay(to: number) {
  const way = { most: Number.POSITIVE_INFINITY, passed: 0, port: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(to, '127.0.0.1');
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const each of [client, behind]) each.destroy();
      });
    }
    behind.pipe(client);
    client.on('data', (chunk) => {
      way.passed += chunk.length;
      if (way.passed > way.most) client.pause();
      behind.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  way.port = (server.address() as { port: number }).port;
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return way;
}

test('an API that is killed in the middle of a mail of 25 MB has not sent it: its call, made again under the key, sends it once', async () => {
  const mailbox = await mailServer();
  closing.push(() => mailbox.close());
  const way = await narrowWay(mailbox.port);
  everpost = await startEverpost({ worker: false, smtpUrl: `smtp://127.0.0.1:${way.port}` });
  const project = await newProject({ everpost });
  const bytes = someBytes(19_000_000);
  const body = {
    ...{ html: '<p>Yours</p>', subject: 'Yours', type: 'transactional', to: project.address(), idempotencyKey: 'cut-off' },
    attachments: [{ filename: 'a.bin', content: bytes.toString('base64') }],
  };
  way.most = 8_000_000;
  const cutOff = project.api.post('/send', body).catch(() => 'cut off');
  await eventually(async () => way.passed > way.most, { timeoutMs: 60_000 });
  await everpost.kill();
  expect(await cutOff).toBe('cut off');
  expect(mailbox.received).toEqual([]);
  way.most = Number.POSITIVE_INFINITY;
  await everpost.start();
  // Whose process has died is known when its intent is old enough.
  const answer = await eventually(
    async () => {
      const reply = await project.api.post('/send', body);
      return reply.body.code !== 'idempotency_in_progress' && reply;
    },
    { everyMs: 2_000, timeoutMs: 150_000 },
  );
  must(answer, 200);
  expect(mailbox.received).toHaveLength(1);
  const { files } = await readByPostalMime(mailbox.received[0]!.content);
  expect(files).toMatchObject([{ filename: 'a.bin', sha256: createHash('sha256').update(bytes).digest('hex') }]);
  expect((await project.api.post('/send', body)).headers.get('idempotent-replayed')).toBe('true');
  expect(mailbox.received).toHaveLength(1);
}, 300_000);
