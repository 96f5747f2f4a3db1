import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startBenchStack } from './support/bench-stack.ts';
import { progress, report, spread } from './support/report.ts';

/**
 * Mails with one attachment, one after the other, and how far the memory of the API's process has grown by them. Each way to give the file has a
 * process of its own, which has sent small mails before: node bench/attachments.ts [--mails 5] [--bytes 19600000] [--small 300]
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '5' },
    // 25 MB in base64.
    bytes: { type: 'string', default: '19600000' },
    small: { type: 'string', default: '300' },
  },
});
const [MAILS, BYTES, SMALL] = [Number(values.mails), Number(values.bytes), Number(values.small)];

report('attachments', { mails: MAILS, bytes: BYTES, content: await measured('content'), path: await measured('path') });

async function measured(way: 'content' | 'path'): Promise<object> {
  progress(`${MAILS} mails of ${BYTES} bytes by ${way}`);
  const stack = await startBenchStack({ apiProcesses: 1, progress });
  try {
    const bytes = randomBytes(BYTES);
    const send = (attachments: readonly object[]) => sendMail(stack, attachments);
    for (let mail = 0; mail < SMALL; mail++) await send([]);
    const file = way === 'path' ? { path: await upload(stack, bytes) } : { filename: 'a.bin', content: bytes.toString('base64') };
    const before = (await stack.peakMemory()).api as number;
    const taken: number[] = [];
    for (let mail = 0; mail < MAILS; mail++) {
      const startedAt = performance.now();
      await send([file]);
      taken.push(performance.now() - startedAt);
    }
    const after = (await stack.peakMemory()).api as number;
    return { ...spread(taken), apiMemoryMb: { before, after, grownBy: after - before } };
  } finally {
    await stack.stop();
  }
}

interface Api {
  readonly apiUrl: string;
  readonly key: string;
}

async function sendMail({ apiUrl, key }: Api, attachments: readonly object[]): Promise<void> {
  const mail = { html: '<p>Yours</p>', subject: 'Yours', type: 'transactional', to: 'one@recipients.example', attachments };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${apiUrl}/api/v1/send`, { method: 'POST', headers, body: JSON.stringify(mail) });
  if (!answer.ok) throw new Error(`a mail was answered with ${answer.status}: ${await answer.text()}`);
}

async function upload({ apiUrl, key }: Api, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'a.bin');
  const answer = await fetch(`${apiUrl}/api/v1/files`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form });
  const { id, error } = (await answer.json()) as { id?: string; error?: string };
  if (!id) throw new Error(`an upload was answered with ${answer.status}: ${error}`);
  return id;
}
