import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createMailProvider } from '../../platform/mail/create-provider.ts';
import { attachmentOf, inPieces, readByPostalMime, someBytes } from '../platform/mail/attached.ts';
import { type ScriptedServer, scriptedServer } from '../platform/mail/smtp-doubles.ts';
import { newProject, type TestProject } from '../support/project.ts';
import { keyed, newSending, type TestSending } from '../support/sending.ts';
import { enableTemplates } from '../support/sequences.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

let project: TestProject;
beforeAll(async () => {
  project = await newProject();
  await enableTemplates(project, 'receipt');
});

const file = { filename: 'a.bin', contentType: 'application/pdf', bytes: someBytes(200_000) };
const details = { attachments: [attachmentOf(file)] };

async function* brokenOff(): AsyncGenerator<Uint8Array> {
  yield* inPieces(file.bytes.subarray(0, 120_000));
  throw new Error('the store went away');
}

async function sendingWith(
  openFile: () => Promise<AsyncIterable<Uint8Array>>,
): Promise<{ server: ScriptedServer; sending: TestSending['sending'] }> {
  const server = await scriptedServer(() => undefined);
  const provider = createMailProvider(new URL(`smtp://127.0.0.1:${server.port}`), { maxConnections: 2 });
  const path = await newSending({ provider, openFile });
  open.push(server, path);
  return { server, sending: path.sending };
}

test('a store that breaks off in the middle of a file: a later try of the same call sends the mail, once and whole', async () => {
  let opened = 0;
  const { server, sending } = await sendingWith(async () => (++opened === 1 ? brokenOff() : inPieces(file.bytes)));
  const request = await keyed(project, project.address(), { details });
  expect(await sending.sendCall(request)).toMatchObject({ state: 'sent' });
  expect([opened, server.received.length]).toEqual([2, 1]);
  expect((await readByPostalMime(server.received[0]!.content)).files).toMatchObject([{ sha256: details.attachments[0]!.sha256 }]);
});

test('a store that stays broken: nothing is submitted, the call may be made again under its key, and then the mail goes', async () => {
  let isBroken = true;
  const { server, sending } = await sendingWith(async () => (isBroken ? brokenOff() : inPieces(file.bytes)));
  const request = await keyed(project, project.address(), { details, sendId: uuidv7() });
  expect(await sending.sendCall(request)).toMatchObject({ state: 'unavailable', message: expect.stringContaining('a.bin') });
  expect(server.received).toEqual([]);
  isBroken = false;
  expect(await sending.sendCall({ ...request, sendId: uuidv7() })).toMatchObject({ state: 'sent', replayed: false });
  expect(server.received).toHaveLength(1);
});
