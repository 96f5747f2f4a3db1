import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { MAX_FILE_BYTES } from '../domain/files/file.ts';
import { startBenchStack } from './support/bench-stack.ts';
import { progress, report, spread } from './support/report.ts';

/**
 * Uploads and downloads of large files at once, and the most memory that the API's process has had:
 * node bench/files.ts [--at-once 4] [--rounds 5] [--bytes 26214400]
 */
const { values } = parseArgs({
  options: {
    'at-once': { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    bytes: { type: 'string', default: String(MAX_FILE_BYTES) },
  },
});
const [AT_ONCE, ROUNDS, BYTES] = [Number(values['at-once']), Number(values.rounds), Number(values.bytes)];
const MB = 1024 * 1024;

const stack = await startBenchStack({ apiProcesses: 1, progress });
const headers = { authorization: `Bearer ${stack.key}` };
const url = `${stack.apiUrl}/api/v1/files`;

try {
  await upload(randomBytes(MB));
  const before = await stack.peakMemory();
  progress(`${ROUNDS} times ${AT_ONCE} uploads of ${BYTES} bytes at once`);
  const ids: string[] = [];
  const uploads = await inRounds(async (bytes) => {
    ids.push(await upload(bytes));
  });
  const afterUploads = await stack.peakMemory();
  progress('the same as downloads');
  const downloads = await inRounds(async () => {
    const answer = await fetch(`${url}/${ids.pop()}/content`, { headers });
    if ((await answer.arrayBuffer()).byteLength !== BYTES) throw new Error(`a download was answered with ${answer.status}`);
  });
  report('files', {
    ...{ atOnce: AT_ONCE, rounds: ROUNDS, bytes: BYTES, uploads, downloads },
    apiMemoryMb: { before: before.api, afterUploads: afterUploads.api, afterDownloads: (await stack.peakMemory()).api },
  });
} finally {
  await stack.stop();
}

/** Each with bytes of its own, which are made before anything is measured. */
async function inRounds(work: (bytes: Buffer<ArrayBuffer>) => Promise<void>): Promise<object> {
  const taken: number[] = [];
  let seconds = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const all = Array.from({ length: AT_ONCE }, () => randomBytes(BYTES));
    const startedAt = performance.now();
    await Promise.all(
      all.map(async (bytes) => {
        await work(bytes);
        taken.push(performance.now() - startedAt);
      }),
    );
    seconds += (performance.now() - startedAt) / 1000;
  }
  return { mbPerSecond: Math.round((ROUNDS * AT_ONCE * BYTES) / MB / seconds), ...spread(taken) };
}

async function upload(bytes: Buffer<ArrayBuffer>): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([bytes], { type: 'application/pdf' }), 'invoice.pdf');
  const answer = await fetch(url, { method: 'POST', headers, body: form });
  const { ok, id, error } = (await answer.json()) as { ok: boolean; id: string; error?: string };
  if (!ok) throw new Error(`an upload was answered with ${answer.status}: ${error}`);
  return id;
}
