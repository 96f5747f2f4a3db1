import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startBenchStack } from './support/bench-stack.ts';
import { startMeter } from './support/cpu.ts';
import { LETTER } from './support/letter.ts';
import { NO_PEER, startPeer, type TxResult } from './support/listmonk.ts';
import { runLoad } from './support/load.ts';
import { addRecipients } from './support/recipients.ts';
import { progress, report } from './support/report.ts';

/**
 * POST /send against a local SMTP sink, everything on this machine, and listmonk's /api/tx with a letter of the same size in turns with it:
 * node bench/send.ts [--seconds 10] [--concurrency 1,10,50] [--api-processes N] [--listmonk DIR] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    concurrency: { type: 'string', default: '1,10,50' },
    'api-processes': { type: 'string' },
    listmonk: { type: 'string' },
    profile: { type: 'string' },
  },
});
const WARM_UP = { concurrency: 10, seconds: 3 };
const RECIPIENTS = 50_000;
const GOAL = "at least half of listmonk's rate at 10 and 50 connections, p99 at 50 under 60 ms";

const stack = await startBenchStack({
  template: LETTER,
  profileDir: values.profile,
  apiProcesses: values['api-processes'] === undefined ? undefined : Number(values['api-processes']),
  progress,
});
const { sink } = stack;
try {
  await addRecipients(stack.databaseUrl, stack.projectId, RECIPIENTS);
  progress('warming up');
  const { bytesPerMail } = await measureSend(WARM_UP);
  const peer = await startPeer(values.listmonk, { sink, subscribers: RECIPIENTS, progress });
  try {
    const peerBytesPerMail = await peer?.fitTx(bytesPerMail);
    await peer?.tx(WARM_UP);
    const runs: { concurrency: number; ours: OwnResult; peer: TxResult | null; ratio: object | null }[] = [];
    for (const [index, concurrency] of values.concurrency.split(',').map(Number).entries()) {
      const run = { concurrency, seconds: Number(values.seconds) };
      progress(`concurrency ${concurrency}`);
      // In turns, so that neither always has the machine that the other left.
      const peerFirst = index % 2 === 1 ? await peer?.tx(run) : undefined;
      const ours = await measureSend(run);
      const theirs = peerFirst ?? (await peer?.tx(run)) ?? null;
      runs.push({ concurrency, ours, peer: theirs, ratio: theirs && ratioOf(ours, theirs) });
    }
    report('send', {
      goal: GOAL,
      letter: { bytesPerMail, peerBytesPerMail: peerBytesPerMail ?? null },
      ...(peer ? { peer: 'listmonk: its answer says that a mail is queued, ours that it was submitted' } : { peer: null, note: NO_PEER }),
      runs,
    });
    if (!runs.every(({ ours }) => ours.agree)) process.exitCode = 1;
  } finally {
    await peer?.stop();
  }
} finally {
  await stack.stop();
}

type OwnResult = Awaited<ReturnType<typeof measureSend>>;

async function measureSend({ concurrency, seconds }: { concurrency: number; seconds: number }) {
  await sink.reset();
  const measured = await startMeter(stack.cpu);
  const result = await runLoad({
    url: `${stack.apiUrl}/api/v1/send`,
    authorization: `Bearer ${stack.key}`,
    // To one address, without unsubscribe link and tracking: what a letter through listmonk's /api/tx is as well.
    body: { template: LETTER, type: 'transactional', to: 'person-{{n}}@to.example', data: { name: 'First{{n}}' } },
    numbers: RECIPIENTS,
    concurrency,
    seconds,
  });
  const used = await measured(sink.messages, result.clientCpuSeconds);
  await sleep(500);
  const { messages, duplicates, bytes, first_unix, last_unix, connections_opened } = await sink.stats();
  const accepted = result.answers[200] ?? 0;
  // Addresses repeat after the last; a request whose answer was lost may have left a mail.
  const expectedDuplicates = Math.max(0, messages - RECIPIENTS);
  const agree =
    duplicates === expectedDuplicates &&
    messages >= accepted &&
    messages <= accepted + result.errors &&
    Object.keys(result.answers).join() === '200';
  return {
    ...result,
    mailsAtSink: messages,
    mailsPerSecond: Math.round(messages / (last_unix - first_unix)),
    duplicates: duplicates - expectedDuplicates,
    agree,
    bytesPerMail: Math.round(bytes / Math.max(messages, 1)),
    connections_opened,
    ...used,
  };
}

/** Ours by the peer's: more is better for the rates, less for the CPU. */
function ratioOf(ours: OwnResult, peer: TxResult): object {
  const share = (a = 0, b = 0): number => Number((a / b).toFixed(2));
  return {
    requestsPerSecond: share(ours.requestsPerSecond, peer.requestsPerSecond),
    mailsPerSecond: share(ours.mailsPerSecond, peer.mailsPerSecond),
    cpuPerMail: share(ours.cpuSecondsPer1000.total, peer.cpuSecondsPer1000.total),
  };
}
